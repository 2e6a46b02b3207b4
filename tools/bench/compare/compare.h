/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_BENCH_COMPARE_COMPARE_H
#define TOOLS_BENCH_COMPARE_COMPARE_H

#include "bench/bench.h"
#include "bench/compare/inference.h"

/*
 * The comparison of each algorithm with the baseline of the campaign, by the quotients of their
 * makespans on the same instance.
 */

/* A comparison over the instances of a group. */
typedef struct comparison {
    const char *algorithm;
    interval    mean;     /* geometric mean of makespan / bound */
    interval    quotient; /* geometric mean of makespan / makespan of the baseline */
    win_count   wins;     /* less: the algorithm is better */
    double      p, adjusted; /* Wilcoxon's signed-rank test, and with Holm's method; NaN: baseline */
} comparison;

/**
 * Compare all algorithms that have a result in the group. Return a row for each and their number; the
 * caller frees the rows.
 */
comparison *compare_group(const bench_campaign *c, const bench_case *cases, const bench_rows *rows,
                          const bench_group *group, size_t *count);

/** Return whether the row is that of the baseline itself. */
bool compare_is_baseline(const bench_campaign *c, const comparison *row);

/** Write the comparisons over all instances, and of each group, as text. */
void compare_text(const bench_campaign *c, const bench_case *cases, const bench_rows *rows,
                  FILE *out);

/** Write the same as CSV, with the label of the group in each row. */
void compare_csv(const bench_campaign *c, const bench_case *cases, const bench_rows *rows,
                 FILE *out);

/** Write the comparison as two LaTeX tables for the package booktabs: over all instances, by group.
 */
void compare_latex(const bench_campaign *c, const bench_case *cases, const bench_rows *rows,
                   FILE *out);

#endif
