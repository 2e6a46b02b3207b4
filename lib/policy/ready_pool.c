/* SPDX-License-Identifier: BSD-3-Clause */
#include "policy/ready_pool.h"

#include <math.h>
#include <stdlib.h>

#include "core/order.h"

static double key_of(const hsi_ready_pool *pool, uint32_t task)
{
    double p = pool->pb->p[task], q = pool->pb->q[task];

    return pool->cell_width > 0 ? hsi_heteroprio_cell(p, q, pool->cell_width)
                                : hsi_heteroprio_key(p, q);
}

static int is_nearer_to_gpus(const void *context, uint32_t a, uint32_t b)
{
    const hsi_ready_pool *pool = context;
    const hsi_problem    *pb = pool->pb;
    int sign = hsi_heteroprio_compare(pb->p[a], pb->q[a], hsi_priority_of(pb, a), pb->p[b],
                                      pb->q[b], hsi_priority_of(pb, b), pool->cell_width > 0);

    return sign ? sign > 0 : hsi_task_comes_first(pb, a, b);
}

void hsi_ready_pool_add(hsi_ready_pool *pool, uint32_t task)
{
    hsi_set_insert(&pool->tasks, key_of(pool, task), task);
}

void hsi_ready_pool_remove(hsi_ready_pool *pool, uint32_t task)
{
    hsi_set_remove(&pool->tasks, key_of(pool, task), task);
}

static hsi_set_end end_of(hs_type type)
{
    return type == HS_GPU ? HSI_SET_FRONT : HSI_SET_BACK;
}

static bool can_run(const hsi_ready_pool *pool, hs_type type, uint32_t task)
{
    return !isinf(type == HS_GPU ? pool->pb->q[task] : pool->pb->p[task]);
}

bool hsi_ready_pool_take(hsi_ready_pool *pool, hs_type type, uint32_t *task)
{
    if (pool->tasks.count == 0 || !can_run(pool, type, hsi_set_at(&pool->tasks, end_of(type), 0)))
        return false;
    *task = hsi_set_remove_end(&pool->tasks, end_of(type));
    return true;
}

bool hsi_ready_pool_retire(hsi_ready_pool *pool, unsigned worker)
{
    if (pool->retired[worker])
        return false;
    pool->retired[worker] = 1;
    pool->in_service[worker < pool->pb->m ? HS_CPU : HS_GPU]--;
    return true;
}

/* Find a task that no worker in service can run. Only the two ends are checked: a task for one
 * type alone lies at the end of this type. */
bool hsi_ready_pool_take_stranded(hsi_ready_pool *pool, uint32_t *task)
{
    static const hs_type types[] = {HS_CPU, HS_GPU};
    int                  i;

    for (i = 0; i < 2 && pool->tasks.count > 0; i++) {
        hs_type  gone = types[i], other = types[1 - i];
        uint32_t found = hsi_set_at(&pool->tasks, end_of(gone), 0);

        if (pool->in_service[gone] || (pool->in_service[other] && can_run(pool, other, found)))
            continue;
        *task = hsi_set_remove_end(&pool->tasks, end_of(gone));
        return true;
    }
    return false;
}

hs_status hsi_ready_pool_open(hsi_ready_pool *pool, const hsi_problem *pb, double cell_width)
{
    *pool = (hsi_ready_pool){.pb = pb, .in_service = {pb->m, pb->k}, .cell_width = cell_width};
    hsi_set_open(&pool->tasks, is_nearer_to_gpus, pool);
    pool->retired = calloc((size_t)pb->m + pb->k, 1);
    if (pool->retired && !hsi_set_reserve(&pool->tasks, pb->n))
        return HS_OK;
    hsi_ready_pool_close(pool);
    return HS_ENOMEM;
}

void hsi_ready_pool_close(hsi_ready_pool *pool)
{
    hsi_set_close(&pool->tasks);
    free(pool->retired);
    pool->retired = NULL;
}
