/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bound `deadline`: the smallest T at which the area LP is feasible when no task may run on a
 * type where its span exceeds T. The span is the task's time; on a graph, with the longest paths to
 * the task and from it.
 *
 * The set of forced tasks changes only where T passes a span. Between two such spans, T in [a, b),
 * the LP has one value V, and T is feasible iff T >= V. Every T above a feasible T is feasible, so
 * bisection finds the first interval with V < b, and the bound is max(a, V) there. The bound is
 * safe: V is rounded down, so V >= b proves that the whole interval is infeasible, and a is a span,
 * rounded down, or another safe bound.
 */
#include <float.h>
#include <math.h>

#include "core/settings.h"
#include "bound/bound.h"
#include "bound/divisible.h"
#include "support/sort.h"

/* The finite spans above a bound, at most one for each row: the longer of its two spans. */
typedef struct breakpoints {
    const hsi_divisible *d;
    uint32_t            *place; /* rows by increasing span */
    size_t               size;
} breakpoints;

static double longer_span(const hsi_divisible *d, uint32_t place)
{
    double cpu = d->cpu_span[place], gpu = d->gpu_span[place];

    return cpu > gpu ? cpu : gpu;
}

static int has_shorter_span(const void *context, uint32_t a, uint32_t b)
{
    double span_a = longer_span(context, a), span_b = longer_span(context, b);

    return span_a < span_b || (span_a == span_b && a < b);
}

static double span_at(const breakpoints *bp, size_t i)
{
    return longer_span(bp->d, bp->place[i]);
}

static size_t count_above(const hsi_divisible *d, double from)
{
    size_t   count = 0;
    uint32_t i;

    for (i = 0; i < d->rows->n; i++)
        count += longer_span(d, i) > from && longer_span(d, i) <= DBL_MAX;
    return count;
}

static hs_status collect_breakpoints(hsi_divisible *d, double from, breakpoints *bp)
{
    const hsi_index_order how = {has_shorter_span, d, d->rows->token};
    size_t                count = count_above(d, from);
    uint64_t             *keys, *scratch;
    uint32_t              i;

    bp->d = d;
    bp->place = hsi_arena_alloc(&d->arena, count, sizeof *bp->place);
    keys = hsi_arena_alloc(&d->arena, count, sizeof *keys);
    scratch = hsi_arena_alloc(&d->arena, count, sizeof *scratch);
    if (!bp->place || !keys || !scratch)
        return HS_ENOMEM;
    for (i = 0; i < d->rows->n; i++) {
        double span = longer_span(d, i);

        hsi_poll_at_iteration(d->rows->token, i);
        if (!(span > from && span <= DBL_MAX))
            continue;
        keys[bp->size] = hsi_key_of_double(span);
        bp->place[bp->size++] = i;
    }
    return hsi_sort_by_keys(keys, scratch, count, &how, bp->place, bp->place) ? HS_ECANCELED
                                                                              : HS_OK;
}

/* Find the first interval with a feasible T; interval 0 is [from, first breakpoint). */
static hs_status find_first_feasible(hsi_divisible *d, const breakpoints *bp, double from,
                                     double *value)
{
    size_t low = 0, high = bp->size; /* the last interval has no end, and is feasible */

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        double begin = middle ? span_at(bp, middle - 1) : from;

        if (hsi_poll(d->rows->token))
            return HS_ECANCELED;
        if (hsi_divisible_bound(d, begin) < span_at(bp, middle))
            high = middle;
        else
            low = middle + 1;
    }
    if (low)
        from = span_at(bp, low - 1);
    *value = fmax(from, hsi_divisible_bound(d, from));
    return HS_OK;
}

static hs_status find_least(hsi_divisible *d, double *value)
{
    breakpoints bp = {NULL, NULL, 0};
    double      from = fmax(hsi_divisible_bound(d, DBL_MAX), hsi_divisible_longest_min_span(d));
    hs_status   st = collect_breakpoints(d, from, &bp);

    if (st == HS_OK && bp.size)
        return find_first_feasible(d, &bp, from, value);
    if (st == HS_OK)
        *value = from;
    return st;
}

static hs_status compute(const hsi_problem *rows, const hs_settings *settings, double *value,
                         hs_bound_report *report)
{
    hsi_divisible d;
    hs_status     st = hsi_divisible_open(&d, rows);

    (void)settings;
    (void)report;
    if (st == HS_OK)
        st = find_least(&d, value);
    hsi_divisible_close(&d);
    return st;
}

const hs_bound hsi_bound_deadline = {
    .name = "deadline",
    .summary = "as theorem2, but no task runs on a type where it would end after the bound",
    .source = "theorem2 and min-time combined, on graphs critical-path too; dominates them",
    .cost = "O(n log n), and the dependencies of a graph",
    .graph = true,
    .supports_available = true,
    .compute = compute,
    .certify = hsi_certify_divisible,
};
