/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-bench: the plots of the page, one per family, or one per family and size. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/page/page.h"
#include "common/checked_memory.h"
#include "common/page.h"

/* The series of a plot: measured series first, then published ones. */
typedef struct filled {
    plot_series *series;
    size_t          count;
    double        **kept; /* arrays of values to free after drawing */
    size_t          kept_count;
} filled;

static void begin(filled *f, const bench_campaign *c)
{
    size_t most = c->algorithm_count + c->published_count + 1;

    *f = (filled){.count = 0};
    f->series = checked_calloc(most, sizeof *f->series);
    f->kept = checked_calloc(4 * most, sizeof *f->kept);
}

static void end(filled *f)
{
    for (size_t i = 0; i < f->kept_count; i++)
        free(f->kept[i]);
    free(f->kept);
    free(f->series);
}

static double *keep(filled *f, double *value)
{
    return f->kept[f->kept_count++] = value;
}

/* Remove values that have no logarithm; return the number kept. */
static size_t drop_zeros(double *value, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (value[i] > 0)
            value[kept++] = value[i];
    return kept;
}

/* Return whether a plot shows a published result. */
static bool is_for(const bench_published *of, const bench_plot *plot, const bench_family *family,
                   double size)
{
    if (plot->measure != of->measure)
        return false;
    if (!isnan(of->size) && of->size != size)
        return false;
    return family ? of->label && strcmp(of->label, family->label) == 0 : !of->label;
}

static void add_published_ranges(filled *f, const bench_page *p, const bench_plot *plot,
                                 const bench_family *family, double size)
{
    for (size_t i = 0; i < p->c->published_count; i++) {
        const bench_published *of = &p->c->published[i];
        double                *range;

        if (!is_for(of, plot, family, size))
            continue;
        range = keep(f, checked_calloc(2, sizeof *range));
        range[0] = of->low;
        range[1] = of->high;
        f->series[f->count++] =
            (plot_series){.name = of->algorithm, .count = 2, .y = range, .published = true};
    }
}

static void widen(double range[2], double value)
{
    range[0] = fmin(range[0], value);
    range[1] = fmax(range[1], value);
}

/* Widen a range to all values of a family, at any size, and to its published values. */
static void widen_to_values(const bench_page *p, const bench_plot *plot, const bench_family *family,
                            double range[2])
{
    for (size_t a = 0; a < p->c->algorithm_count; a++) {
        size_t  count;
        double *value = bench_values(p->cases, p->rows, plot->measure, family, NAN, a, &count);

        if (plot->log_y)
            count = drop_zeros(value, count);
        for (size_t i = 0; i < count; i++)
            widen(range, value[i]);
        free(value);
    }
    for (size_t i = 0; i < p->c->published_count; i++)
        if (is_for(&p->c->published[i], plot, family, p->c->published[i].size)) {
            widen(range, p->c->published[i].low);
            widen(range, p->c->published[i].high);
        }
}

static void widen_to_sizes(const bench_page *p, const bench_plot *plot, const bench_family *family,
                           double range[2])
{
    size_t  sizes;
    double *size = bench_sizes(p->cases, p->rows->cases, family, &sizes);

    for (size_t i = 0; i < sizes; i++)
        if (!plot->log_x || size[i] > 0)
            widen(range, size[i]);
    free(size);
}

/* Widen a range to the horizontal axes of the panels of a plot. */
static void widen_to_plot(const bench_page *p, const bench_plot *plot, double range[2])
{
    if (plot->together)
        widen_to_values(p, plot, NULL, range);
    for (size_t i = 0; i < p->c->family_count && !plot->together; i++) {
        const bench_family *family = &p->c->families[i];

        if (!bench_plot_shows(plot, family))
            continue;
        if (plot->kind == PLOT_LINES)
            widen_to_sizes(p, plot, family, range);
        else
            widen_to_values(p, plot, family, range);
    }
}

/*
 * Compute the common range of the horizontal axes of all plots of one kind and measure: values for
 * boxes, sizes of the same families for lines.
 */
