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

#include "core/settings.h"
#include "bound/bound.h"
#include "bound/divisible.h"
#include "support/sort.h"

/*
 * The finite times above a bound that no smaller time of a task exceeds: one a row at most,
 * the longer one.
 */
typedef struct breakpoints {
    const hsi_divisible *d;
    uint32_t            *place; /* of the row, by increasing time */
    size_t               size;
} breakpoints;

static double longer_time(const hsi_divisible *d, uint32_t place)
{
    return d->p[place] > d->q[place] ? d->p[place] : d->q[place];
}

static uint64_t key(const void *context, uint32_t place)
{
    return hsi_key_of_double(longer_time(context, place));
}

static int before(const void *context, uint32_t a, uint32_t b)
{
    uint64_t key_a = key(context, a), key_b = key(context, b);

    return key_a < key_b || (key_a == key_b && a < b);
}

static double time_at(const breakpoints *bp, size_t i)
{
    return longer_time(bp->d, bp->place[i]);
}

static size_t count_above(const hsi_divisible *d, double from)
{
    size_t   count = 0;
    uint32_t i;

    for (i = 0; i < d->rows->n; i++)
        count += longer_time(d, i) > from && longer_time(d, i) <= DBL_MAX;
    return count;
}

static hs_status collect(hsi_divisible *d, double from, breakpoints *bp)
{
    const hsi_index_order how = {key, before, d};
    size_t                count = count_above(d, from);
    uint64_t             *keys, *scratch;
    uint32_t              i;

    bp->d = d;
    bp->place = hsi_arena_take(&d->arena, count, sizeof *bp->place);
    keys = hsi_arena_take(&d->arena, count, sizeof *keys);
    scratch = hsi_arena_take(&d->arena, count, sizeof *scratch);
    if (!bp->place || !keys || !scratch)
        return HS_ENOMEM;
    for (i = 0; i < d->rows->n; i++) {
        double time = longer_time(d, i);

        if (!(time > from && time <= DBL_MAX))
            continue;
        keys[bp->size] = hsi_key_of_double(time);
        bp->place[bp->size++] = i;
    }
    hsi_sort_by_keys(keys, scratch, count, &how, bp->place, bp->place);
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

static hs_status find_least(hsi_divisible *d, const hs_settings *settings, double *value)
{
    breakpoints bp = {NULL, NULL, 0};
    double      from = fmax(hsi_divisible_bound(d, DBL_MAX), hsi_min_time(d->rows));
    hs_status   st = collect(d, from, &bp);

    if (st == HS_OK && bp.size)
        return search(d, &bp, settings, from, value);
    if (st == HS_OK)
        *value = from;
    return st;
}

static hs_status compute(const hsi_problem *rows, const hs_settings *settings, double *value)
{
    hsi_divisible d;
    hs_status     st = hsi_divisible_open(&d, rows);

    if (st == HS_OK)
        st = find_least(&d, settings, value);
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
