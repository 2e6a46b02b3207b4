/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "picture/gantt/gantt.h"

enum { SWATCH = 12, BOX = 54, NAME_LIMIT = 32, SPACE = 18 };

/* Where the next entry goes. With `out` NULL the entries are only placed. */
typedef struct pen {
    hsi_output *out;
    double      left, right, x, y;
    unsigned    lines;
} pen;

static double text_width(const char *text)
{
    return 7.3 * hsi_text_columns(text, strlen(text));
}

/* Begins a new line if what is `width` wide would not fit on this one. */
static void make_room(pen *at, double width)
{
    if (at->x > at->left && at->x + width > at->right) {
        at->x = at->left;
        at->y += HSI_LEGEND_LINE;
        at->lines++;
    }
}

static void put_word(pen *at, const char *text)
{
    double width = text_width(text) + SPACE / 2.0;

    make_room(at, width);
    if (at->out) {
        hsi_put_text_at(at->out, "m", at->x, at->y + 10);
        hsi_output_text(at->out, text);
        hsi_output_text(at->out, "</text>\n");
    }
    at->x += width;
}

static double entry_width(const char *name)
{
    double width = text_width(name), most = 7.3 * (NAME_LIMIT + 1);

    return SWATCH + 6 + (width < most ? width : most) + SPACE;
}

/* After its coloured square, the name. */
static void put_entry_name(pen *at, const char *name)
{
    hsi_output_text(at->out, "/>");
    hsi_put_text_at(at->out, "m", at->x + SWATCH + 6, at->y + 10);
    hsi_put_name(at->out, name, NAME_LIMIT);
    hsi_output_text(at->out, "</text>\n");
}

static void put_class(pen *at, unsigned class, int aborted, const char *name)
{
    double width = entry_width(name);

    make_room(at, width);
    if (at->out) {
        hsi_put_class_rect(at->out, class, aborted, at->x, at->y, SWATCH, SWATCH);
        put_entry_name(at, name);
    }
    at->x += width;
}

static void put_idle(pen *at)
{
    make_room(at, entry_width("idle"));
    if (at->out) {
        hsi_put_rect(at->out, "l", at->x, at->y, SWATCH, SWATCH);
        put_entry_name(at, "idle");
    }
    at->x += entry_width("idle");
}

static void put_power(hsi_output *out, int exponent)
{
    if (exponent >= 0 && exponent <= 13) {
        hsi_output_u64(out, (uint64_t)1 << exponent);
    } else if (exponent < 0 && exponent >= -6) {
        hsi_output_text(out, "1/");
        hsi_output_u64(out, (uint64_t)1 << -exponent);
    } else {
        hsi_output_text(out, "2^");
        hsi_output_i64(out, exponent);
    }
}

/* What a class of the scale stands for: "< 2", "2-4", ">= 64". */
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

/* Boxes side by side, each with its interval inside. */
static void put_scale(pen *at, const hsi_palette *palette)
{
    put_word(at, "time on a CPU / time on a GPU");
    make_room(at, palette->count * BOX + SPACE);
    for (unsigned c = 0; c < palette->count; c++) {
        if (at->out) {
            hsi_put_class_rect(at->out, c, 0, at->x, at->y - 2, BOX, SWATCH + 4);
            hsi_output_text(at->out, "/>");
            hsi_put_text_at(at->out, hsi_palette_dark(palette, c) ? "n w" : "n",
                            at->x + BOX / 2.0, at->y + 9.75);
            put_interval(at->out, palette, c);
            hsi_output_text(at->out, "</text>\n");
        }
        at->x += BOX;
    }
    at->x += SPACE;
}

static unsigned first_used(const hsi_palette *palette)
{
    unsigned c = 0;

    while (c < HSI_CLASSES - 1 && !palette->used[c])
        c++;
    return c;
}

static void put_failed(pen *at)
{
    static const char name[] = "failed";
    double            width = entry_width(name);

    make_room(at, width);
    if (at->out) {
        hsi_put_cross(at->out, at->x + SWATCH / 2.0, at->y + SWATCH / 2.0, 4.5);
        put_entry_name(at, name);
    }
    at->x += width;
}

unsigned hsi_palette_legend(hsi_output *out, const hsi_palette *palette, unsigned also, double x,
                            double y, double width)
{
    pen at = {.out = out, .left = x, .right = x + width, .x = x, .y = y, .lines = 1};

    if (palette->by_kernel) {
        for (unsigned c = 0; c < palette->count; c++)
            put_class(&at, c, 0, palette->kernel[c]);
        if (palette->used[HSI_REST])
            put_class(&at, HSI_REST, 0, "other tasks");
    } else {
        if (palette->count > 0)
            put_scale(&at, palette);
        if (palette->used[HSI_REST])
            put_class(&at, HSI_REST, 0, "CPU only");
        if (palette->used[HSI_GPU_ONLY])
            put_class(&at, HSI_GPU_ONLY, 0, "GPU only");
    }
    if (also & HSI_LEGEND_ABORTED)
        put_class(&at, first_used(palette), 1, "aborted (hatched)");
    if (also & HSI_LEGEND_FAILED)
        put_failed(&at);
    put_idle(&at);
    return at.lines;
}
