/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/compare/compare.h"

#include <math.h>
#include <stdlib.h>

#include "common/checked_memory.h"

/* Return the makespan of algorithm `a` in a case; infinite without a schedule. */
static double makespan_of(const bench_rows *rows, size_t i, size_t a)
{
    const bench_row *row = &rows->row[i * rows->algorithms + a];

    return row->recipe && !isnan(row->makespan) ? row->makespan : INFINITY;
}

/* Return value / base, where equal values have the quotient 1. */
static double quotient_of(double value, double base)
{
    return value == base ? 1 : value / base;
}

/* The values of an algorithm in the instances of a group. */
typedef struct values {
    double *ratio, *quotient;
    size_t  ratios, quotients;
} values;

static void take_values(const bench_campaign *c, const bench_case *cases, const bench_rows *rows,
                        const bench_group *group, size_t a, values *of)
{
    of->ratios = of->quotients = 0;
    for (size_t i = 0; i < rows->cases; i++) {
        double own = makespan_of(rows, i, a), base = makespan_of(rows, i, c->baseline);

        if (!bench_group_has(group, &cases[i]))
            continue;
        if (isfinite(own))
            of->ratio[of->ratios++] =
                bench_value(&rows->row[i * rows->algorithms + a], BENCH_RATIO);
        if (isfinite(own) || isfinite(base))
            of->quotient[of->quotients++] = quotient_of(own, base);
    }
}

comparison *compare_group(const bench_campaign *c, const bench_case *cases, const bench_rows *rows,
                          const bench_group *group, size_t *count)
{
    comparison *made = checked_calloc(c->algorithm_count + 1, sizeof *made);
    double     *p = checked_calloc(c->algorithm_count + 1, sizeof *p);
    values      of = {.ratio = checked_calloc(rows->cases + 1, sizeof(double)),
                      .quotient = checked_calloc(rows->cases + 1, sizeof(double))};

    *count = 0;
    for (size_t a = 0; a < c->algorithm_count; a++) {
        take_values(c, cases, rows, group, a, &of);
        if (of.ratios == 0)
            continue;
        p[*count] = a == c->baseline ? NAN : wilcoxon_p(of.quotient, of.quotients);
        made[(*count)++] = (comparison){.algorithm = c->algorithms[a].name,
                                        .mean = geometric_interval(of.ratio, of.ratios),
                                        .quotient = geometric_interval(of.quotient, of.quotients),
                                        .wins = count_wins(of.quotient, of.quotients)};
    }
    for (size_t i = 0; i < *count; i++)
        made[i].p = p[i];
    holm_adjust(p, *count);
    for (size_t i = 0; i < *count; i++)
        made[i].adjusted = p[i];
    free(p);
    free(of.ratio);
    free(of.quotient);
    return made;
}

bool compare_is_baseline(const bench_campaign *c, const comparison *row)
{
    return row->algorithm == c->algorithms[c->baseline].name;
}
