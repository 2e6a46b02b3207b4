/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bound `allocation`: the least T for which tasks can be assigned to types so that each type's
 * average load is at most T and no task takes longer than T. Every schedule is such an assignment.
 *
 * A bisection finds T. For one T, tasks longer than T on one type belong to the other type, and a
 * knapsack takes as much load off the CPUs as the GPUs can hold: weights are GPU times, profits are
 * CPU times. T is refuted if the CPUs keep more than their capacity. Weights are rounded down, the
 * capacity and profits up, so a refuted T is below every makespan. A T that is not refuted only
 * guides the bisection.
 *
 * Times are divided by a power of two near the deadline bound; below 2^-900 they count as 0.
 */
#include <math.h>

#include "bound/bound.h"
#include "bound/knapsack.h"
#include "core/time_limit.h"
#include "support/exact.h"

enum {
    MOST_ROWS = 100000,
    WEIGHT_BITS = 61, /* bits of the knapsack's capacity */
    PROFIT_BITS = 49, /* bits of the sum of all profits */
    FIRST_NODES = 1 << 10,
    MOST_NODES = 1 << 20, /* nodes of a knapsack, which cannot be interrupted: some milliseconds */
    NODE_GROWTH = 4
};

#define MOST_PROFIT 0x1p60 /* limit of profits and differences of profits */

static const double near_enough =
    1e-11; /* relative distance of refuted and accepted T at the end */

typedef struct bisection {
    const hsi_problem *rows;
    const hsi_stop    *stop;
    hsi_knapsack       knapsack;
    double            *time[2]; /* scaled times, by hs_type and row */
    uint32_t          *row;     /* row of each item in the knapsack */
    size_t             most_nodes;
    double             low;        /* proved lower bound, in scaled times */
    double             high;       /* T of the best assignment found, in scaled times */
    bool               unresolved; /* whether a knapsack stopped at its limit of nodes */
} bisection;

/* Return a lower bound of the load that GPUs must take off the CPUs, in units of 2^exponent. */
static int64_t needed_profit(const bisection *b, const hsi_sum *cpu_load, double target,
                             int exponent)
{
    hsi_sum need = *cpu_load;

    hsi_sum_add_product(&need, -(double)b->rows->m, target);
    if (!hsi_sum_surely_positive(&need))
        return 0;
    return (int64_t)fmin(ldexp(hsi_divide_down_by(&need, 1), -exponent), MOST_PROFIT);
}

/*
 * Set the items of the knapsack for the target. Return its capacity; -1 if no assignment meets the
 * target, because a task is too long on both types or the tasks that only GPUs run in time exceed
 * the GPUs' capacity. *needed is a lower bound on the profit of an assignment within the target,
 * *cpu_room the CPUs' capacity in units of profit.
 */
static int64_t set_knapsack_items(bisection *b, double target, int64_t *needed, double *cpu_room)
{
    const hsi_problem *rows = b->rows;
    hsi_knapsack      *ks = &b->knapsack;
    double             room = nextafter(rows->k * target, INFINITY), free_load = 0;
    int                weight_exponent, profit_exponent;
    hsi_sum            cpu_load = {0}, gpu_load = {0};
    size_t             n = 0;

    for (size_t i = 0; i < rows->n; i++) {
        double p = b->time[HS_CPU][i], q = b->time[HS_GPU][i], count = hsi_row_count(rows, i);

        if (p > target && q > target)
            return -1;
        if (p > target) {
            hsi_sum_add_product(&gpu_load, q, count);
            continue;
        }
        hsi_sum_add_product(&cpu_load, p, count);
        if (q > target)
            continue;
        free_load += p * count;
        b->row[n++] = (uint32_t)i;
    }
    hsi_sum_add_product(&gpu_load, -1, room);
    if (hsi_sum_surely_positive(&gpu_load))
        return -1;
    room = nextafter(fmax(0, -(gpu_load.high + gpu_load.low) + gpu_load.error), INFINITY);
    frexp(rows->k * target, &weight_exponent);
    frexp(free_load, &profit_exponent);
    weight_exponent -= WEIGHT_BITS;
    profit_exponent -= PROFIT_BITS;
    ks->n = n;
    for (size_t item = 0; item < n; item++) {
        ks->weight[item] = (int64_t)ldexp(b->time[HS_GPU][b->row[item]], -weight_exponent);
        ks->profit[item] = (int64_t)ceil(ldexp(b->time[HS_CPU][b->row[item]], -profit_exponent));
        ks->limit[item] = hsi_row_count(rows, b->row[item]);
    }
    *needed = needed_profit(b, &cpu_load, target, profit_exponent);
    *cpu_room = ldexp(rows->m * target, -profit_exponent);
    return (int64_t)ldexp(room, -weight_exponent);
}

