/* SPDX-License-Identifier: BSD-3-Clause */
/* Area plots: each value lasts to the next point, drawn as filled steps; no legend. */
#include <string.h>

#include "picture/plot/plot.h"

#define AREA_HEIGHT 130.0

hs_status hsi_areas_layout(hsi_plot *p)
{
    p->x = (hsi_plot_axis){.log = p->plot.log_x, .start = 52, .end = p->width - 16, .room = 40};
    p->top += p->plot.y_name ? 22 : 6;
    p->y = (hsi_plot_axis){
        .log = p->plot.log_y, .start = p->top + AREA_HEIGHT, .end = p->top, .room = 30};
    hsi_plot_axis_fit(&p->x, &p->plot, 1);
    hsi_plot_axis_fit(&p->y, &p->plot, 0);
    p->height = p->top + AREA_HEIGHT + (p->plot.x_name ? 42 : 26);
    return HS_OK;
}

static void draw_area(hsi_plot *p, size_t series)
{
    const hs_plot_series *s = &p->plot.series[series];

    hsi_output_format(&p->out, "<path class=\"ar s%u\" d=\"M%f %f",
                      (unsigned)(series % HSI_PLOT_COLOURS), hsi_plot_at(&p->x, s->x[0]),
                      p->y.start);
    for (size_t i = 0; i < s->count; i++) {
        hsi_output_format(&p->out, "V%f", hsi_plot_at(&p->y, s->y[i]));
        if (i + 1 < s->count)
            hsi_output_format(&p->out, "H%f", hsi_plot_at(&p->x, s->x[i + 1]));
    }
    hsi_output_format(&p->out, "V%fZ\"/>\n", p->y.start);
}

hs_status hsi_areas_draw(hsi_plot *p)
{
    if (p->plot.y_name)
        hsi_plot_text(p, "k", 8, p->top - 11, p->plot.y_name);
    hsi_plot_y_axis(p, p->x.start, p->x.end);
    hsi_plot_x_axis(p, p->y.start, p->plot.x_name);
    for (size_t i = 0; i < p->plot.count; i++)
        if (p->plot.series[i].count > 0)
            draw_area(p, i);
    return HS_OK;
}
