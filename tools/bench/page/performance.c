/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hsched-bench: performance profiles (Dolan and More, Mathematical Programming 91, 2002): the share of
 * instances on which the value of an algorithm is at most x times the least value of all algorithms.
 */
#include <math.h>
#include <stdlib.h>

#include "bench/page/page.h"
#include "common/checked_memory.h"

/* A step has two points; two steps in a row advance by 1 / STEPS of the axis. */
enum { STEPS = 500, POINTS = 4 * STEPS + 8, MARKS = 5 };

#define EQUAL (1 + 1e-9) /* values up to this factor are equal */

/* The ratios to the least value: algorithm `a` in instance i at a * instances + i. */
typedef struct ratios {
    double *of;
    size_t  instances;
    double  largest; /* largest finite ratio */
} ratios;

/* Return the ratio of a value to the least one; infinite without a value. */
static double ratio_to(double value, double least)
{
    if (isnan(value))
        return INFINITY;
    return value <= least * EQUAL ? 1 : value / least;
}

/* Add an instance if any algorithm has a value in it. */
static void add_instance(ratios *r, size_t capacity, const double *value, size_t algorithms)
{
    double least = INFINITY;

    for (size_t a = 0; a < algorithms; a++)
        least = fmin(least, value[a]);
    if (isinf(least))
        return;
    for (size_t a = 0; a < algorithms; a++) {
        double ratio = ratio_to(value[a], least);

        r->of[a * capacity + r->instances] = ratio;
        if (isfinite(ratio))
            r->largest = fmax(r->largest, ratio);
    }
    r->instances++;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Return the number of sorted ratios up to `most`. */
static size_t count_up_to(const double *sorted, size_t count, double most)
{
    size_t up_to = 0;

    while (up_to < count && sorted[up_to] <= most)
        up_to++;
    return up_to;
}

/* The horizontal axis of a profile, from 1 to `end`. */
typedef struct profile_axis {
    double end;
    bool   log;
} profile_axis;

/* Return the place of a ratio on the axis, from 0 to 1. */
static double place_of(const profile_axis *axis, double ratio)
{
    return axis->log ? log(ratio) / log(axis->end) : (ratio - 1) / (axis->end - 1);
}

/* Fill a curve of steps, and the marks on it. Steps that are too close to be seen become one. */
static void fill_curve(const double *sorted, size_t count, const profile_axis *axis, plot_series *s,
                       double *x, double *y)
{
    double *mark_x = x + POINTS, *mark_y = y + POINTS;
    size_t  points = 0, last = count_up_to(sorted, count, 1);
    double  share = (double)last / (double)count;

    x[points] = 1;
    y[points++] = share;
    for (size_t i = last; i < count && isfinite(sorted[i]); i++) {
        if (i + 1 < count && place_of(axis, sorted[i + 1]) <
                                 place_of(axis, x[points - 1]) + 1.0 / STEPS)
            continue;
        x[points] = x[points + 1] = sorted[i];
        y[points] = share;
        share = (double)count_up_to(sorted, count, sorted[i]) / (double)count;
        y[points + 1] = share;
        points += 2;
    }
    x[points] = axis->end;
    y[points++] = share;
    for (int i = 0; i < MARKS; i++) {
        double part = (i + 0.5) / MARKS;

        mark_x[i] = axis->log ? pow(axis->end, part) : 1 + part * (axis->end - 1);
        mark_y[i] = (double)count_up_to(sorted, count, mark_x[i]) / (double)count;
    }
    *s = (plot_series){.count = MARKS, .x = mark_x, .y = mark_y, .dots = true,
                       .curve_count = points, .curve_x = x, .curve_y = y};
}

/* Return the value of an algorithm in case i; NaN if it found no schedule. */
static double value_of(const bench_page *p, size_t i, size_t a, bench_measure measure)
{
    const bench_row *row = &p->rows->row[i * p->rows->algorithms + a];

    if (!row->recipe || (isnan(row->makespan) && measure != BENCH_ERROR))
        return NAN;
    return bench_value(row, measure);
}

/* Compute the ratios of the instances that a plot shows. */
static ratios compute_ratios(const bench_page *p, const bench_plot *plot,
                             const bench_family *family)
{
    size_t  cases = p->rows->cases, algorithms = p->c->algorithm_count;
    ratios  r = {.of = checked_calloc(cases * algorithms + 1, sizeof(double)), .largest = 1};
    double *value = checked_calloc(algorithms + 1, sizeof *value);

    for (size_t i = 0; i < cases; i++) {
        if (family ? p->cases[i].family != family : !bench_plot_shows(plot, p->cases[i].family))
            continue;
        for (size_t a = 0; a < algorithms; a++)
            value[a] = value_of(p, i, a, plot->measure);
        add_instance(&r, cases, value, algorithms);
    }
    free(value);
    return r;
}

hs_status bench_page_performance(const bench_page *p, const bench_plot *plot,
                                 const bench_family *family, const char *title)
{
    size_t       algorithms = p->c->algorithm_count, room = POINTS + MARKS, drawn = 0;
    ratios       r = compute_ratios(p, plot, family);
    double      *x = checked_calloc(algorithms * room + 1, sizeof *x);
    double      *y = checked_calloc(algorithms * room + 1, sizeof *y);
    plot_series *series = checked_calloc(algorithms + 1, sizeof *series);
    profile_axis axis = {.end = fmax(1.01, r.largest), .log = plot->log_x};
    plot_spec    spec = {.kind = PLOT_LINES, .title = title, .log_x = plot->log_x};
    char         x_name[128];
    hs_status    status;

    for (size_t a = 0; a < algorithms && r.instances > 0; a++) {
        double *own = &r.of[a * p->rows->cases];

        qsort(own, r.instances, sizeof *own, by_value);
        fill_curve(own, r.instances, &axis, &series[a], &x[a * room], &y[a * room]);
        drawn = a + 1;
    }
    for (size_t a = 0; a < algorithms; a++)
        series[a].name = p->c->algorithms[a].name;
    snprintf(x_name, sizeof x_name, "%s / least of all algorithms",
             bench_measure_name(plot->measure));
    spec.x_name = x_name;
    spec.y_name = "share of instances";
    spec.x_range[0] = 1;
    spec.x_range[1] = axis.end;
    spec.y_range[1] = 1;
    spec.count = drawn;
    spec.series = series;
    status = bench_page_put(p, plot, &spec);
    free(series);
    free(x);
    free(y);
    free(r.of);
    return status;
}
