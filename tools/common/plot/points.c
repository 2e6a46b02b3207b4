/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scatter plots: a mark at each point, and the diagonal where x equals y. Points of a series that
 * fall on one pixel are drawn once, so that the size of the plot does not grow with their number.
 */
#include <math.h>
#include <stdlib.h>

#include "common/checked_memory.h"
#include "common/plot/drawing.h"

void plot_points_layout(plot_drawing *p)
{
    plot_axis both = {.log = p->plot.log_x};

    p->top += p->plot.y_name ? 22 : 6;
    plot_axis_cover_values(&both, &p->plot, true);
    p->plot.y_range[0] = both.from;
    p->plot.y_range[1] = both.to;
    plot_axis_cover_values(&both, &p->plot, false);
    if (both.log) { /* room between the marks and the frame */
        both.from /= 1.1;
        both.to *= 1.1;
    }
    p->plot.x_range[0] = p->plot.y_range[0] = both.from;
    p->plot.x_range[1] = p->plot.y_range[1] = both.to;
    p->x = (plot_axis){.log = p->plot.log_x, .start = 52, .end = p->width - 16, .room = 40};
    p->y = (plot_axis){.log = p->plot.log_x,
                       .start = p->top + p->x.end - p->x.start,
                       .end = p->top,
                       .room = 30};
    plot_axis_cover_values(&p->x, &p->plot, true);
    plot_axis_cover_values(&p->y, &p->plot, false);
    p->height = p->y.start + 50 + plot_legend_height(p);
}

static void begin_marks(plot_drawing *p, size_t series)
{
    const plot_series *s = &p->plot.series[series];

    svg_format(p->out, "<path class=\"pt%s s%u\" d=\"", s->square ? " sq" : "",
               (unsigned)(s->colour % PLOT_COLOURS));
}

/* Draw a mark as a line without length, whose ends are round or square. */
static void draw_mark(plot_drawing *p, double x, double y)
{
    svg_format(p->out, "M%f %fh0", x, y);
}

static void draw_series(plot_drawing *p, size_t series)
{
    const plot_series *s = &p->plot.series[series];
    size_t             columns = (size_t)p->width + 1, rows = (size_t)p->height + 1;
    unsigned char     *is_drawn = checked_calloc(columns, rows);

    begin_marks(p, series);
    for (size_t i = 0; i < s->count; i++) {
        double x = round(plot_coordinate(&p->x, s->x[i])),
               y = round(plot_coordinate(&p->y, s->y[i]));
        size_t pixel = (size_t)y * columns + (size_t)x;

        if (!is_drawn[pixel])
            draw_mark(p, x, y);
        is_drawn[pixel] = 1;
    }
    fputs("\"/>\n", p->out);
    free(is_drawn);
}

static void draw_sample(plot_drawing *p, size_t series, double x, double y)
{
    begin_marks(p, series);
    draw_mark(p, x + 14, y);
    fputs("\"/>\n", p->out);
}

void plot_points_draw(plot_drawing *p)
{
    if (p->plot.y_name)
        plot_text(p, "k", 8, p->top - 11, p->plot.y_name);
    plot_y_axis(p, p->x.start, p->x.end);
    plot_x_axis(p, p->y.start, p->plot.x_name);
    for (size_t i = 0; i < p->plot.count; i++)
        if (p->plot.series[i].count > 0)
            draw_series(p, i);
    svg_line(p->out, "u", p->x.start, p->y.start, p->x.end, p->y.end);
    plot_legend(p, p->y.start + 52, draw_sample);
}
