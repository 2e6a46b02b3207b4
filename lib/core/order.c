/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/order.h"

#include <stdlib.h>

#include "support/ratio.h"
#include "support/sort.h"

/*
 * The quotient, rounded, decides nearly always: rounding never swaps two ratios,
 * it can only make them equal. Those runs are then put in exact order.
 */

int hsi_queue_before(double p1, double q1, int64_t priority1, double p2, double q2,
                     int64_t priority2, int *tie)
{
    int rho = hsi_compare_ratios(p1, q1, p2, q2);

    *tie = rho == 0 && priority1 == priority2;
    if (rho)
        return rho > 0;
    return p1 >= q1 ? priority1 > priority2 : priority1 < priority2;
}

typedef struct exact_order {
    const hsi_problem *pb;
    hsi_rho_order      kind;
} exact_order;

static int before(const void *context, uint32_t a, uint32_t b)
{
    const exact_order *order = context;
    const hsi_problem *pb = order->pb;
    int                rho, tie;

    if (order->kind == HSI_RHO_QUEUE) {
        int first = hsi_queue_before(pb->p[a], pb->q[a], hsi_priority(pb, a), pb->p[b], pb->q[b],
                                     hsi_priority(pb, b), &tie);
        return tie ? a < b : first;
    }
    rho = hsi_compare_ratios(pb->p[a], pb->q[a], pb->p[b], pb->q[b]);
    if (rho == 0)
        return a < b;
    return order->kind == HSI_RHO_UP ? rho < 0 : rho > 0;
}

static int run_is_sorted(const exact_order *order, const uint32_t *run, size_t n)
{
    const hsi_problem *pb = order->pb;
    size_t             i;

    for (i = 1; i < n; i++) {
        uint32_t a = run[i - 1], b = run[i];

        if (pb->p[a] == pb->p[b] && pb->q[a] == pb->q[b] &&
            (!pb->priority || pb->priority[a] == pb->priority[b]))
            continue; /* by index, as the sort left them */
        if (before(order, b, a))
            return 0;
    }
    return 1;
}

/* Copies the indices out, putting runs of equal keys in exact order. */
static void settle(const exact_order *exact, const hsi_keyed *sorted, size_t n, uint32_t *scratch,
                   uint32_t *order)
{
    size_t i, begin = 0;

    if (n == 0)
        return;
    order[0] = sorted[0].index;
    for (i = 1; i <= n; i++) {
        if (i < n)
            order[i] = sorted[i].index;
        if (i < n && sorted[i].key == sorted[begin].key)
            continue;
        if (i - begin > 1 && !run_is_sorted(exact, order + begin, i - begin))
            hsi_sort_indices(order + begin, scratch, i - begin, before, exact);
        begin = i;
    }
}

static void make_keys(const hsi_problem *pb, hsi_rho_order kind, hsi_keyed *keyed)
{
    uint64_t flip = kind == HSI_RHO_UP ? 0 : ~(uint64_t)0;
    size_t   i;

    for (i = 0; i < pb->n; i++) {
        keyed[i].key = hsi_key_of_double(pb->p[i] / pb->q[i]) ^ flip;
        keyed[i].index = (uint32_t)i;
    }
}

hs_status hsi_order_by_rho(const hsi_problem *pb, hsi_rho_order kind, uint32_t *order)
{
    exact_order exact = {pb, kind};
    hsi_keyed  *keyed, *sorted, *other;

    if (pb->n == 0)
        return HS_OK;
    keyed = malloc(2 * pb->n * sizeof *keyed);
    if (!keyed)
        return HS_ENOMEM;
    make_keys(pb, kind, keyed);
    sorted = hsi_sort(keyed, keyed + pb->n, pb->n);
    other = sorted == keyed ? keyed + pb->n : keyed;
    settle(&exact, sorted, pb->n, (uint32_t *)(void *)other, order);
    free(keyed);
    return HS_OK;
}

hs_status hsi_order_by_time(const double *time, size_t n, uint32_t *order)
{
    hsi_keyed *keyed, *sorted;
    size_t     i;

    if (n == 0)
        return HS_OK;
    keyed = malloc(2 * n * sizeof *keyed);
    if (!keyed)
        return HS_ENOMEM;
    for (i = 0; i < n; i++) {
        keyed[i].key = ~hsi_key_of_double(time[i]);
        keyed[i].index = (uint32_t)i;
    }
    sorted = hsi_sort(keyed, keyed + n, n);
    for (i = 0; i < n; i++)
        order[i] = sorted[i].index;
    free(keyed);
    return HS_OK;
}
