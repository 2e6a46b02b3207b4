/* SPDX-License-Identifier: BSD-3-Clause */
/* The common parts of plots: the page, the title, the colours. */
#include "common/plot/drawing.h"

#include <math.h>
#include <stdbool.h>

#include "common/escape.h"

enum { WIDTH = 380, WIDTH_LEAST = 240, WIDTH_MOST = 100000 };
#define TITLE_COLUMN 7.4 /* pixels: usual largest width of a character of the title */

static bool can_be_drawn(double value, int log)
{
    return isfinite(value) && (log ? value > 0 : value >= 0);
}

/* Return whether the range is unset (both ends are equal) or an axis can show it. */
static int is_range(const double range[2], int log)
{
    if (range[0] == range[1])
        return isfinite(range[0]);
    return range[0] < range[1] && can_be_drawn(range[0], log) && can_be_drawn(range[1], log);
}

static bool has_valid_values(const plot_spec *plot)
{
    if (!can_be_drawn(plot->reference, 0) || !is_range(plot->x_range, plot->log_x) ||
        !is_range(plot->y_range, plot->log_y))
        return false;
    for (size_t i = 0; i < plot->count; i++) {
        const plot_series *s = &plot->series[i];

        if (!s->name || (s->count > 0 && (!s->y || (plot->kind != PLOT_BOXES && !s->x))))
            return false;
        for (size_t k = 0; k < s->count; k++)
            if (!can_be_drawn(s->y[k], plot->log_y) ||
                (plot->kind != PLOT_BOXES && !can_be_drawn(s->x[k], plot->log_x)))
                return false;
        for (size_t k = 0; k < s->count && s->low && s->high; k++)
            if (!can_be_drawn(s->low[k], plot->log_y) || !can_be_drawn(s->high[k], plot->log_y))
                return false;
        for (size_t k = 0; k < s->curve_count; k++)
            if (!can_be_drawn(s->curve_y[k], plot->log_y) ||
                !can_be_drawn(s->curve_x[k], plot->log_x))
                return false;
    }
    return true;
}

static double width_of(const plot_spec *plot)
{
    return plot->width == 0 ? WIDTH : plot->width;
}

bool plot_is_valid(const plot_spec *plot)
{
    return width_of(plot) >= WIDTH_LEAST && width_of(plot) <= WIDTH_MOST &&
           (unsigned)plot->kind <= PLOT_AREAS && (plot->count == 0 || plot->series) &&
           has_valid_values(plot);
}

void plot_text(plot_drawing *p, const char *css_class, double x, double y, const char *text)
{
    svg_text_begin(p->out, css_class, x, y);
    html_text(p->out, text);
    fputs("</text>\n", p->out);
}

/*
 * Colours of the series. Each has a contrast of at least 3:1 to dark and to light pages. Gantt
 * charts do not use these class names, because one page may contain both.
 */
static const char series_style[] =
    ".s0{fill:#3b7fc4;stroke:#3b7fc4}.s1{fill:#d9603b;stroke:#d9603b}\n"
    ".s2{fill:#2a9d6f;stroke:#2a9d6f}.s3{fill:#a8861a;stroke:#a8861a}\n"
    ".s4{fill:#c2569b;stroke:#c2569b}.s5{fill:#8466c9;stroke:#8466c9}\n"
    ".s6{fill:#1a97a8;stroke:#1a97a8}.s7{fill:#7f8793;stroke:#7f8793}\n"
    ".bx,.ar{fill-opacity:.4;stroke-width:1.3}.mk{stroke:none}"
    ".pt{fill:none;stroke-width:4.5;stroke-linecap:round;stroke-opacity:.75}"
    ".sq{stroke-width:4;stroke-linecap:square}\n"
    ".br{fill:none;stroke-width:1.2;stroke-opacity:.6}.ln{fill:none;stroke-width:1.8;stroke-linejoin:round}.pb{stroke-dasharray:5 3}\n"
    ".d1{stroke:#b0006d;stroke-width:1.5}.d2{stroke:#b0006d;stroke-width:1.5;stroke-dasharray:5 2}"
    ".gr{stroke:#e2e5ea;stroke-width:1}\n";

static const char series_dark[] = ".gr{stroke:#323842}.d1,.d2{stroke:#ff7ac6}}\n";

static void put_start(plot_drawing *p)
{
    FILE *out = p->out;

    svg_format(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%f\" height=\"%f\" "
               "viewBox=\"0 0 %f %f\" role=\"img\" aria-label=\"",
               p->width, p->height, p->width, p->height);
    if (p->plot.title)
        html_text(p->out, p->plot.title);
    else
        fputs("plot", out);
    fputs("\">\n<style>\n", out);
    fputs(svg_style, out);
    fputs(series_style, out);
    fputs(svg_dark_style, out);
    fputs(series_dark, out);
    fputs("</style>\n<rect class=\"z\" width=\"100%\" height=\"100%\"/>\n", out);
    if (p->plot.title) {
        svg_text_begin(out, "b", 8, 20);
        svg_name(out, p->plot.title, (size_t)((p->width - 16) / TITLE_COLUMN));
        fputs("</text>\n", out);
    }
}

static const struct {
    void (*layout)(plot_drawing *p);
    void (*draw)(plot_drawing *p);
} kinds[] = {[PLOT_BOXES] = {plot_boxes_layout, plot_boxes_draw},
             [PLOT_LINES] = {plot_lines_layout, plot_lines_draw},
             [PLOT_POINTS] = {plot_points_layout, plot_points_draw},
             [PLOT_AREAS] = {plot_areas_layout, plot_areas_draw}};

void plot_write(FILE *out, const plot_spec *plot)
{
    plot_drawing p = {.out = out, .plot = *plot, .width = width_of(plot)};

    p.top = 12 + (plot->title ? 18 : 0);
    kinds[plot->kind].layout(&p);
    put_start(&p);
    kinds[plot->kind].draw(&p);
    fputs("</svg>\n", out);
}

double quantile(const double *sorted, size_t count, double q)
{
    double at, below;
    size_t i;

    if (count == 0)
        return NAN;
    at = q * (double)(count - 1);
    below = floor(at);
    i = (size_t)below;
    if (i + 1 >= count)
        return sorted[count - 1];
    return sorted[i] + (at - below) * (sorted[i + 1] - sorted[i]);
}
