/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture/gantt/palette.h"
#include "picture/picture.h"

typedef struct kernel_count {
    const char *name;
    uint64_t    tasks;
} kernel_count;

static int by_name(const void *a, const void *b)
{
    const kernel_count *x = a, *y = b;

    return strcmp(x->name, y->name);
}

static int by_tasks(const void *a, const void *b)
{
    const kernel_count *x = a, *y = b;

    if (x->tasks != y->tasks)
        return x->tasks > y->tasks ? -1 : 1;
    return strcmp(x->name, y->name);
}

static uint32_t tasks_in(const hs_task *row)
{
    return row->count ? row->count : 1;
}

static bool has_kernel(const hs_task *row)
{
    return row->kernel && row->kernel[0];
}

/*
 * List the kernels of all rows, sorted by name, without duplicates; return their number. *listed:
 * rows with a kernel.
 */
static size_t count_kernels(const hs_instance *in, kernel_count *kernels, size_t *listed)
{
    size_t  rows = hs_instance_rows(in), distinct = 0;
    hs_task row;

    for (size_t i = 0; i < rows; i++) {
        hs_instance_row(in, i, &row);
        if (has_kernel(&row))
            kernels[(*listed)++] = (kernel_count){row.kernel, tasks_in(&row)};
    }
    qsort(kernels, *listed, sizeof *kernels, by_name);
    for (size_t i = 0; i < *listed; i++) {
        if (distinct > 0 && strcmp(kernels[distinct - 1].name, kernels[i].name) == 0)
            kernels[distinct - 1].tasks += kernels[i].tasks;
        else
            kernels[distinct++] = kernels[i];
    }
    return distinct;
}

static hs_status choose_kernels(const hs_instance *in, hsi_palette *palette)
{
    size_t        rows = hs_instance_rows(in), listed = 0, distinct;
    kernel_count *kernels = malloc((rows ? rows : 1) * sizeof *kernels);

    if (!kernels)
        return HS_ENOMEM;
    distinct = count_kernels(in, kernels, &listed);
    qsort(kernels, distinct, sizeof *kernels, by_tasks);
    palette->by_kernel = listed > 0;
    palette->count = distinct < HSI_KERNELS ? (unsigned)distinct : HSI_KERNELS;
    for (unsigned c = 0; c < palette->count; c++) {
        palette->kernel[c] = kernels[c].name;
        palette->used[c] = 1;
    }
    palette->used[HSI_REST] = listed > 0 && (distinct > HSI_KERNELS || listed < rows);
    free(kernels);
    return HS_OK;
}

static unsigned kernel_class(const hsi_palette *palette, const hs_instance *in, size_t task)
{
    hs_task row;

    hs_instance_row(in, hs_instance_row_of(in, task), &row);
    if (has_kernel(&row))
        for (unsigned c = 0; c < palette->count; c++)
            if (strcmp(palette->kernel[c], row.kernel) == 0)
                return c;
    return HSI_REST;
}

/* floor(log2(p/q)) lies within +-LIMIT for all doubles p, q > 0. */
enum { LIMIT = 2100 };

/* Return floor(log2(p/q)) exactly, although the quotient may overflow. */
static int ratio_exponent(double p, double q)
{
    int    p_exponent, q_exponent;
    double p_mantissa = frexp(p, &p_exponent), q_mantissa = frexp(q, &q_exponent);

    return p_exponent - q_exponent - (p_mantissa < q_mantissa);
}

/*
 * Return the first exponent, from `from` on in steps of `by`, beyond which lie all but 2 % of the
 * tasks: a few outliers must not use up the scale.
 */
static int past_the_odd(const uint64_t *tasks, uint64_t total, int from, int by)
{
    uint64_t seen = tasks[from];

    while (seen * 50 <= total && seen < total) {
        from += by;
        seen += tasks[from];
    }
    return from;
}

/* What is known of the times of a row without a kernel. */
typedef enum row_kind { ACCELERATED, CPU_ONLY, GPU_ONLY, UNKNOWN } row_kind;

