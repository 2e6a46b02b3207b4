/* SPDX-License-Identifier: BSD-3-Clause */
/* The common parts of plots: the page, the title, the colours. */
#include "picture/plot/plot.h"

#include <math.h>
#include <string.h>

#include "support/sized.h"

enum { WIDTH = 380, WIDTH_LEAST = 240, WIDTH_MOST = 100000 };
#define TITLE_COLUMN 7.4 /* usual largest width of a character */

void hs_plot_init_sized(hs_plot *plot, size_t size)
{
    memset(plot, 0, size);
    plot->struct_size = size;
}

static int can_be_drawn(double value, int log)
{
    return isfinite(value) && (log ? value > 0 : value >= 0);
}

/* Return 1 if the range is unset (both ends are equal) or an axis can show it. */
static int is_range(const double range[2], int log)
{
    if (range[0] == range[1])
        return isfinite(range[0]);
    return range[0] < range[1] && can_be_drawn(range[0], log) && can_be_drawn(range[1], log);
}

static int is_sound(const hs_plot *plot)
{
    if (!can_be_drawn(plot->reference, 0) || !is_range(plot->x_range, plot->log_x) ||
        !is_range(plot->y_range, plot->log_y))
        return 0;
    for (size_t i = 0; i < plot->count; i++) {
        const hs_plot_series *s = &plot->series[i];

        if (!s->name || (s->count > 0 && (!s->y || (plot->kind != HS_PLOT_BOXES && !s->x))))
            return 0;
        for (size_t k = 0; k < s->count; k++)
            if (!can_be_drawn(s->y[k], plot->log_y) ||
                (plot->kind != HS_PLOT_BOXES && !can_be_drawn(s->x[k], plot->log_x)))
                return 0;
    }
    return 1;
}

/* Copy the caller's plot to `full`, with defaults. HS_EINVAL: invalid values. */
static hs_status resolve(hs_plot *full, const hs_plot *plot)
{
    hs_plot_init(full);
    if (!plot || !hsi_take_sized(full, sizeof *full, plot))
        return HS_EINVAL;
    if (full->width == 0)
        full->width = WIDTH;
    if (!(full->width >= WIDTH_LEAST && full->width <= WIDTH_MOST) ||
        (unsigned)full->kind > HS_PLOT_AREAS ||
        (full->count > 0 && !full->series))
        return HS_EINVAL;
    return is_sound(full) ? HS_OK : HS_EINVAL;
}

void hsi_plot_text(hsi_plot *p, const char *kind, double x, double y, const char *text)
{
    hsi_put_text_at(&p->out, kind, x, y);
    hsi_output_xml(&p->out, text, strlen(text));
    hsi_output_text(&p->out, "</text>\n");
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
    ".ln{fill:none;stroke-width:1.8;stroke-linejoin:round}.pb{stroke-dasharray:5 3}\n"
    ".d1{stroke:#b0006d;stroke-width:1.5}.d2{stroke:#b0006d;stroke-width:1.5;stroke-dasharray:5 2}"
    ".gr{stroke:#e2e5ea;stroke-width:1}\n";

static const char series_dark[] = ".gr{stroke:#323842}.d1,.d2{stroke:#ff7ac6}}\n";

static void put_start(hsi_plot *p)
{
    hsi_output *out = &p->out;

    hsi_output_format(out,
                      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%f\" height=\"%f\" "
                      "viewBox=\"0 0 %f %f\" role=\"img\" aria-label=\"",
                      p->width, p->height, p->width, p->height);
    if (p->plot.title)
        hsi_output_xml(out, p->plot.title, strlen(p->plot.title));
    else
        hsi_output_text(out, "plot");
    hsi_output_text(out, "\">\n<style>\n");
    hsi_output_text(out, hsi_svg_style);
    hsi_output_text(out, series_style);
    hsi_output_text(out, hsi_svg_dark_style);
    hsi_output_text(out, series_dark);
    hsi_output_text(out, "</style>\n<rect class=\"z\" width=\"100%\" height=\"100%\"/>\n");
    if (p->plot.title) {
        hsi_put_text_at(out, "b", 8, 20);
        hsi_put_name(out, p->plot.title, (size_t)((p->width - 16) / TITLE_COLUMN));
        hsi_output_text(out, "</text>\n");
    }
}

static const struct {
    hs_status (*layout)(hsi_plot *p);
    hs_status (*draw)(hsi_plot *p);
} kinds[] = {[HS_PLOT_BOXES] = {hsi_boxes_layout, hsi_boxes_draw},
             [HS_PLOT_LINES] = {hsi_lines_layout, hsi_lines_draw},
             [HS_PLOT_AREAS] = {hsi_areas_layout, hsi_areas_draw}};

hs_status hs_plot_write(int fd, const hs_plot *plot)
{
    hsi_plot  p = {.top = 12};
    hs_status status = resolve(&p.plot, plot);

    if (status != HS_OK)
        return status;
    p.width = p.plot.width;
    p.top += p.plot.title ? 18 : 0;
    status = kinds[p.plot.kind].layout(&p);
    if (status == HS_OK)
        status = hsi_output_open(&p.out, fd);
    if (status != HS_OK)
        return status;
    put_start(&p);
    status = kinds[p.plot.kind].draw(&p);
    hsi_output_text(&p.out, "</svg>\n");
    if (status == HS_OK)
        status = hsi_output_close(&p.out);
    hsi_output_abandon(&p.out);
    return status;
}
