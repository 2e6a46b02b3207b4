/* SPDX-License-Identifier: BSD-3-Clause */
/* Line plots: a line per series with a mark at each point, and a legend below. */
#include <stdio.h>
#include <string.h>

#include "picture/plot/plot.h"

#define PLOT_HEIGHT 210.0
#define LEGEND_LINE 18.0
#define COLUMN 6.6 /* column width of 11-pixel text */

static double entry_width(const hs_plot_series *s)
{
    unsigned columns = hsi_text_columns(s->name, strlen(s->name));

    return 44 + COLUMN * (columns + (s->published ? 12 : 0));
}

/*
 * Compute the place of legend entry `wanted`, relative to the legend's corner; return the number of
 * lines up to it.
 */
static unsigned place(const hs_plot *plot, double width, size_t wanted, double *x, unsigned *line)
{
    *x = 0;
    *line = 0;
    for (size_t i = 0; i < plot->count; i++) {
        double own = entry_width(&plot->series[i]);

        if (*x > 0 && *x + own > width) {
            *x = 0;
            ++*line;
        }
        if (i == wanted)
            break;
        *x += own;
    }
    return *line + 1;
}

hs_status hsi_lines_layout(hsi_plot *p)
{
    double   x;
    unsigned line;

    p->x = (hsi_plot_axis){.log = p->plot.log_x, .start = 52, .end = p->width - 16, .room = 40};
    p->top += p->plot.y_name ? 22 : 6;
    p->y = (hsi_plot_axis){
        .log = p->plot.log_y, .start = p->top + PLOT_HEIGHT, .end = p->top, .room = 30};
    hsi_plot_axis_fit(&p->x, &p->plot, 1);
    hsi_plot_axis_fit(&p->y, &p->plot, 0);
    p->height = p->top + PLOT_HEIGHT + 50 +
                LEGEND_LINE * (place(&p->plot, p->width - 16, p->plot.count, &x, &line) +
                               (p->plot.reference > 0));
    return HS_OK;
}

/* Draw one of four marks, which distinguish lines where colours do not. */
static void draw_mark(hsi_plot *p, size_t series, double x, double y)
{
    static const char *const shape[] = {
        "M%f %fm-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z", "M%f %fm-3.2 -3.2h6.4v6.4h-6.4z",
        "M%f %fm0 -4.2l4.2 7.4h-8.4z", "M%f %fm0 -4.6l4.6 4.6l-4.6 4.6l-4.6 -4.6z"};
    char class[16];

    snprintf(class, sizeof class, "mk s%u", (unsigned)(series % HSI_PLOT_COLOURS));
    hsi_output_format(&p->out, "<path class=\"%s\" d=\"", class);
    hsi_output_format(&p->out, shape[(series + series / HSI_PLOT_COLOURS) % 4], x, y);
    hsi_output_text(&p->out, "\"/>\n");
}

static void draw_line(hsi_plot *p, size_t series)
{
    const hs_plot_series *s = &p->plot.series[series];

    hsi_output_format(&p->out, "<path class=\"%s s%u\" d=\"", s->published ? "ln pb" : "ln",
                      (unsigned)(series % HSI_PLOT_COLOURS));
    for (size_t i = 0; i < s->count; i++)
        hsi_output_format(&p->out, "%c%f %f", i ? 'L' : 'M', hsi_plot_at(&p->x, s->x[i]),
                          hsi_plot_at(&p->y, s->y[i]));
    hsi_output_text(&p->out, "\"/>\n");
    for (size_t i = 0; i < s->count; i++)
        draw_mark(p, series, hsi_plot_at(&p->x, s->x[i]), hsi_plot_at(&p->y, s->y[i]));
}

static void draw_legend(hsi_plot *p, double top)
{
    double   x, width = p->width - 16;
    unsigned line = 0;

    for (size_t i = 0; i < p->plot.count; i++) {
        const hs_plot_series *s = &p->plot.series[i];
        double                y;

        place(&p->plot, width, i, &x, &line);
        y = top + LEGEND_LINE * line;
        hsi_output_format(&p->out, "<path class=\"%s s%u\" d=\"M%f %fh24\"/>\n",
                          s->published ? "ln pb" : "ln", (unsigned)(i % HSI_PLOT_COLOURS), 8 + x,
                          y - 4);
        draw_mark(p, i, 20 + x, y - 4);
        hsi_put_text_at(&p->out, "k", 37 + x, y);
        hsi_output_xml(&p->out, s->name, strlen(s->name));
        hsi_output_text(&p->out, s->published ? ", published</text>\n" : "</text>\n");
    }
    if (p->plot.reference > 0 && p->plot.reference_name) {
        double y = top + LEGEND_LINE * (line + 1);

        hsi_put_line(&p->out, "u", 8, y - 4, 32, y - 4);
        hsi_plot_text(p, "k", 37, y, p->plot.reference_name);
    }
}

hs_status hsi_lines_draw(hsi_plot *p)
{
    if (p->plot.y_name)
        hsi_plot_text(p, "k", 8, p->top - 11, p->plot.y_name);
    hsi_plot_y_axis(p, p->x.start, p->x.end);
    hsi_plot_x_axis(p, p->y.start, p->plot.x_name);
    if (p->plot.reference > 0)
        hsi_put_line(&p->out, "u", p->x.start, hsi_plot_at(&p->y, p->plot.reference), p->x.end,
                     hsi_plot_at(&p->y, p->plot.reference));
    for (size_t i = 0; i < p->plot.count; i++)
        if (p->plot.series[i].count > 0)
            draw_line(p, i);
    draw_legend(p, p->y.start + 52);
    return HS_OK;
}
