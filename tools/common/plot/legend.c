/* SPDX-License-Identifier: BSD-3-Clause */
/* The legend below a plot: an entry per series, and one for the reference line. */
#include "common/escape.h"
#include "common/plot/drawing.h"

#define LEGEND_LINE 18.0
#define COLUMN 6.6 /* column width of 11-pixel text */

static double entry_width(const plot_series *s)
{
    unsigned columns = svg_text_columns(s->name);

    return 44 + COLUMN * (columns + (s->published ? 12 : 0));
}

/*
 * Compute the place of entry `wanted`, relative to the legend's corner; return the number of lines
 * up to it.
 */
static unsigned place(const plot_spec *plot, double width, size_t wanted, double *x, unsigned *line)
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

double plot_legend_height(const plot_drawing *p)
{
    double   x;
    unsigned line;

    return LEGEND_LINE *
           (place(&p->plot, p->width - 16, p->plot.count, &x, &line) + (p->plot.reference_name != NULL));
}

void plot_legend(plot_drawing *p, double top,
                 void (*draw_sample)(plot_drawing *p, size_t series, double x, double y))
{
    double   x, width = p->width - 16;
    unsigned line = 0;

    for (size_t i = 0; i < p->plot.count; i++) {
        const plot_series *s = &p->plot.series[i];
        double             y;

        place(&p->plot, width, i, &x, &line);
        y = top + LEGEND_LINE * line;
        draw_sample(p, i, 8 + x, y - 4);
        svg_text_begin(p->out, "k", 37 + x, y);
        html_text(p->out, s->name);
        fputs(s->published ? ", published</text>\n" : "</text>\n", p->out);
    }
    if (p->plot.reference_name) {
        double y = top + LEGEND_LINE * (line + 1);

        svg_line(p->out, "u", 8, y - 4, 32, y - 4);
        plot_text(p, "k", 37, y, p->plot.reference_name);
    }
}
