/* SPDX-License-Identifier: BSD-3-Clause */
/* Area plots: each value lasts to the next point, drawn as filled steps; no legend. */
#include <stdbool.h>
#include <string.h>

#include "common/plot/drawing.h"

#define AREA_HEIGHT 130.0

void plot_areas_layout(plot_drawing *p)
{
    p->x = (plot_axis){.log = p->plot.log_x, .start = 52, .end = p->width - 16, .room = 40};
    p->top += p->plot.y_name ? 22 : 6;
    p->y =
        (plot_axis){.log = p->plot.log_y, .start = p->top + AREA_HEIGHT, .end = p->top, .room = 30};
    plot_axis_cover_values(&p->x, &p->plot, true);
    plot_axis_cover_values(&p->y, &p->plot, false);
    p->height = p->top + AREA_HEIGHT + (p->plot.x_name ? 42 : 26);
}

static void draw_area(plot_drawing *p, size_t series)
{
    const plot_series *s = &p->plot.series[series];

    svg_format(p->out, "<path class=\"ar s%u\" d=\"M%f %f", (unsigned)(series % PLOT_COLOURS),
               plot_coordinate(&p->x, s->x[0]), p->y.start);
    for (size_t i = 0; i < s->count; i++) {
        svg_format(p->out, "V%f", plot_coordinate(&p->y, s->y[i]));
        if (i + 1 < s->count)
            svg_format(p->out, "H%f", plot_coordinate(&p->x, s->x[i + 1]));
    }
    svg_format(p->out, "V%fZ\"/>\n", p->y.start);
}

void plot_areas_draw(plot_drawing *p)
{
    if (p->plot.y_name)
        plot_text(p, "k", 8, p->top - 11, p->plot.y_name);
    plot_y_axis(p, p->x.start, p->x.end);
    plot_x_axis(p, p->y.start, p->plot.x_name);
    for (size_t i = 0; i < p->plot.count; i++)
        if (p->plot.series[i].count > 0)
            draw_area(p, i);
}
