/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "picture/gantt/gantt.h"

enum { SWATCH = 12, BOX = 54, NAME_LIMIT = 32, SPACE = 18 };
#define COLUMN 7.3 /* width of a column of text */
#define SCALE  "time on a CPU / time on a GPU"

static double text_width(const char *text)
{
    return COLUMN * hsi_text_columns(text, strlen(text));
}

/*
 * Place a legend entry of this width after the previous entry, or on a new line if it does not fit.
 */
static void place(hsi_legend *legend, hsi_legend_kind kind, unsigned class, const char *text,
                  double width)
{
    if (legend->x > 0 && legend->x + width > legend->width) {
        legend->x = 0;
        legend->lines++;
    }
    legend->entry[legend->count++] =
        (hsi_legend_entry){kind, class, text, legend->x, (legend->lines - 1) * HSI_LEGEND_LINE};
    legend->x += width;
}

/* Place a legend entry that consists of a small symbol and a name. */
static void place_named(hsi_legend *legend, hsi_legend_kind kind, unsigned class, const char *name)
{
    double width = text_width(name);
    double most = kind == HSI_LEGEND_CLASS ? COLUMN * (NAME_LIMIT + 1) : width;

    place(legend, kind, class, name, SWATCH + 6 + (width < most ? width : most) + SPACE);
}

static unsigned first_used(const hsi_palette *palette)
{
    unsigned c = 0;

    while (c < HSI_COLOURS - 1 && !palette->used[c])
        c++;
    return c;
}

void hsi_legend_layout(hsi_legend *legend, const hsi_palette *palette, bool aborted, bool failed,
                       double width)
{
    *legend = (hsi_legend){.width = width, .lines = 1};
    if (palette->by_kernel) {
        for (unsigned c = 0; c < palette->count; c++)
            place_named(legend, HSI_LEGEND_CLASS, c, palette->kernel[c]);
    } else if (palette->count > 0) {
        place(legend, HSI_LEGEND_WORDS, 0, SCALE, text_width(SCALE) + SPACE / 2.0);
        legend->box = fmin(BOX, width / palette->count);
        place(legend, HSI_LEGEND_SCALE, 0, NULL, palette->count * legend->box);
        legend->x += SPACE;
    }
    if (palette->used[HSI_REST])
        place_named(legend, HSI_LEGEND_CLASS, HSI_REST, hsi_palette_rest_name(palette));
    if (palette->used[HSI_GPU_ONLY])
        place_named(legend, HSI_LEGEND_CLASS, HSI_GPU_ONLY, "GPU only");
    if (aborted)
        place_named(legend, HSI_LEGEND_ABORTED, first_used(palette), "aborted (hatched)");
    if (failed)
        place_named(legend, HSI_LEGEND_FAILED, first_used(palette), "failed (hatched)");
    place_named(legend, HSI_LEGEND_IDLE, 0, "idle");
}

void hsi_legend_add_merged(hsi_legend *legend)
{
    static const char text[] = "merged bars: as high as the share that is busy";

    place(legend, HSI_LEGEND_WORDS, 0, text, text_width(text));
}

void hsi_legend_add_spoliations(hsi_legend *legend, const char *text)
{
    place_named(legend, HSI_LEGEND_TAKEN, 0, text);
}

void hsi_legend_add_waits(hsi_legend *legend)
{
    place_named(legend, HSI_LEGEND_WAIT, 0, "idle until another aborts");
}

void hsi_legend_add_copies(hsi_legend *legend)
{
    place_named(legend, HSI_LEGEND_COPY, 0, "copy of data");
}

void hsi_legend_add_graph(hsi_legend *legend, bool has_run)
{
    if (has_run)
        place_named(legend, HSI_LEGEND_KEPT, 0, "idle, but a task was ready");
    place_named(legend, HSI_LEGEND_CRITICAL, 0, "critical path of what happened");
}

void hsi_legend_add_arrows(hsi_legend *legend, bool shown)
{
    static const char none[] = "no arrows: too many dependencies";

    if (shown) {
        place_named(legend, HSI_LEGEND_BEFORE, 0, "on hover: what the task waits for");
        place_named(legend, HSI_LEGEND_AFTER, 0, "what waits for it");
    } else {
        place(legend, HSI_LEGEND_WORDS, 0, none, text_width(none));
    }
}

static void put_power(hsi_output *out, int exponent)
{
    if (exponent >= 0 && exponent <= 13)
        hsi_output_format(out, "%u", 1u << exponent);
    else if (exponent < 0 && exponent >= -6)
        hsi_output_format(out, "1/%u", 1u << -exponent);
    else
        hsi_output_format(out, "2^%d", exponent);
}

