/* SPDX-License-Identifier: BSD-3-Clause */
#include "policy/ready_pool.h"

#include <math.h>
#include <stdlib.h>

#include "core/order.h"
#include "support/pages.h"
#include "support/ratio.h"
#include "support/sort.h"

#define COMES                                                                                      \
    (UINT32_C(1) << 31) /* flag in `place`: the task has no place yet; the other bits are          \
                           the first place of its ratio */

/* Return the sort key of a task's ratio, the GPU end first: a double's bits, inverted for negative
 * values. */
static uint64_t ratio_key(const void *context, uint32_t task)
{
    const hsi_pool *pool = context;
    double          p = pool->pb->p[task], q = pool->pb->q[task];
    double          key = pool->width > 0 ? hsi_queue_cell(p, q, pool->width) : hsi_queue_key(p, q);
    uint64_t        bits = hsi_key_of_double(key + 0.0); /* turns -0 into 0 */

    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/* Compare the exact ratios of two tasks with equal keys; > 0: a is nearer to the GPU end. */
static int compare_ratios(const hsi_pool *pool, uint32_t a, uint32_t b)
{
    const hsi_problem *pb = pool->pb;

    if (pool->width > 0 || (pb->p[a] == pb->p[b] && pb->q[a] == pb->q[b]))
        return 0;
    return hsi_compare_ratios(pb->p[a], pb->q[a], pb->p[b], pb->q[b]);
}

static int ratio_before(const void *context, uint32_t a, uint32_t b)
{
    uint64_t key_a = ratio_key(context, a), key_b = ratio_key(context, b);
    int      sign = key_a != key_b ? (key_a < key_b ? 1 : -1) : compare_ratios(context, a, b);

    return sign ? sign > 0 : a < b;
}

static int is_for_gpus(const hsi_problem *pb, uint32_t task)
{
    return pb->p[task] >= pb->q[task];
}

static uint64_t priority_key(const void *problem, uint32_t task)
{
    uint64_t key = (uint64_t)hsi_priority(problem, task) ^ UINT64_C(1) << 63;

    return is_for_gpus(problem, task) ? ~key : key;
}

static int have_one_ratio(const hsi_pool *pool, uint32_t a, uint32_t b)
{
    return ratio_key(pool, a) == ratio_key(pool, b) && compare_ratios(pool, a, b) == 0;
}

/* Order the tasks at places begin .. end - 1, which have one ratio, by priority; or mark them for a
 * place on arrival. Return 1 if cancelled. */
static int order_one_ratio(hsi_pool *pool, size_t begin, size_t end, hsi_token *token)
{
    const hsi_index_order by_priority = {priority_key, hsi_queue_cellmate_before, pool->pb, token};
    uint32_t             *task = pool->task + begin;
    uint32_t              first = (uint32_t)(is_for_gpus(pool->pb, *task) ? begin : end - 1);
    size_t                n = end - begin, i;

    if (pool->next) {
        pool->next[first] = first;
        for (i = 0; i < n && !hsi_poll_at(token, i + 1); i++)
            pool->place[task[i]] = first | COMES;
        return i < n;
    }
    if (n == 1)
        return 0;
    for (i = 0; i < n && !hsi_poll_at(token, i + 1); i++)
        pool->keys[i] = priority_key(pool->pb, task[i]);
    return i < n || hsi_sort_by_keys(pool->keys, pool->keys + n, n, &by_priority, task, task);
}

/* Order tasks of equal ratio, so far sorted by number: by priority, or on arrival. Return 1 if
 * cancelled. */
static int order_equals(hsi_pool *pool, hsi_token *token)
{
    enum { AHEAD = 16 };
    const uint32_t *task = pool->task;
    size_t          n = pool->pb->n, begin = 0, i;

    for (i = 1; i <= n; i++) {
        if (hsi_poll_at(token, i))
            return 1;
        if (i + AHEAD < n) {
            __builtin_prefetch(&pool->pb->p[task[i + AHEAD]]);
            __builtin_prefetch(&pool->pb->q[task[i + AHEAD]]);
        }
        if (i < n && have_one_ratio(pool, task[i], task[begin]))
            continue;
        if (order_one_ratio(pool, begin, i, token))
            return 1;
        begin = i;
    }
    return 0;
}

static void find_limits(hsi_pool *pool, hsi_token *token)
{
    const hsi_problem *pb = pool->pb;
    uint32_t           cpus_from = 0, gpus_to = (uint32_t)pb->n;

    while (cpus_from < pb->n && isinf(pb->p[pool->task[cpus_from]]) &&
           !hsi_poll_at(token, cpus_from))
        cpus_from++;
    while (gpus_to > 0 && isinf(pb->q[pool->task[gpus_to - 1]]) && !hsi_poll_at(token, gpus_to))
        gpus_to--;
    pool->limit[HS_CPU] = cpus_from;
    pool->limit[HS_GPU] = gpus_to;
}

/* Compute the order of all tasks. Return 1 if cancelled. Allocates no memory. */
static int find_places(hsi_pool *pool, hsi_token *token)
{
    const hsi_index_order by_ratio = {ratio_key, ratio_before, pool, token};
    size_t                n = pool->pb->n, i;

    for (i = 0; i < n && !hsi_poll_at(token, i); i++)
        pool->keys[i] = ratio_key(pool, (uint32_t)i);
    if (i < n || hsi_sort_by_keys(pool->keys, pool->keys + n, n, &by_ratio, NULL, pool->task))
        return 1;
    if ((pool->pb->priority || pool->pb->graph) && order_equals(pool, token))
        return 1;
    for (i = 0; i < n && !pool->next && !hsi_poll_at(token, i); i++)
        pool->place[pool->task[i]] = (uint32_t)i;
    find_limits(pool, token);
    pool->is_sorted = 1;
    return hsi_poll(token);
}

/* Give an arriving task its place: within one ratio, earlier tasks are nearer to the end of the
 * preferred type. */
static void give_place(hsi_pool *pool, uint32_t task)
{
    uint32_t *next = &pool->next[pool->place[task] & ~COMES];

    pool->place[task] = *next;
    pool->task[*next] = task;
    *next += is_for_gpus(pool->pb, task) ? 1 : UINT32_MAX;
}

void hsi_pool_add(hsi_pool *pool, uint32_t task)
{
    if (!pool->is_sorted)
        find_places(pool, NULL);
    if (pool->place[task] & COMES)
        give_place(pool, task);
    hsi_places_add(&pool->there, pool->place[task]);
}

void hsi_pool_remove(hsi_pool *pool, uint32_t task)
{
    if (pool->is_sorted && !(pool->place[task] & COMES))
        hsi_places_remove(&pool->there, pool->place[task]);
}

/* Return the place at the type's end of the order; the pool must not be empty. */
static uint32_t end_of(const hsi_pool *pool, hs_type type)
{
    return type == HS_GPU ? hsi_places_first(&pool->there) : hsi_places_last(&pool->there);
}

static int can_run(const hsi_pool *pool, hs_type type, uint32_t place)
{
    return type == HS_GPU ? place < pool->limit[HS_GPU] : place >= pool->limit[HS_CPU];
}

/* Prefetch the time of the task that this type takes 12 tasks later; times lie at random places in
 * memory. */
static void expect(const hsi_pool *pool, hs_type type, uint32_t place)
{
    enum { AHEAD = 12 };
    const double *time = type == HS_GPU ? pool->pb->q : pool->pb->p;
    uint32_t      then = type == HS_GPU ? place + AHEAD : place - AHEAD;

    if (then < pool->pb->n)
        __builtin_prefetch(&time[pool->task[then]]);
}

int hsi_pool_take(hsi_pool *pool, hs_type type, uint32_t *task)
{
    uint32_t place;

    if (hsi_places_is_empty(&pool->there))
        return 0;
    place = end_of(pool, type);
    if (!can_run(pool, type, place))
        return 0;
    expect(pool, type, place);
    hsi_places_remove(&pool->there, place);
    *task = pool->task[place];
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

/* Check the two ends only: a task for one type alone lies at this type's end. */
int hsi_pool_stranded(hsi_pool *pool, uint32_t *task)
{
    static const hs_type types[] = {HS_CPU, HS_GPU};
    int                  i;

    for (i = 0; i < 2 && !hsi_places_is_empty(&pool->there); i++) {
        hs_type  gone = types[i], other = types[1 - i];
        uint32_t found = end_of(pool, gone);

        if (pool->in_service[gone] || (pool->in_service[other] && can_run(pool, other, found)))
            continue;
        hsi_places_remove(&pool->there, found);
        *task = pool->task[found];
        return 1;
    }
    return 0;
}

static hs_status reserve(hsi_pool *pool, hsi_pool_start start)
{
    size_t n = pool->pb->n;

    pool->retired = calloc((size_t)pool->pb->m + pool->pb->k, 1);
    pool->task = hsi_pages_alloc((n + 1) * sizeof *pool->task);
    pool->place = hsi_pages_alloc((n + 1) * sizeof *pool->place);
    pool->keys = malloc((2 * n + 1) * sizeof *pool->keys);
    if (start == HSI_POOL_COMES)
        pool->next = malloc((n + 1) * sizeof *pool->next);
    return pool->retired && pool->task && pool->place && pool->keys &&
                   (pool->next || start != HSI_POOL_COMES) && !hsi_places_open(&pool->there, n)
               ? HS_OK
               : HS_ENOMEM;
}

hs_status hsi_pool_open(hsi_pool *pool, const hsi_problem *pb, hsi_pool_start start, double width)
{
    hs_status st;

    *pool = (hsi_pool){.pb = pb, .in_service = {pb->m, pb->k}, .width = width};
    st = reserve(pool, start);
    if (st == HS_OK && start != HSI_POOL_SELDOM) {
        st = find_places(pool, pb->token) ? HS_ECANCELED : HS_OK;
        free(pool->keys);
        pool->keys = NULL;
    }
    for (size_t i = 0; st == HS_OK && start == HSI_POOL_FULL && i < pb->n; i++) {
        hsi_places_add(&pool->there, (uint32_t)i);
        if (hsi_poll_at(pb->token, i))
            st = HS_ECANCELED;
    }
    if (st != HS_OK)
        hsi_pool_close(pool);
    return st;
}

void hsi_pool_close(hsi_pool *pool)
{
    hsi_places_close(&pool->there);
    free(pool->task);
    free(pool->place);
    free(pool->next);
    free(pool->keys);
    free(pool->retired);
    *pool = (hsi_pool){0};
}
