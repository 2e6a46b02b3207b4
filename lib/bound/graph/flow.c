/* SPDX-License-Identifier: BSD-3-Clause */
#include "bound/graph/flow.h"

#include <math.h>
#include <stdlib.h>

#include "support/exact.h"
#include "support/ratio.h"

#define GRID 0x1p44 /* multipliers are multiples of 1 / GRID, so 2^9 values of at most 1 add up
                       exactly */

void hsi_flow_close(hsi_flow *flow)
{
    hsi_vector_free(&flow->tasks);
    hsi_vector_free(&flow->ends);
    hsi_vector_free(&flow->amounts);
}

hs_status hsi_flow_add_path(hsi_flow *flow, const uint32_t *tasks, size_t count)
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

size_t hsi_flow_paths(const hsi_flow *flow)
{
    return flow->ends.size / sizeof(size_t);
}

const uint32_t *hsi_flow_path(const hsi_flow *flow, size_t path, size_t *count)
{
    const size_t *end = flow->ends.data;
    size_t        begin = path ? end[path - 1] : 0;

    *count = end[path] - begin;
    return (const uint32_t *)flow->tasks.data + begin;
}

static double round_down(double multiplier)
{
    return floor(fmin(multiplier, 1) * GRID) / GRID;
}

/* The flow through a task: on paths with the task itself, and on paths that jump over it, by
 * type. */
typedef struct through {
    double itself, over[2];
} through;

static void add_path(const hsi_flow *flow, size_t path, hsi_counted *counted, through *f)
{
    double          amount = ((const double *)flow->amounts.data)[path];
    size_t          count;
    const uint32_t *step = hsi_flow_path(flow, path, &count);

    count = hsi_path_expand_jumps(flow->between, step, count, counted);
    for (size_t i = 0; i < count; i++) {
        through *at = &f[counted[i].task];

        if (counted[i].over)
            at->over[counted[i].over == HSI_OVER_GPUS] += amount;
        else
            at->itself += amount;
    }
}

/* Round all multipliers and amounts down, and add up the flow through each task. Return z. */
static double sum_flows(hsi_flow *flow, hsi_counted *counted, through *f)
{
    double *amount = hsi_flow_amounts(flow), all = 0;

    flow->multiplier[HS_CPU] = round_down(flow->multiplier[HS_CPU]);
    flow->multiplier[HS_GPU] = round_down(flow->multiplier[HS_GPU]);
    for (size_t w = 0; w < hsi_flow_paths(flow); w++) {
        amount[w] = round_down(amount[w]);
        if (all + amount[w] > 64) /* a flow outside of [0, 1] can only come from a faulty solver */
            amount[w] = 0;
        all += amount[w];
        if (amount[w] > 0)
            add_path(flow, w, counted, f);
    }
    return all;
}

/* Return the sum of a task's multipliers on a type, rounded down. */
static double multiplier_of(const hsi_flow *flow, const through *f, hs_type type, unsigned workers)
{
    double sum = flow->multiplier[type] + f->itself;

    if (!(f->over[type] > 0))
        return sum;
    return hsi_add_down(sum, nextafter(f->over[type] / workers, 0));
}

/* Add the lesser of a p and b q, either of which may be infinite, after an exact comparison. */
static void add_lesser_product(hsi_sum *sum, double a, double p, double b, double q)
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

/* Return an exponent that scales multipliers so that products with small times do not underflow. */
static int lift_of(const hsi_problem *pb)
{
    double all = 0;
    int    exponent;

    for (size_t i = 0; i < pb->n; i++)
        all += fmin(pb->p[i], pb->q[i]);
    frexp(all, &exponent);
    return exponent > 0 ? 0 : exponent < -900 ? 900 : -exponent;
}

hs_status hsi_flow_proved_bound(hsi_flow *flow, const hsi_problem *pb, double *value)
{
    through     *f = calloc(pb->n + 1, sizeof *f);
    hsi_counted *counted = malloc((pb->n + 1) * sizeof *counted);
    hsi_sum      work = {0, 0, 0}, room = {0, 0, 0};
    int          lift = lift_of(pb);
    hs_status    st = f && counted ? HS_OK : HS_ENOMEM;
    double       all = st == HS_OK ? sum_flows(flow, counted, f) : 0;

    *value = 0;
    for (size_t i = 0; st == HS_OK && i < pb->n; i++)
        add_lesser_product(&work, ldexp(multiplier_of(flow, &f[i], HS_CPU, pb->m), lift), pb->p[i],
                           ldexp(multiplier_of(flow, &f[i], HS_GPU, pb->k), lift), pb->q[i]);
    hsi_sum_add_product(&room, pb->m, ldexp(flow->multiplier[HS_CPU], lift));
    hsi_sum_add_product(&room, pb->k, ldexp(flow->multiplier[HS_GPU], lift));
    hsi_sum_add(&room, ldexp(all, lift));
    if (st == HS_OK && room.high > 0)
        *value = hsi_divide_down(&work, &room);
    free(f);
    free(counted);
    return st;
}