static void share_range(const bench_page *p, const bench_plot *plot, double range[2])
{
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (size_t i = 0; i < p->c->plot_count; i++) {
        const bench_plot *other = &p->c->plots[i];

        if (plot->kind == PLOT_LINES && strcmp(other->prefix, plot->prefix) != 0)
            continue; /* the sizes of these families may be others */
        if (!other->performance && other->measure == plot->measure && other->kind == plot->kind &&
            other->log_x == plot->log_x && other->log_y == plot->log_y)
            widen_to_plot(p, other, range);
    }
    if (!(range[0] < range[1]))
        range[0] = range[1] = 0;
}

static hs_status put_boxes(const bench_page *p, const bench_plot *plot, const bench_family *family,
                           double size, const char *title)
{
    plot_spec   drawn = {0};
    filled    f;
    hs_status status;

    begin(&f, p->c);
    for (size_t a = 0; a < p->c->algorithm_count; a++) {
        size_t  count;
        double *value =
            keep(&f, bench_values(p->cases, p->rows, plot->measure, family, size, a, &count));

        if (plot->log_y)
            count = drop_zeros(value, count);
        f.series[f.count++] =
            (plot_series){.name = p->c->algorithms[a].name, .count = count, .y = value};
    }
    add_published_ranges(&f, p, plot, family, size);
    drawn.kind = PLOT_BOXES;
    drawn.title = title;
    drawn.y_name = bench_measure_title(plot->measure);
    drawn.log_y = plot->log_y;
    share_range(p, plot, drawn.y_range);
    drawn.count = f.count;
    drawn.series = f.series;
    status = bench_page_put(p, plot, &drawn);
    end(&f);
    return status;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *value, size_t count)
{
    qsort(value, count, sizeof *value, by_value);
    return quantile(value, count, 0.5);
}

/* Add the medians of an algorithm over the sizes, with their quartiles. */
static void add_line(filled *f, const bench_page *p, const bench_plot *plot,
                     const bench_family *family, const double *size, size_t sizes, size_t a)
{
    double *x = keep(f, checked_calloc(sizes + 1, sizeof *x));
    double *y = keep(f, checked_calloc(sizes + 1, sizeof *y));
    double *low = keep(f, checked_calloc(sizes + 1, sizeof *low));
    double *high = keep(f, checked_calloc(sizes + 1, sizeof *high));
    size_t  points = 0;

    for (size_t i = 0; i < sizes; i++) {
        size_t  count;
        double *value = bench_values(p->cases, p->rows, plot->measure, family, size[i], a, &count);

        x[points] = size[i];
        y[points] = median(value, count);
        low[points] = quantile(value, count, 0.25);
        high[points] = quantile(value, count, 0.75);
        if (plot->log_y && !(low[points] > 0))
            low[points] = y[points];
        free(value);
        points += isfinite(y[points]) && (!plot->log_y || y[points] > 0) &&
                  (!plot->log_x || x[points] > 0);
    }
    f->series[f->count++] =
        (plot_series){.name = p->c->algorithms[a].name, .count = points, .x = x, .y = y,
                      .low = low, .high = high};
}

/*
 * Add published results: a result for all sizes is a horizontal line, a result for one size a
 * point.
 */
static void add_published_lines(filled *f, const bench_page *p, const bench_plot *plot,
                                const bench_family *family, const double *size, size_t sizes)
{
    for (size_t i = 0; i < p->c->published_count; i++) {
        const bench_published *of = &p->c->published[i];
        double                *x, *y;

        if (!is_for(of, plot, family, of->size) || sizes == 0)
            continue;
        x = keep(f, checked_calloc(2, sizeof *x));
        y = keep(f, checked_calloc(2, sizeof *y));
        x[0] = isnan(of->size) ? size[0] : of->size;
        x[1] = size[sizes - 1];
        y[0] = y[1] = of->high;
        f->series[f->count++] = (plot_series){.name = of->algorithm,
                                                 .count = isnan(of->size) ? 2 : 1,
                                                 .x = x,
                                                 .y = y,
                                                 .published = true};
    }
}

