/* SPDX-License-Identifier: BSD-3-Clause */
/* Box plots, a row per name; published values are below the box of the same name. */
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include <hybridsched/io.h>

#include "common/checked_memory.h"
#include "common/plot/drawing.h"

#define ROW 30.0
#define COLUMN 7.6 /* column width of 12-pixel text in wide fonts */
#define HIDDEN 0.3 /* pixels: least distance between two drawn dots */
enum { NAME_MOST = 22 };

static bool has_published(const plot_spec *plot)
{
    for (size_t i = 0; i < plot->count; i++)
        if (plot->series[i].published)
            return true;
    return false;
}

static bool is_first_of_name(const plot_spec *plot, size_t series)
{
    for (size_t i = 0; i < series; i++)
        if (strcmp(plot->series[i].name, plot->series[series].name) == 0)
            return false;
    return true;
}

/* The row of a series: the number of names before the first series of its name. */
static size_t row_of(const plot_spec *plot, size_t series)
{
    size_t rows = 0;

    for (size_t i = 0; i < plot->count; i++) {
        if (strcmp(plot->series[i].name, plot->series[series].name) == 0)
            return rows;
        rows += (size_t)is_first_of_name(plot, i);
    }
    return rows;
}

static size_t row_count(const plot_spec *plot)
{
    size_t rows = 0;

    for (size_t i = 0; i < plot->count; i++)
        if (row_of(plot, i) >= rows)
            rows = row_of(plot, i) + 1;
    return rows;
}

static double name_width(const plot_spec *plot)
{
    unsigned columns = 4;

    for (size_t i = 0; i < plot->count; i++) {
        unsigned own = svg_text_columns(plot->series[i].name);

        if (own > columns)
            columns = own;
    }
    return COLUMN * (columns < NAME_MOST ? columns : NAME_MOST);
}

void plot_boxes_layout(plot_drawing *p)
{
    p->x = (plot_axis){
        .log = p->plot.log_y, .start = 14 + name_width(&p->plot), .end = p->width - 62, .room = 40};
    plot_axis_cover_values(&p->x, &p->plot, false);
    p->top += 14;
    p->height = p->top + ROW * (double)row_count(&p->plot) + 40 + 18 * has_published(&p->plot) +
                18 * (p->plot.reference > 0);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Draw the dots of sorted values; skip dots hidden by the dot before. */
static void draw_dots(plot_drawing *p, const double *value, size_t count, double y,
                      const char *class)
{
    double last = -INFINITY;

    for (size_t i = 0; i < count; i++) {
        double x = plot_coordinate(&p->x, value[i]);

        if (x < last + HIDDEN)
            continue;
        svg_format(p->out, "<circle class=\"%s\" cx=\"%f\" cy=\"%f\" r=\"2\"/>\n", class, x, y);
        last = x;
    }
}

static void draw_box(plot_drawing *p, const double *value, size_t count, double y,
                     const char *class)
{
    double low = quantile(value, count, 0.25), high = quantile(value, count, 0.75);
    double middle = plot_coordinate(&p->x, quantile(value, count, 0.5));
    double reach = 1.5 * (high - low), left = plot_coordinate(&p->x, low);
    double right = plot_coordinate(&p->x, high);
    size_t first = 0, last = count;

    while (value[first] < low - reach)
        first++;
    while (value[last - 1] > high + reach)
        last--;
    svg_line(p->out, class, plot_coordinate(&p->x, value[first]), y,
             plot_coordinate(&p->x, value[last - 1]), y);
    svg_rect(p->out, class, left, y - 6, fmax(right - left, 1), 12);
    fputs("/>\n", p->out);
    svg_line(p->out, "v", middle, y - 7, middle, y + 7);
    draw_dots(p, value, first, y, class);
    draw_dots(p, value + last, count - last, y, class);
}

/* Draw a measured series, with its median as a number at the right. */
static void draw_measured(plot_drawing *p, size_t series, double y)
{
    const plot_series *s = &p->plot.series[series];
    double            *sorted;
    char               class[16], text[32];

    if (s->count == 0)
        return;
    sorted = checked_calloc(s->count, sizeof *sorted);
    memcpy(sorted, s->y, s->count * sizeof *sorted);
    qsort(sorted, s->count, sizeof *sorted, by_value);
    snprintf(class, sizeof class, "bx s%u", (unsigned)(series % PLOT_COLOURS));
    draw_box(p, sorted, s->count, y, class);
    hs_format_rounded(quantile(sorted, s->count, 0.5), 5, text);
    plot_text(p, "k", p->x.end + 10, y + 4, text);
    free(sorted);
}

static void draw_published(plot_drawing *p, const plot_series *s, double y)
{
    double low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < s->count; i++) {
        low = fmin(low, s->y[i]);
        high = fmax(high, s->y[i]);
    }
    low = plot_coordinate(&p->x, low);
    high = plot_coordinate(&p->x, high);
    svg_line(p->out, "d2", low, y, high, y);
    svg_line(p->out, "d1", low, y - 4, low, y + 4);
    svg_line(p->out, "d1", high, y - 4, high, y + 4);
}

static void draw_key(plot_drawing *p, double y)
{
    if (p->plot.reference > 0 && p->plot.reference_name) {
        svg_line(p->out, "u", 8, y - 4, 30, y - 4);
        plot_text(p, "k", 36, y, p->plot.reference_name);
        y += 18;
    }
    if (has_published(&p->plot)) {
        svg_line(p->out, "d2", 8, y - 4, 30, y - 4);
        plot_text(p, "k", 36, y, "published");
    }
}

void plot_boxes_draw(plot_drawing *p)
{
    double bottom = p->top + ROW * (double)row_count(&p->plot);

    plot_text(p, "k", p->x.end + 10, p->top - 4, "median");
    plot_x_axis(p, bottom, p->plot.y_name);
    if (p->plot.reference > 0)
        svg_line(p->out, "u", plot_coordinate(&p->x, p->plot.reference), p->top,
                 plot_coordinate(&p->x, p->plot.reference), bottom);
    for (size_t i = 0; i < p->plot.count; i++) {
        const plot_series *s = &p->plot.series[i];
        double             y = p->top + ROW * ((double)row_of(&p->plot, i) + 0.5) - 3;

        if (is_first_of_name(&p->plot, i)) {
            svg_text_begin(p->out, "e", p->x.start - 8, y + 4);
            svg_name(p->out, s->name, NAME_MOST);
            fputs("</text>\n", p->out);
        }
        if (!s->published)
            draw_measured(p, i, y);
        else if (s->count > 0)
            draw_published(p, s, y + 12);
    }
    draw_key(p, bottom + 48);
}