/* Return whether the row has no use of a type: no time, or a guess that no worker tests. */
static bool lacks_type(const hs_instance *in, const hs_task *row, hs_type type)
{
    unsigned workers = type == HS_CPU ? hs_instance_cpus(in) : hs_instance_gpus(in);

    return isinf(type == HS_CPU ? row->cpu : row->gpu) ||
           (workers == 0 && hsi_is_guessed(row, type));
}

static row_kind kind_of(const hs_instance *in, const hs_task *row)
{
    if (lacks_type(in, row, HS_GPU))
        return CPU_ONLY;
    if (lacks_type(in, row, HS_CPU))
        return GPU_ONLY;
    return row->guess == HS_GUESS_NONE ? ACCELERATED : UNKNOWN;
}

static hs_status choose_scale(const hs_instance *in, hsi_palette *palette)
{
    size_t    rows = hs_instance_rows(in);
    uint64_t *tasks = calloc(2 * LIMIT + 1, sizeof *tasks), total = 0;
    int       low, high;
    hs_task   row;

    if (!tasks)
        return HS_ENOMEM;
    for (size_t i = 0; i < rows; i++) {
        hs_instance_row(in, i, &row);
        switch (kind_of(in, &row)) {
        case CPU_ONLY:
            palette->used[HSI_REST] = palette->has_cpu_only = true;
            break;
        case GPU_ONLY:
            palette->used[HSI_GPU_ONLY] = 1;
            break;
        case UNKNOWN:
            palette->used[HSI_REST] = palette->has_unknown = true;
            break;
        case ACCELERATED:
            tasks[LIMIT + ratio_exponent(row.cpu, row.gpu)] += tasks_in(&row);
            total += tasks_in(&row);
        }
    }
    if (total > 0) {
        low = past_the_odd(tasks, total, 0, 1) - LIMIT;
        high = past_the_odd(tasks, total, 2 * LIMIT, -1) - LIMIT;
        palette->low = low;
        palette->step = (high - low) / HSI_SCALE + 1;
        palette->count = (unsigned)((high - low) / palette->step + 1);
    }
    for (unsigned c = 0; c < palette->count; c++)
        palette->used[c] = 1;
    free(tasks);
    return HS_OK;
}

static unsigned ratio_class(const hsi_palette *palette, double p, double q)
{
    int steps = ratio_exponent(p, q) - palette->low;

    if (steps < 0)
        return 0;
    steps /= palette->step;
    return (unsigned)steps < palette->count ? (unsigned)steps : palette->count - 1;
}

hs_status hsi_palette_choose(const hs_instance *in, hsi_palette *palette)
{
    hs_status st;

    *palette = (hsi_palette){.step = 1};
    st = choose_kernels(in, palette);
    return st == HS_OK && !palette->by_kernel ? choose_scale(in, palette) : st;
}

const char *hsi_palette_rest_name(const hsi_palette *palette)
{
    if (palette->by_kernel)
        return "other tasks";
    if (!palette->has_unknown)
        return "CPU only";
    return palette->has_cpu_only ? "CPU only, or a time unknown" : "a time unknown";
}

unsigned hsi_palette_class_of_task(const hsi_palette *palette, const hs_instance *in, size_t task)
{
    hs_task row;

    if (palette->by_kernel)
        return kernel_class(palette, in, task);
    hs_instance_row(in, hs_instance_row_of(in, task), &row);
    switch (kind_of(in, &row)) {
    case CPU_ONLY:
    case UNKNOWN:
        return HSI_REST;
    case GPU_ONLY:
        return HSI_GPU_ONLY;
    default:
        return ratio_class(palette, row.cpu, row.gpu);
    }
}

typedef struct color {
    unsigned char part[3];
} color;

/*
 * Colours of kernels, found by simulated annealing over sRGB. The least difference of two colours
 * in CIE Lab is 38, and 23 for dichromats (protanopia and deuteranopia, Machado et al. 2009);
 * lightness differs by at least 5, so that kernels are distinct on paper without colour. The first
 * few colours differ most. tests/unit/check_palette.c verifies this, and the contrast of text.
 */
static const color kernel_colors[HSI_KERNELS] = {
    {{0x39, 0x90, 0xf5}}, {{0xef, 0xc0, 0x5b}}, {{0x22, 0x70, 0x58}}, {{0xb8, 0xe5, 0xb5}},
    {{0x98, 0x5b, 0x9f}}, {{0x14, 0xc1, 0xf3}}, {{0x70, 0x89, 0x21}}, {{0x1c, 0xb4, 0x6c}},
};

