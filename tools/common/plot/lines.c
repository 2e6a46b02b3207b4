/* SPDX-License-Identifier: BSD-3-Clause */
/* Line plots: a line per series with a mark at each point, and a legend below. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/plot/drawing.h"

#define PLOT_HEIGHT 210.0
void plot_lines_layout(plot_drawing *p)
{
    p->x = (plot_axis){.log = p->plot.log_x, .start = 52, .end = p->width - 16, .room = 40};
    p->top += p->plot.y_name ? 22 : 6;
    p->y =
        (plot_axis){.log = p->plot.log_y, .start = p->top + PLOT_HEIGHT, .end = p->top, .room = 30};
    plot_axis_cover_values(&p->x, &p->plot, true);
    plot_axis_cover_values(&p->y, &p->plot, false);
    p->height = p->top + PLOT_HEIGHT + 50 + plot_legend_height(p);
}

/*
 * Draw the mark of a series at (x, y): a circle, square, triangle or diamond, to distinguish lines
 * also without colours.
 */
static void draw_mark(plot_drawing *p, size_t series, double x, double y)
{
    static const char *const shape[] = {
        "M%f %fm-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z", "M%f %fm-3.2 -3.2h6.4v6.4h-6.4z",
        "M%f %fm0 -4.2l4.2 7.4h-8.4z", "M%f %fm0 -4.6l4.6 4.6l-4.6 4.6l-4.6 -4.6z"};
    char class[16];

    snprintf(class, sizeof class, "mk s%u", (unsigned)(series % PLOT_COLOURS));
    svg_format(p->out, "<path class=\"%s\" d=\"", class);
    svg_format(p->out, shape[(series + series / PLOT_COLOURS) % 4], x, y);
    fputs("\"/>\n", p->out);
}

/* Draw a line through points in the colour of a series. */
static void draw_path(plot_drawing *p, size_t series, size_t count, const double *x,
                      const double *y)
{
    if (count == 0)
        return;
    svg_format(p->out, "<path class=\"%s s%u\" d=\"",
               p->plot.series[series].published ? "ln pb" : "ln",
               (unsigned)(series % PLOT_COLOURS));
    for (size_t i = 0; i < count; i++)
        svg_format(p->out, "%c%f %f", i ? 'L' : 'M', plot_coordinate(&p->x, x[i]),
                   plot_coordinate(&p->y, y[i]));
    fputs("\"/>\n", p->out);
}

/* Draw a bar with short ends from low to high at each point where they differ. */
static void draw_bars(plot_drawing *p, size_t series)
{
    const plot_series *s = &p->plot.series[series];

    for (size_t i = 0; i < s->count; i++) {
        double x = plot_coordinate(&p->x, s->x[i]), low = plot_coordinate(&p->y, s->low[i]);
        double high = plot_coordinate(&p->y, s->high[i]);

        if (s->low[i] < s->high[i])
            svg_format(p->out, "<path class=\"br s%u\" d=\"M%f %fh6M%f %fV%fM%f %fh6\"/>\n",
                       (unsigned)(series % PLOT_COLOURS), x - 3, low, x, low, high, x - 3, high);
    }
}

static void draw_series(plot_drawing *p, size_t series)
{
    const plot_series *s = &p->plot.series[series];

    if (s->low && s->high)
        draw_bars(p, series);
    if (!s->dots)
        draw_path(p, series, s->count, s->x, s->y);
    draw_path(p, series, s->curve_count, s->curve_x, s->curve_y);
    for (size_t i = 0; i < s->count; i++)
        draw_mark(p, series, plot_coordinate(&p->x, s->x[i]), plot_coordinate(&p->y, s->y[i]));
}

static void draw_sample(plot_drawing *p, size_t series, double x, double y)
{
    const plot_series *s = &p->plot.series[series];

    if (!s->dots || s->curve_count > 0)
        svg_format(p->out, "<path class=\"%s s%u\" d=\"M%f %fh24\"/>\n",
                   s->published ? "ln pb" : "ln", (unsigned)(series % PLOT_COLOURS), x, y);
    draw_mark(p, series, x + 12, y);
}

void plot_lines_draw(plot_drawing *p)
{
    if (p->plot.y_name)
        plot_text(p, "k", 8, p->top - 11, p->plot.y_name);
    plot_y_axis(p, p->x.start, p->x.end);
    plot_x_axis(p, p->y.start, p->plot.x_name);
    if (p->plot.reference > 0)
        svg_line(p->out, "u", p->x.start, plot_coordinate(&p->y, p->plot.reference), p->x.end,
                 plot_coordinate(&p->y, p->plot.reference));
    for (size_t i = 0; i < p->plot.count; i++)
        draw_series(p, i);
    plot_legend(p, p->y.start + 52, draw_sample);
}