static hs_status put_lines(const bench_page *p, const bench_plot *plot, const bench_family *family)
{
    size_t    sizes;
    double   *size = bench_sizes(p->cases, p->rows->cases, family, &sizes);
    plot_spec   drawn = {0};
    filled    f;
    hs_status status;

    begin(&f, p->c);
    for (size_t a = 0; a < p->c->algorithm_count; a++)
        add_line(&f, p, plot, family, size, sizes, a);
    while (f.count > 0 && f.series[f.count - 1].count == 0)
        f.count--; /* keep empty lines before others: colours go by position */
    add_published_lines(&f, p, plot, family, size, sizes);
    drawn.kind = PLOT_LINES;
    drawn.title = family->label;
    drawn.x_name = p->c->axis;
    drawn.y_name = bench_measure_title(plot->measure);
    drawn.log_x = plot->log_x;
    share_range(p, plot, drawn.x_range);
    drawn.log_y = plot->log_y;
    drawn.count = f.count;
    drawn.series = f.series;
    status = bench_page_put(p, plot, &drawn);
    end(&f);
    free(size);
    return status;
}

/* Write a plot of boxes for each size. */
static hs_status put_sizes(const bench_page *p, const bench_plot *plot, const bench_family *family)
{
    size_t    sizes;
    double   *size = bench_sizes(p->cases, p->rows->cases, family, &sizes);
    char      title[256], number[32];
    hs_status status = HS_OK;

    for (size_t i = 0; i < sizes && status == HS_OK; i++) {
        snprintf(title, sizeof title, "%s", family->label);
        if (sizes > 1) {
            hs_format_rounded(size[i], 6, number);
            snprintf(title, sizeof title, "%s, %s %s", family->label, number, p->c->axis);
        }
        status = put_boxes(p, plot, family, size[i], title);
    }
    free(size);
    return status;
}

static hs_status put_kind(const bench_page *p, const bench_plot *plot)
{
    hs_status status = HS_OK;

    if (plot->together && plot->performance)
        return bench_page_performance(p, plot, NULL, "all instances");
    if (plot->together)
        return put_boxes(p, plot, NULL, NAN, "all instances");
    for (size_t i = 0; i < p->c->family_count && status == HS_OK; i++) {
        const bench_family *family = &p->c->families[i];

        if (!bench_plot_shows(plot, family))
            continue;
        if (plot->performance)
            status = bench_page_performance(p, plot, family, family->label);
        else
            status =
                plot->kind == PLOT_LINES ? put_lines(p, plot, family) : put_sizes(p, plot, family);
    }
    return status;
}

/* Return whether two plots belong under one heading. */
static bool is_like(const bench_plot *a, const bench_plot *b)
{
    return a->measure == b->measure && a->performance == b->performance;
}

static void put_heading(const bench_page *p, const bench_plot *plot)
{
    const char *title = bench_measure_title(plot->measure);

    if (plot->performance)
        fprintf(p->out, "<h2>Performance profile of %s</h2>\n",
                bench_measure_name(plot->measure));
    else
        fprintf(p->out, "<h2>%c%s</h2>\n", title[0] - 'a' + 'A', title + 1);
    fputs("<div class=\"plots\">\n", p->out);
}

/* Consecutive plots of one measure stand side by side. */
hs_status bench_page_plots(const bench_page *p)
{
    hs_status status = HS_OK;

    for (size_t i = 0; i < p->c->plot_count && status == HS_OK; i++) {
        const bench_plot *plot = &p->c->plots[i];

        if (!p->paper && (i == 0 || !is_like(plot, &plot[-1])))
            put_heading(p, plot);
        status = put_kind(p, plot);
        if (!p->paper && (i + 1 == p->c->plot_count || !is_like(plot, &plot[1])))
            fputs("</div>\n", p->out);
    }
    return status;
}