/* Write the interval of a class of the scale: "< 2", "2–4", "≥ 64". */
static void put_interval(hsi_output *out, const hsi_palette *palette, unsigned class)
{
    int low = palette->low + (int)class * palette->step, high = low + palette->step;

    if (palette->count > 1 && class == 0) {
        hsi_output_text(out, "&lt; ");
        put_power(out, high);
    } else if (palette->count > 1 && class == palette->count - 1) {
        hsi_output_text(out, "\xe2\x89\xa5 ");
        put_power(out, low);
    } else {
        put_power(out, low);
        hsi_output_text(out, "\xe2\x80\x93");
        put_power(out, high);
    }
}

void hsi_put_class_name(hsi_output *out, const hsi_palette *palette, unsigned class)
{
    if (class == HSI_REST) {
        hsi_output_text(out, hsi_palette_rest_name(palette));
    } else if (class == HSI_GPU_ONLY) {
        hsi_output_text(out, "GPU only");
    } else if (palette->by_kernel) {
        hsi_put_name(out, palette->kernel[class], NAME_LIMIT);
    } else {
        hsi_output_text(out, "CPU/GPU ");
        put_interval(out, palette, class);
    }
}

/* Draw boxes side by side, each with its interval inside. */
static void put_scale(hsi_output *out, const hsi_palette *palette, double box, double x, double y)
{
    for (unsigned c = 0; c < palette->count; c++, x += box) {
        hsi_put_class_rect(out, c, false, x, y - 2, box, SWATCH + 4);
        hsi_output_text(out, "/>");
        hsi_put_text_at(out, hsi_palette_is_dark(palette, c) ? "n w" : "n", x + box / 2, y + 9.75);
        put_interval(out, palette, c);
        hsi_output_text(out, "</text>\n");
    }
}

static void put_entry(hsi_output *out, const hsi_palette *palette, double box,
                      const hsi_legend_entry *e, double x, double y)
{
    switch (e->kind) {
    case HSI_LEGEND_WORDS:
        hsi_put_label(out, "m", x, y + 10, e->text);
        return;
    case HSI_LEGEND_SCALE:
        put_scale(out, palette, box, x, y);
        return;
    case HSI_LEGEND_CLASS:
    case HSI_LEGEND_ABORTED:
        hsi_put_class_rect(out, e->class, e->kind == HSI_LEGEND_ABORTED, x, y, SWATCH, SWATCH);
        break;
    case HSI_LEGEND_FAILED:
        hsi_put_class_rect(out, e->class, true, x, y, SWATCH, SWATCH);
        hsi_output_text(out, "/>");
        hsi_put_cross(out, x + SWATCH / 2.0, y + SWATCH / 2.0, 4.5);
        break;
    case HSI_LEGEND_IDLE:
        hsi_put_rect(out, "l", x, y, SWATCH, SWATCH);
        break;
    case HSI_LEGEND_KEPT:
        hsi_put_rect(out, "yo", x, y, SWATCH, SWATCH);
        break;
    case HSI_LEGEND_WAIT:
        hsi_put_rect(out, "yv", x, y, SWATCH, SWATCH);
        break;
    case HSI_LEGEND_TAKEN:
        hsi_output_format(out, "<path class=\"ta\"%s d=\"M%f %fv%f\"", hsi_spoliation_head(palette),
                          x + SWATCH / 2.0, y + SWATCH, -SWATCH / 2.0);
        break;
    case HSI_LEGEND_COPY:
        hsi_put_rect(out, "tc", x, y, SWATCH, SWATCH);
        break;
    case HSI_LEGEND_BEFORE:
    case HSI_LEGEND_AFTER:
        hsi_output_format(out, "<path class=\"r rl%s\" d=\"M%f %fh%um-5 -3l5 3l-5 3\"",
                          e->kind == HSI_LEGEND_AFTER ? " ro" : "", x, y + SWATCH / 2.0, SWATCH);
        break;
    case HSI_LEGEND_CRITICAL:
        hsi_output_format(out, "<path class=\"f\" d=\"M%f %fh%u\"", x, y + SWATCH / 2.0, SWATCH);
        break;
    }
    hsi_output_text(out, "/>");
    hsi_put_text_at(out, "m", x + SWATCH + 6, y + 10);
    hsi_put_name(out, e->text, e->kind == HSI_LEGEND_CLASS ? NAME_LIMIT : strlen(e->text));
    hsi_output_text(out, "</text>\n");
}

void hsi_legend_draw(hsi_output *out, const hsi_legend *legend, const hsi_palette *palette,
                     double x, double y)
{
    for (unsigned i = 0; i < legend->count; i++)
        put_entry(out, palette, legend->box, &legend->entry[i], x + legend->entry[i].x,
                  y + legend->entry[i].y);
}
