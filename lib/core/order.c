/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/order.h"

#include <math.h>
#include <string.h>

#include "support/ratio.h"
#include "support/sort.h"

/*
 * The rounded quotient decides nearly every comparison: rounding never reverses two ratios, it can
 * only make them equal. Equal quotients are compared exactly.
 */

int hsi_heteroprio_compare(double cpu_time1, double gpu_time1, int64_t priority1, double cpu_time2,
                           double gpu_time2, int64_t priority2, bool same_cell)
{
    int rho = 0, priority = (priority1 > priority2) - (priority1 < priority2);

    if (!same_cell && (cpu_time1 != cpu_time2 || gpu_time1 != gpu_time2)) /* equal times are the
                                                 usual case: tasks of one kernel */
        rho = hsi_compare_ratios(cpu_time1, gpu_time1, cpu_time2, gpu_time2);
    if (rho)
        return rho;
    return cpu_time1 >= gpu_time1 ? priority : -priority;
}

double hsi_heteroprio_cell(double cpu_time, double gpu_time, double width)
{
    const int64_t one = (int64_t)1023 << 52; /* the bits of 1.0 */
    double        ratio = cpu_time / gpu_time;
    int64_t       step = (int64_t)(width * 0x1p52), bits;

    if (isinf(cpu_time))
        return -INFINITY;
    if (isinf(gpu_time))
        return INFINITY;
    memcpy(&bits, &ratio, sizeof bits);
    bits -= one; /* negative if p < q: such times differ too much for the quotient to round to 1 */
    return bits >= 0 ? -(double)(bits / step) : (double)((-bits - 1) / step + 1);
}

typedef struct rho_order {
    const hsi_problem *pb;
    uint64_t           flip; /* mask to invert keys: ~0 for descending order, 0 for ascending */
} rho_order;

static int rho_before(const void *context, uint32_t a, uint32_t b)
{
    const rho_order   *rho = context;
    const hsi_problem *pb = rho->pb;
    int                sign;

    if (pb->p[a] == pb->p[b] && pb->q[a] == pb->q[b])
        return a < b;
    sign = hsi_compare_ratios(pb->p[a], pb->q[a], pb->p[b], pb->q[b]);
    if (sign == 0)
        return a < b;
    return rho->flip ? sign > 0 : sign < 0;
}

static int queue_before(const void *context, uint32_t a, uint32_t b)
{
    const hsi_problem *pb = ((const rho_order *)context)->pb;
    int sign = hsi_heteroprio_compare(pb->p[a], pb->q[a], hsi_priority_of(pb, a), pb->p[b],
                                      pb->q[b], hsi_priority_of(pb, b), false);

    return sign ? sign > 0 : hsi_task_comes_first(pb, a, b);
}

hs_status hsi_order_by_rho(const hsi_problem *pb, hsi_rho_order kind, uint32_t *order)
{
    rho_order             rho = {pb, kind == HSI_RHO_UP ? 0 : ~(uint64_t)0};
    const hsi_index_order how = {kind == HSI_RHO_QUEUE ? queue_before : rho_before, &rho,
                                 pb->token};
    hsi_arena             own = {0}, *arena = pb->arena ? pb->arena : &own;
    hsi_mark              mark = hsi_arena_mark(arena);
    uint64_t             *keys = hsi_arena_alloc(arena, pb->n, sizeof *keys);
    uint64_t             *scratch = hsi_arena_alloc(arena, pb->n, sizeof *scratch);
    hs_status             st = keys && scratch ? HS_OK : HS_ENOMEM;
    size_t                i;

    if (st == HS_OK) {
        for (i = 0; i < pb->n && !hsi_poll_at_iteration(pb->token, i); i++)
            keys[i] = hsi_key_of_double(pb->p[i] / pb->q[i]) ^ rho.flip;
        if (i < pb->n || hsi_sort_by_keys(keys, scratch, pb->n, &how, NULL, order))
            st = HS_ECANCELED;
    }
    hsi_arena_release(arena, mark);
    hsi_arena_close(&own);
    return st;
}

static int is_longer_task(const void *context, uint32_t a, uint32_t b)
{
    const double *time = context;

    return time[a] > time[b] || (time[a] == time[b] && a < b);
}

/* Sort given[0 .. n-1], or 0 .. n-1 for NULL, by decreasing time. */
static hs_status sort_by_time(hsi_arena *arena, const double *time, size_t count,
                              const uint32_t *given, uint32_t *order, hsi_token *token)
{
    const hsi_index_order how = {is_longer_task, time, token};
    hsi_mark              mark = hsi_arena_mark(arena);
    uint64_t             *keys = hsi_arena_alloc(arena, count, sizeof *keys);
    uint64_t             *scratch = hsi_arena_alloc(arena, count, sizeof *scratch);
    hs_status             st = keys && scratch ? HS_OK : HS_ENOMEM;
    size_t                i;

    if (st == HS_OK) {
        for (i = 0; i < count && !hsi_poll_at_iteration(token, i); i++)
            keys[i] = ~hsi_key_of_double(time[given ? given[i] : i]);
        if (i < count || hsi_sort_by_keys(keys, scratch, count, &how, given, order))
            st = HS_ECANCELED;
    }
    hsi_arena_release(arena, mark);
    return st;
}

hs_status hsi_sort_by_time(hsi_arena *arena, const double *time, size_t count, uint32_t *order,
                           hsi_token *token)
{
    return sort_by_time(arena, time, count, order, order, token);
}

hs_status hsi_order_by_time(hsi_arena *arena, const double *time, size_t count, uint32_t *order,
                            hsi_token *token)
{
    return sort_by_time(arena, time, count, NULL, order, token);
}

hs_status hsi_gather_times(const uint32_t *order, size_t count, const double *time,
                           double *by_place, hsi_token *token)
{
    enum { AHEAD = 16 };
    size_t i, ahead = count > AHEAD ? count - AHEAD : 0;

    for (i = 0; i < count; i++) {
        if (hsi_poll_at_iteration(token, i)) /* poll before the first item, since `order` is
                                      incomplete after a cancel */
            return HS_ECANCELED;
        if (i < ahead)
            __builtin_prefetch(&time[order[i + AHEAD]]);
        by_place[i] = time[order[i]];
    }
    return HS_OK;
}