/* Return the T of the knapsack's assignment, rounded arbitrarily. */
static double value_found(const bisection *b, double target)
{
    const hsi_problem *rows = b->rows;
    double             load[2] = {0, 0}, longest = 0;
    size_t             item = 0;

    for (size_t i = 0; i < rows->n; i++) {
        double   p = b->time[HS_CPU][i], q = b->time[HS_GPU][i];
        uint32_t on_gpu = p > target ? hsi_row_count(rows, i) : 0, on_cpu;

        if (item < b->knapsack.n && b->row[item] == i)
            on_gpu = b->knapsack.take[item++];
        on_cpu = hsi_row_count(rows, i) - on_gpu;
        load[HS_CPU] += on_cpu ? on_cpu * p : 0;
        load[HS_GPU] += on_gpu ? on_gpu * q : 0;
        longest = fmax(longest, fmax(on_cpu ? p : 0, on_gpu ? q : 0));
    }
    return fmax(longest, fmax(load[HS_CPU] / rows->m, load[HS_GPU] / rows->k));
}

/* Test a target: raise `low` to it if refuted, else lower `high` to the assignment found. Return
 * true if refuted. */
static bool refute_target(bisection *b, double target)
{
    int64_t needed, capacity;
    double  cpu_room, slack;

    capacity = set_knapsack_items(b, target, &needed, &cpu_room);
    if (capacity >= 0) {
        slack = fmin(near_enough / 4 * cpu_room, MOST_PROFIT);
        hsi_knapsack_solve(&b->knapsack, capacity, (int64_t)slack, b->most_nodes);
        b->high = fmin(b->high, value_found(b, target));
    }
    if (capacity < 0 || b->knapsack.bound < needed) {
        b->low = target;
        return true;
    }
    b->unresolved |= b->knapsack.nodes > b->most_nodes;
    return false;
}

/* Bisect until the bounds meet, with more nodes each time; return true if they met before the time
 * limit. */
static bool bisect_target(bisection *b, double gap)
{
    double allowed = fmax(near_enough, gap);

    for (; b->most_nodes <= MOST_NODES; b->most_nodes *= NODE_GROWTH) {
        double high = b->high; /* least target not refuted with this number of nodes */

        b->unresolved = false;
        while (high - b->low > allowed * b->low) {
            double target = b->low + (high - b->low) / 2;

            if (hsi_stop_is_due(b->stop))
                return false;
            if (!refute_target(b, target))
                high = target;
            high = fmin(high, b->high);
        }
        if (!b->unresolved)
            return true;
    }
    return false;
}

static hs_status open_bisection(bisection *b, int exponent)
{
    const hsi_problem *rows = b->rows;
    const double      *time[2] = {rows->p, rows->q};
    hs_status          st = hsi_knapsack_open(&b->knapsack, rows->n);

    if (st != HS_OK)
        return st;
    b->row = hsi_arena_alloc(&b->knapsack.arena, rows->n, sizeof *b->row);
    for (int type = HS_CPU; type <= HS_GPU; type++) {
        b->time[type] = hsi_arena_alloc(&b->knapsack.arena, rows->n, sizeof *b->time[type]);
        for (size_t i = 0; b->time[type] && i < rows->n; i++) {
            double scaled = ldexp(time[type][i], -exponent);

            b->time[type][i] = scaled < 0x1p-900 ? 0 : scaled;
        }
    }
    return b->row && b->time[HS_CPU] && b->time[HS_GPU] ? HS_OK : HS_ENOMEM;
}

static hs_status compute(const hsi_problem *rows, const hs_settings *settings, double *value,
                         hs_bound_report *report)
{
    hsi_stop  stop = hsi_stop_after(settings, HSI_BOUND_SECONDS);
    bisection b = {.rows = rows, .stop = &stop, .most_nodes = FIRST_NODES};
    hs_status st = hsi_bound_compute_for_rows(&hsi_bound_deadline, rows, settings, value, NULL);
    int       exponent;

    if (st != HS_OK || rows->n == 0 || rows->m == 0 || rows->k == 0)
        return st; /* with one type, the bound deadline is exact */
    if (rows->n > MOST_ROWS)
        return HS_ETOOBIG;
    b.low = frexp(*value, &exponent);
    b.high = 2 * b.low * (1 + near_enough); /* the solution of the deadline bound cuts at most
                                               one task */
    st = open_bisection(&b, exponent);
    if (st == HS_OK) {
        report->limit_reached = !bisect_target(&b, settings->gap);
        *value = ldexp(b.low, exponent);
        st = hsi_cancelled(settings) ? HS_ECANCELED : HS_OK;
    }
    hsi_knapsack_close(&b.knapsack);
    return st;
}

/* Prove the value again; a known value takes fewer nodes. The proof has the full time limit once
 * more. */
static hs_status certify(const hs_bound *bound, const hsi_problem *rows,
                         const hs_settings *settings, hs_certificate *c)
{
    double    value;
    hs_status st = hsi_bound_compute_for_rows(bound, rows, settings, &value, NULL);
    hsi_stop  stop = hsi_stop_after(settings, HSI_BOUND_SECONDS);

    return st == HS_OK ? hsi_certify_by_cases(rows, value, false, &stop, c) : st;
}

const hs_bound hsi_bound_allocation = {
    .name = "allocation",
    .summary = "tasks are not divided, but only the total load of each type counts",
    .source = "dominates deadline; exact without a time limit",
    .cost = "exponential, at most the time limit; up to 100,000 rows",
    .compute = compute,
    .certify = certify,
};
