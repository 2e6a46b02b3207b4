/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The smallest T at which the area LP is feasible when no task may run where it
 * takes longer than T.
 *
 * Which tasks are forced changes only where T passes a time of the instance.
 * Between two such times, T in [a, b), the LP has one value V, and T is feasible
 * iff T >= V. A T above a feasible one is feasible, so the first interval with
 * V < b is found by bisection, and the bound is max(a, V) there. Safe: V is
 * rounded down, so V >= b proves that all of an interval is infeasible; a is a
 * time of the instance, or a bound that is safe itself.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/settings.h"
#include "bound/bound.h"
#include "bound/divisible.h"
#include "support/sort.h"

typedef struct breakpoints {
    hsi_keyed *memory, *sorted;
    size_t     size;
} breakpoints;

static double time_at(const breakpoints *bp, size_t i)
{
    double time;

    memcpy(&time, &bp->sorted[i].key, sizeof time);
    return time;
}

/* The finite times above `from`, sorted. */
static hs_status collect(const hsi_problem *rows, double from, breakpoints *bp)
{
    size_t i, count = 0;

    for (i = 0; i < rows->n; i++)
        count += (rows->p[i] > from && rows->p[i] <= DBL_MAX) +
                 (rows->q[i] > from && rows->q[i] <= DBL_MAX);
    bp->memory = malloc((2 * count + 1) * sizeof *bp->memory);
    if (!bp->memory)
        return HS_ENOMEM;
    for (i = 0; i < rows->n; i++) {
        if (rows->p[i] > from && rows->p[i] <= DBL_MAX)
            bp->memory[bp->size++].key = hsi_key_of_double(rows->p[i]);
        if (rows->q[i] > from && rows->q[i] <= DBL_MAX)
            bp->memory[bp->size++].key = hsi_key_of_double(rows->q[i]);
    }
    bp->sorted = hsi_sort(bp->memory, bp->memory + count, count);
    return HS_OK;
}

/* First interval that holds a feasible T; interval 0 is [from, first breakpoint). */
static hs_status search(hsi_divisible *d, const breakpoints *bp, const hs_settings *settings,
                        double from, double *value)
{
    size_t low = 0, high = bp->size; /* the last interval, without end, is feasible */

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        double begin = middle ? time_at(bp, middle - 1) : from;

        if (hsi_canceled(settings))
            return HS_ECANCELED;
        if (hsi_divisible_bound(d, begin) < time_at(bp, middle))
            high = middle;
        else
            low = middle + 1;
    }
    if (low)
        from = time_at(bp, low - 1);
    *value = fmax(from, hsi_divisible_bound(d, from));
    return HS_OK;
}

static hs_status compute(const hsi_problem *rows, const hs_settings *settings, double *value)
{
    hsi_divisible d;
    breakpoints   bp = {NULL, NULL, 0};
    double        from;
    hs_status     st = hsi_divisible_open(&d, rows);

    if (st != HS_OK)
        return st;
    from = fmax(hsi_divisible_bound(&d, DBL_MAX), hsi_min_time(rows));
    st = collect(rows, from, &bp);
    if (st == HS_OK)
        st = bp.size ? search(&d, &bp, settings, from, value) : HS_OK;
    if (st == HS_OK && bp.size == 0)
        *value = from;
    free(bp.memory);
    hsi_divisible_close(&d);
    return st;
}

const hs_bound hsi_bound_deadline = {
    .name = "deadline",
    .summary = "tasks may be cut, but none runs where it would end too late",
    .source = "theorem2 and min-time combined; dominates both",
    .cost = "O(n log n)",
    .compute = compute,
    .certify = hsi_certify_divisible,
};
