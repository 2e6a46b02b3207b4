/* SPDX-License-Identifier: BSD-3-Clause */
#include "policy/pool.h"

#include <math.h>
#include <stdlib.h>

#include "core/order.h"

static size_t words_for(size_t bits)
{
    return bits / 64 + (bits % 64 != 0);
}

/* All levels in one block; the last has one word. */
static hs_status open_set(hsi_pool *pool, size_t n)
{
    size_t    bits = n ? n : 1, words = 0;
    uint64_t *block;
    unsigned  level;

    do {
        bits = words_for(bits);
        words += bits;
    } while (bits > 1);
    block = calloc(words, sizeof *block);
    if (!block)
        return HS_ENOMEM;
    bits = n ? n : 1;
    for (level = 0; level == 0 || bits > 1; level++) {
        pool->set[level] = block;
        bits = words_for(bits);
        block += bits;
    }
    pool->levels = level;
    return HS_OK;
}

static void fill_set(hsi_pool *pool, size_t n)
{
    size_t   i, bits = n;
    unsigned level;

    for (level = 0; level < pool->levels && bits; level++) {
        for (i = 0; i < bits / 64; i++)
            pool->set[level][i] = ~(uint64_t)0;
        if (bits % 64)
            pool->set[level][i] = ((uint64_t)1 << bits % 64) - 1;
        bits = words_for(bits);
    }
}

static void insert(hsi_pool *pool, size_t at)
{
    unsigned level;

    for (level = 0; level < pool->levels; level++, at /= 64)
        pool->set[level][at / 64] |= (uint64_t)1 << at % 64;
}

static void discard(hsi_pool *pool, size_t at)
{
    unsigned level;

    for (level = 0; level < pool->levels; level++, at /= 64)
        if (pool->set[level][at / 64] &= ~((uint64_t)1 << at % 64))
            return;
}

static int is_empty(const hsi_pool *pool)
{
    return pool->set[pool->levels - 1][0] == 0;
}

static size_t first(const hsi_pool *pool)
{
    unsigned level = pool->levels;
    size_t   at = 0;

    while (level--)
        at = at * 64 + (size_t)__builtin_ctzll(pool->set[level][at]);
    return at;
}

static size_t last(const hsi_pool *pool)
{
    unsigned level = pool->levels;
    size_t   at = 0;

    while (level--)
        at = at * 64 + 63 - (size_t)__builtin_clzll(pool->set[level][at]);
    return at;
}

void hsi_pool_add(hsi_pool *pool, uint32_t task)
{
    insert(pool, pool->rank_of[task]);
}

void hsi_pool_remove(hsi_pool *pool, uint32_t task)
{
    discard(pool, pool->rank_of[task]);
}

/* The rank at the end where `type` takes; the pool is not empty. */
static size_t end_of(const hsi_pool *pool, hs_type type)
{
    return type == HS_GPU ? first(pool) : last(pool);
}

/* The order says well ahead which times will be wanted, from random places in memory. */
static void expect(const hsi_pool *pool, hs_type type, size_t rank)
{
    enum { AHEAD = 12 };

    if (type == HS_GPU && rank + AHEAD < pool->pb->n)
        __builtin_prefetch(&pool->pb->q[pool->task_at[rank + AHEAD]]);
    else if (type == HS_CPU && rank >= AHEAD)
        __builtin_prefetch(&pool->pb->p[pool->task_at[rank - AHEAD]]);
}

static int can_run(const hsi_pool *pool, hs_type type, uint32_t task)
{
    return !isinf(type == HS_GPU ? pool->pb->q[task] : pool->pb->p[task]);
}

int hsi_pool_take(hsi_pool *pool, hs_type type, uint32_t *task)
{
    size_t rank;

    if (is_empty(pool))
        return 0;
    rank = end_of(pool, type);
    expect(pool, type, rank);
    if (!can_run(pool, type, pool->task_at[rank]))
        return 0;
    discard(pool, rank);
    *task = pool->task_at[rank];
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

    for (i = 0; i < 2 && !is_empty(pool); i++) {
        hs_type  gone = types[i], other = types[1 - i];
        size_t   rank = end_of(pool, gone);
        uint32_t found = pool->task_at[rank];

        if (pool->in_service[gone] || (pool->in_service[other] && can_run(pool, other, found)))
            continue;
        discard(pool, rank);
        *task = found;
        return 1;
    }
    return 0;
}

hs_status hsi_pool_open(hsi_pool *pool, const hsi_problem *pb, int full)
{
    size_t    i, size = pb->n ? pb->n : 1;
    hs_status st;

    *pool = (hsi_pool){.pb = pb, .in_service = {pb->m, pb->k}};
    pool->task_at = malloc(size * sizeof *pool->task_at);
    pool->rank_of = malloc(size * sizeof *pool->rank_of);
    pool->retired = calloc((size_t)pb->m + pb->k, 1);
    st = pool->task_at && pool->rank_of && pool->retired ? HS_OK : HS_ENOMEM;
    if (st == HS_OK)
        st = open_set(pool, pb->n);
    if (st == HS_OK)
        st = hsi_order_by_rho(pb, HSI_RHO_QUEUE, pool->task_at);
    if (st != HS_OK) {
        hsi_pool_close(pool);
        return st;
    }
    for (i = 0; i < pb->n; i++)
        pool->rank_of[pool->task_at[i]] = (uint32_t)i;
    if (full)
        fill_set(pool, pb->n);
    return HS_OK;
}

void hsi_pool_close(hsi_pool *pool)
{
    free(pool->task_at);
    free(pool->rank_of);
    free(pool->set[0]);
    free(pool->retired);
    *pool = (hsi_pool){0};
}
