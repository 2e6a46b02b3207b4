/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-bench: values of rows, and their summary. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "common/checked_memory.h"
#include "common/escape.h"

/*
 * Return the value of a measure for algorithm `a` in the case whose rows begin at `row`; NaN: no
 * value.
 */
static double value_of(const bench_rows *rows, const bench_row *row, size_t a,
                       bench_measure measure)
{
    const bench_row *last = &row[rows->algorithms - 1];

    if (!row[a].recipe)
        return NAN;
    if (measure == BENCH_SPEEDUP)
        return last->recipe && row[a].makespan > 0 ? last->makespan / row[a].makespan : NAN;
    return bench_value(&row[a], measure);
}

double *bench_values(const bench_case *cases, const bench_rows *rows, bench_measure measure,
                     const bench_family *family, double size, size_t a, size_t *count)
{
    bench_group group = {.family = family, .has_size = !isnan(size), .size = size};
    double     *value = checked_calloc(rows->cases + 1, sizeof *value);

    *count = 0;
    for (size_t i = 0; i < rows->cases; i++)
        if (bench_group_has(&group, &cases[i])) {
            value[*count] = value_of(rows, &rows->row[i * rows->algorithms], a, measure);
            *count += isfinite(value[*count]) != 0;
        }
    return value;
}

summary *bench_summary(const bench_campaign *c, const bench_case *cases, const bench_rows *rows,
                       bench_measure measure, const bench_group *group)
{
    const char **names = checked_calloc(c->algorithm_count, sizeof *names);
    double      *value = checked_calloc(c->algorithm_count, sizeof *value);
    summary     *s;

    for (size_t a = 0; a < c->algorithm_count; a++)
        names[a] = c->algorithms[a].name;
    s = summary_create(c->algorithm_count, names);
    for (size_t i = 0; i < rows->cases; i++) {
        if (!bench_group_has(group, &cases[i]))
            continue;
        for (size_t a = 0; a < c->algorithm_count; a++)
            value[a] = value_of(rows, &rows->row[i * rows->algorithms], a, measure);
        summary_add(s, value);
    }
    free(names);
    free(value);
    return s;
}

/* Write the rows of a group: an algorithm each, in the order of the campaign. */
static void put_group(const bench_campaign *c, const summary *s, const char *label, int width,
                       FILE *out)
{
    for (size_t a = 0; a < c->algorithm_count; a++) {
        summary_row row;

        summary_statistics(s, a, &row);
        if (row.count > 0)
            fprintf(out, "  %-*s %9zu %8.4f %8.4f  %s\n", width, row.name, row.count, row.median,
                    row.ninth, SHOWN(label));
    }
}

bool bench_has_errors(const bench_campaign *c)
{
    for (size_t i = 0; i < c->plot_count; i++)
        if (c->plots[i].measure == BENCH_ERROR)
            return true;
    return false;
}

void bench_groups_text(const bench_campaign *c, const bench_case *cases, const bench_rows *rows,
                       bench_measure measure, FILE *out)
{
    bench_groups groups = bench_groups_of(c);
    int          width = (int)strlen("algorithm");

    for (size_t a = 0; a < c->algorithm_count; a++)
        if ((int)strlen(c->algorithms[a].name) > width)
            width = (int)strlen(c->algorithms[a].name);
    fprintf(out, "\n%s of each kind of instances\n  %-*s %9s %8s %8s  %s\n",
            bench_measure_title(measure), width, "algorithm", "instances", "median", "q90", "kind");
    for (size_t i = 0; i < groups.count; i++) {
        summary *s = bench_summary(c, cases, rows, measure, &groups.of[i]);

        put_group(c, s, groups.of[i].label, width, out);
        summary_free(s);
    }
    bench_groups_free(&groups);
}
