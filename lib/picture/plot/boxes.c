/* SPDX-License-Identifier: BSD-3-Clause */
/* Box plots, a row per name; published values are below the box of the same name. */
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include <hybridsched/io.h>

#include "picture/plot/plot.h"

#define ROW 30.0
#define COLUMN 7.6 /* column width of 12-pixel text in wide fonts */
#define HIDDEN 0.3 /* pixels: a dot nearer to the last drawn dot is left out */
enum { NAME_MOST = 22 };

static int has_published(const hs_plot *plot)
{
    for (size_t i = 0; i < plot->count; i++)
        if (plot->series[i].published)
            return 1;
    return 0;
}

static int is_first_of_name(const hs_plot *plot, size_t series)
{
    for (size_t i = 0; i < series; i++)
        if (strcmp(plot->series[i].name, plot->series[series].name) == 0)
            return 0;
    return 1;
}

/* The row of a series: the number of names before the first series of its name. */
static size_t row_of(const hs_plot *plot, size_t series)
{
    size_t rows = 0;

    for (size_t i = 0; i < plot->count; i++) {
        if (strcmp(plot->series[i].name, plot->series[series].name) == 0)
            return rows;
        rows += (size_t)is_first_of_name(plot, i);
    }
    return rows;
}

static size_t row_count(const hs_plot *plot)
{
    size_t rows = 0;

    for (size_t i = 0; i < plot->count; i++)
        if (row_of(plot, i) >= rows)
            rows = row_of(plot, i) + 1;
    return rows;
}

static double name_width(const hs_plot *plot)
{
    unsigned columns = 4;

    for (size_t i = 0; i < plot->count; i++) {
        unsigned own = hsi_text_columns(plot->series[i].name, strlen(plot->series[i].name));

        if (own > columns)
            columns = own;
    }
    return COLUMN * (columns < NAME_MOST ? columns : NAME_MOST);
}

hs_status hsi_boxes_layout(hsi_plot *p)
{
    p->x = (hsi_plot_axis){
        .log = p->plot.log_y, .start = 14 + name_width(&p->plot), .end = p->width - 62, .room = 40};
    hsi_plot_axis_fit(&p->x, &p->plot, 0);
    p->top += 14;
    p->height = p->top + ROW * (double)row_count(&p->plot) + 40 + 18 * has_published(&p->plot) +
                18 * (p->plot.reference > 0);
    return HS_OK;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Draw the dots of sorted values; skip dots hidden by the dot before. */
static void draw_dots(hsi_plot *p, const double *value, size_t count, double y, const char *class)
{
    double last = -INFINITY;

    for (size_t i = 0; i < count; i++) {
        double x = hsi_plot_at(&p->x, value[i]);

        if (x < last + HIDDEN)
            continue;
        hsi_output_format(&p->out, "<circle class=\"%s\" cx=\"%f\" cy=\"%f\" r=\"2\"/>\n", class,
                          x, y);
        last = x;
    }
}

static void draw_box(hsi_plot *p, const double *value, size_t count, double y, const char *class)
{
    double low = hs_quantile(value, count, 0.25), high = hs_quantile(value, count, 0.75);
    double middle = hsi_plot_at(&p->x, hs_quantile(value, count, 0.5));
    double reach = 1.5 * (high - low), left = hsi_plot_at(&p->x, low);
    double right = hsi_plot_at(&p->x, high);
    size_t first = 0, last = count;

    while (value[first] < low - reach)
        first++;
    while (value[last - 1] > high + reach)
        last--;
    hsi_put_line(&p->out, class, hsi_plot_at(&p->x, value[first]), y,
                 hsi_plot_at(&p->x, value[last - 1]), y);
    hsi_put_rect(&p->out, class, left, y - 6, fmax(right - left, 1), 12);
    hsi_output_text(&p->out, "/>\n");
    hsi_put_line(&p->out, "v", middle, y - 7, middle, y + 7);
    draw_dots(p, value, first, y, class);
    draw_dots(p, value + last, count - last, y, class);
}

/* Draw a measured series, with its median as a number at the right. */
static hs_status draw_measured(hsi_plot *p, size_t series, double y)
{
    const hs_plot_series *s = &p->plot.series[series];
    double               *sorted = malloc((s->count ? s->count : 1) * sizeof *sorted);
    char class[16], text[32];

    if (!sorted)
        return HS_ENOMEM;
    if (s->count > 0) {
        memcpy(sorted, s->y, s->count * sizeof *sorted);
        qsort(sorted, s->count, sizeof *sorted, by_value);
        snprintf(class, sizeof class, "bx s%u", (unsigned)(series % HSI_PLOT_COLOURS));
        draw_box(p, sorted, s->count, y, class);
        hs_format_rounded(hs_quantile(sorted, s->count, 0.5), 5, text);
        hsi_plot_text(p, "k", p->x.end + 10, y + 4, text);
    }
    free(sorted);
    return HS_OK;
}

static void draw_published(hsi_plot *p, const hs_plot_series *s, double y)
{
    double low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < s->count; i++) {
        low = fmin(low, s->y[i]);
        high = fmax(high, s->y[i]);
    }
    low = hsi_plot_at(&p->x, low);
    high = hsi_plot_at(&p->x, high);
    hsi_put_line(&p->out, "d2", low, y, high, y);
    hsi_put_line(&p->out, "d1", low, y - 4, low, y + 4);
    hsi_put_line(&p->out, "d1", high, y - 4, high, y + 4);
}

static void draw_key(hsi_plot *p, double y)
{
    if (p->plot.reference > 0 && p->plot.reference_name) {
        hsi_put_line(&p->out, "u", 8, y - 4, 30, y - 4);
        hsi_plot_text(p, "k", 36, y, p->plot.reference_name);
        y += 18;
    }
    if (has_published(&p->plot)) {
        hsi_put_line(&p->out, "d2", 8, y - 4, 30, y - 4);
        hsi_plot_text(p, "k", 36, y, "published");
    }
}

hs_status hsi_boxes_draw(hsi_plot *p)
{
    double    bottom = p->top + ROW * (double)row_count(&p->plot);
    hs_status status = HS_OK;

    hsi_plot_text(p, "k", p->x.end + 10, p->top - 4, "median");
    hsi_plot_x_axis(p, bottom, p->plot.y_name);
    if (p->plot.reference > 0)
        hsi_put_line(&p->out, "u", hsi_plot_at(&p->x, p->plot.reference), p->top,
                     hsi_plot_at(&p->x, p->plot.reference), bottom);
    for (size_t i = 0; i < p->plot.count && status == HS_OK; i++) {
        const hs_plot_series *s = &p->plot.series[i];
        double                y = p->top + ROW * ((double)row_of(&p->plot, i) + 0.5) - 3;

        if (is_first_of_name(&p->plot, i)) {
            hsi_put_text_at(&p->out, "e", p->x.start - 8, y + 4);
            hsi_put_name(&p->out, s->name, NAME_MOST);
            hsi_output_text(&p->out, "</text>\n");
        }
        if (!s->published)
            status = draw_measured(p, i, y);
        else if (s->count > 0)
            draw_published(p, s, y + 12);
    }
    draw_key(p, bottom + 48);
    return status;
}