/*
 * Colours of the scale, from "better on a CPU" to "much better on a GPU": lightness falls evenly,
 * but stays above that of dark lanes.
 */
enum { ANCHORS = 8 };
static const color scale_colors[ANCHORS] = {
    {{0xf6, 0xdf, 0x7b}}, {{0xba, 0xdb, 0x7d}}, {{0x61, 0xcc, 0x84}}, {{0x03, 0xb1, 0x9b}},
    {{0x05, 0x90, 0x9e}}, {{0x05, 0x71, 0x9b}}, {{0x2c, 0x55, 0x9f}}, {{0x48, 0x3c, 0x8c}},
};

static const color rest_color = {{0x9a, 0xa0, 0xaa}};

/*
 * Colours of tasks without a time on the other type: distinct from each step of the scale, also for
 * dichromats.
 */
static const color cpu_only_color = {{0x9c, 0x5a, 0x1e}}, gpu_only_color = {{0x7d, 0x1c, 0x46}};

/* Return the colour of a class, interpolated over the whole scale. */
static color scale_color(unsigned class, unsigned count)
{
    double       at = count > 1 ? class * (ANCHORS - 1.0) / (count - 1) : (ANCHORS - 1) / 2.0;
    unsigned     below = (unsigned)at, above = below + 1 < ANCHORS ? below + 1 : below;
    const color *a = &scale_colors[below], *b = &scale_colors[above];
    color        mixed;

    for (int i = 0; i < 3; i++) {
        double part = a->part[i] + (at - below) * (b->part[i] - a->part[i]);

        mixed.part[i] = (unsigned char)(part + 0.5);
    }
    return mixed;
}

static color class_color(const hsi_palette *palette, unsigned class)
{
    if (class == HSI_REST)
        return palette->by_kernel ? rest_color : cpu_only_color;
    if (class == HSI_GPU_ONLY)
        return gpu_only_color;
    return palette->by_kernel ? kernel_colors[class] : scale_color(class, palette->count);
}

/* Format a colour as "#77aadd". */
static void color_text(color c, char text[8])
{
    snprintf(text, 8, "#%02x%02x%02x", c.part[0], c.part[1], c.part[2]);
}

/* Return the relative luminance of WCAG 2, in [0, 1]. */
static double luminance(color c)
{
    static const double weight[3] = {0.2126, 0.7152, 0.0722};
    double              sum = 0;

    for (int i = 0; i < 3; i++) {
        double v = c.part[i] / 255.0;

        sum += weight[i] * (v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
    }
    return sum;
}

/* The luminance at which black and white text have the same contrast, 4.58 to 1. */
#define EVEN_CONTRAST 0.179

bool hsi_palette_is_dark(const hsi_palette *palette, unsigned class)
{
    return luminance(class_color(palette, class)) < EVEN_CONTRAST;
}

void hsi_palette_style(hsi_output *out, const hsi_palette *palette)
{
    char text[8];

    for (unsigned c = 0; c < HSI_COLOURS; c++) {
        if (!palette->used[c])
            continue;
        color_text(class_color(palette, c), text);
        hsi_output_format(out, ".c%u{fill:%s}%s.a%u{fill:url(#%c%u)}\n", c, text,
                          palette->narrow ? ".narrow " : "", c, palette->narrow ? 'n' : 'h', c);
    }
}

/* Write the hatches. They let half of the page through, so their hue fits any page. */
void hsi_palette_hatches(hsi_output *out, const hsi_palette *palette, double height)
{
    for (unsigned c = 0; c < HSI_COLOURS; c++) {
        if (!palette->used[c])
            continue;
        hsi_output_format(out,
                          "<pattern id=\"%c%u\" width=\"6\" height=\"6\" "
                          "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)%s\">"
                          "<path class=\"c%u\" fill-opacity=\".5\" d=\"M0 0h6v6h-6z\"/>"
                          "<path class=\"t\" d=\"M0 0h1.75v6h-1.75z\"/></pattern>\n",
                          palette->narrow ? 'n' : 'h', c, height < 9 ? " scale(.5)" : "", c);
    }
}
