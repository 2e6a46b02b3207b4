/* SPDX-License-Identifier: BSD-3-Clause */
#include "policy/pool.h"

#include <math.h>
#include <stdlib.h>

#include "core/order.h"

static double key_of(const hsi_pool *pool, uint32_t task)
{
    double p = pool->pb->p[task], q = pool->pb->q[task];

    return pool->width > 0 ? hsi_queue_cell(p, q, pool->width) : hsi_queue_key(p, q);
}

void hsi_pool_add(hsi_pool *pool, uint32_t task)
{
    hsi_set_insert(&pool->tasks, key_of(pool, task), task);
}

void hsi_pool_remove(hsi_pool *pool, uint32_t task)
{
    hsi_set_remove(&pool->tasks, key_of(pool, task), task);
}

/* Where `type` takes. */
static hsi_set_end end_of(hs_type type)
{
    return type == HS_GPU ? HSI_SET_FRONT : HSI_SET_BACK;
}

static const double *times(const hsi_pool *pool, hs_type type)
{
    return type == HS_GPU ? pool->pb->q : pool->pb->p;
}

/* The order says well ahead which times will be wanted, from random places in memory. */
static void expect(const hsi_pool *pool, hs_type type)
{
    enum { AHEAD = 12 };

    if (pool->tasks.count > AHEAD)
        __builtin_prefetch(&times(pool, type)[hsi_set_at(&pool->tasks, end_of(type), AHEAD)]);
}

static int can_run(const hsi_pool *pool, hs_type type, uint32_t task)
{
    return !isinf(times(pool, type)[task]);
}

int hsi_pool_take(hsi_pool *pool, hs_type type, uint32_t *task)
{
    if (pool->tasks.count == 0)
        return 0;
    expect(pool, type);
    if (!can_run(pool, type, hsi_set_at(&pool->tasks, end_of(type), 0)))
        return 0;
    *task = hsi_set_take(&pool->tasks, end_of(type));
    return 1;
}

int hsi_pool_retire(hsi_pool *pool, unsigned worker)
{
    if (pool->retired[worker])
        return 0;
    pool->retired[worker] = 1;
    pool->in_service[worker < pool->pb->m ? HS_CPU : HS_GPU]--;
    return 1;
}

/* What only CPUs can run lies at their end, and likewise for GPUs. */
int hsi_pool_stranded(hsi_pool *pool, uint32_t *task)
{
    static const hs_type types[] = {HS_CPU, HS_GPU};
    int                  i;

    for (i = 0; i < 2 && pool->tasks.count; i++) {
        hs_type  gone = types[i], other = types[1 - i];
        uint32_t found = hsi_set_at(&pool->tasks, end_of(gone), 0);

        if (pool->in_service[gone] || (pool->in_service[other] && can_run(pool, other, found)))
            continue;
        *task = hsi_set_take(&pool->tasks, end_of(gone));
        return 1;
    }
    return 0;
}

static hs_status fill(hsi_pool *pool)
{
    enum { AHEAD = 16 };
    const hsi_problem *pb = pool->pb;
    uint32_t          *order = malloc((pb->n ? pb->n : 1) * sizeof *order);
    hs_status          st = order ? hsi_order_by_rho(pb, HSI_RHO_QUEUE, order) : HS_ENOMEM;
    size_t             i;

    for (i = 0; st == HS_OK && i < pb->n && !hsi_ask_at(pb->asker, i); i++) {
        if (i + AHEAD < pb->n) {
            __builtin_prefetch(&pb->p[order[i + AHEAD]]);
            __builtin_prefetch(&pb->q[order[i + AHEAD]]);
        }
        hsi_set_append(&pool->tasks, key_of(pool, order[i]), order[i]);
    }
    free(order);
    return st;
}

hs_status hsi_pool_open(hsi_pool *pool, const hsi_problem *pb, int full, double width)
{
    hs_status st = HS_OK;

    *pool = (hsi_pool){.pb = pb, .in_service = {pb->m, pb->k}, .width = width};
    hsi_set_open(&pool->tasks, width > 0 ? hsi_queue_cellmate_before : hsi_queue_item_before, pb);
    pool->retired = calloc((size_t)pb->m + pb->k, 1);
    if (!pool->retired || hsi_set_reserve(&pool->tasks, pb->n))
        st = HS_ENOMEM;
    for (uint32_t i = 0; st == HS_OK && full && width > 0 && i < pb->n; i++) {
        if (hsi_ask_after(pb->asker, HSI_POOL_WORK))
            st = HS_ECANCELED;
        hsi_pool_add(pool, i);
    }
    if (st == HS_OK && full && !(width > 0))
        st = fill(pool);
    if (st != HS_OK)
        hsi_pool_close(pool);
    return st;
}

void hsi_pool_close(hsi_pool *pool)
{
    hsi_set_close(&pool->tasks);
    free(pool->retired);
    *pool = (hsi_pool){0};
}
