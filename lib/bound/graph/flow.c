/* SPDX-License-Identifier: BSD-3-Clause */
#include "bound/graph/flow.h"

#include <math.h>
#include <stdlib.h>

#include "support/exact.h"
#include "support/ratio.h"

#define GRID 0x1p44 /* the multipliers are multiples of its inverse: 2^9 of 1 sum up exactly */

void hsi_flow_close(hsi_flow *flow)
{
    hsi_vector_free(&flow->tasks);
    hsi_vector_free(&flow->ends);
    hsi_vector_free(&flow->amounts);
}

hs_status hsi_flow_add(hsi_flow *flow, const uint32_t *tasks, size_t count)
{
    const double nothing = 0;
    size_t       end = flow->tasks.size / sizeof *tasks + count;

    if (hsi_vector_reserve(&flow->ends, sizeof end) ||
        hsi_vector_reserve(&flow->amounts, sizeof nothing) ||
        hsi_vector_append(&flow->tasks, tasks, count * sizeof *tasks))
        return HS_ENOMEM;
    hsi_vector_append(&flow->ends, &end, sizeof end);
    hsi_vector_append(&flow->amounts, &nothing, sizeof nothing);
    return HS_OK;
}

size_t hsi_flow_ways(const hsi_flow *flow)
{
    return flow->ends.size / sizeof(size_t);
}

const uint32_t *hsi_flow_way(const hsi_flow *flow, size_t way, size_t *count)
{
    const size_t *end = flow->ends.data;
    size_t        begin = way ? end[way - 1] : 0;

    *count = end[way] - begin;
    return (const uint32_t *)flow->tasks.data + begin;
}

static double round_down(double multiplier)
{
    return floor(fmin(multiplier, 1) * GRID) / GRID;
}

/* Rounds everything; through[i]: what flows through task i. z. */
static double gather(hsi_flow *flow, double *through)
{
    double *amount = hsi_flow_amounts(flow), all = 0;

    flow->multiplier[HS_CPU] = round_down(flow->multiplier[HS_CPU]);
    flow->multiplier[HS_GPU] = round_down(flow->multiplier[HS_GPU]);
    for (size_t w = 0; w < hsi_flow_ways(flow); w++) {
        size_t          count;
        const uint32_t *task = hsi_flow_way(flow, w, &count);

        amount[w] = round_down(amount[w]);
        if (all + amount[w] > 64) /* never, by a solver that means well */
            amount[w] = 0;
        all += amount[w];
        for (size_t i = 0; amount[w] > 0 && i < count; i++)
            through[task[i]] += amount[w];
    }
    return all;
}

/* The lesser of a p and b q, either of which may be infinite; exactly compared. */
static void add_lesser(hsi_sum *sum, double a, double p, double b, double q)
{
    if (isinf(p))
        hsi_sum_add_product(sum, b, q);
    else if (isinf(q))
        hsi_sum_add_product(sum, a, p);
    else if (a > 0 && b > 0 && hsi_compare_products(a, p, b, q) > 0)
        hsi_sum_add_product(sum, b, q);
    else if (a > 0 && b > 0)
        hsi_sum_add_product(sum, a, p);
}

/* Multipliers may be scaled: so much that products with small times do not underflow. */
static int lift_of(const hsi_problem *pb)
{
    double all = 0;
    int    exponent;

    for (size_t i = 0; i < pb->n; i++)
        all += fmin(pb->p[i], pb->q[i]);
    frexp(all, &exponent);
    return exponent > 0 ? 0 : exponent < -900 ? 900 : -exponent;
}

hs_status hsi_flow_value(hsi_flow *flow, const hsi_problem *pb, double *value)
{
    double *through = calloc(pb->n + 1, sizeof *through), all, u, v;
    hsi_sum work = {0, 0, 0}, room = {0, 0, 0};
    int     lift = lift_of(pb);

    *value = 0;
    if (!through)
        return HS_ENOMEM;
    all = gather(flow, through);
    u = flow->multiplier[HS_CPU];
    v = flow->multiplier[HS_GPU];
    for (size_t i = 0; i < pb->n; i++)
        add_lesser(&work, ldexp(u + through[i], lift), pb->p[i], ldexp(v + through[i], lift),
                   pb->q[i]);
    hsi_sum_add_product(&room, pb->m, ldexp(u, lift));
    hsi_sum_add_product(&room, pb->k, ldexp(v, lift));
    hsi_sum_add(&room, ldexp(all, lift));
    if (room.high > 0)
        *value = hsi_divide_down(&work, &room);
    free(through);
    return HS_OK;
}
