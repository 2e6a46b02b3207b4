/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Colours in the style sheet of a Gantt chart, for light and dark screens. Colours differ enough,
 * in lightness too, for normal vision, protanopia and deuteranopia, and texts on bars are readable.
 * Colour blindness is simulated by the matrices of G. M. Machado, M. M. Oliveira and L. A. F.
 * Fernandes, A physiologically-based model for simulation of color vision deficiency, IEEE TVCG
 * 15(6), 2009 (severity 1). Differences are distances in CIE 1976 L*a*b* for D65.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture_sample.h"
#include "suite.h"

enum { KERNELS = 8, REST = 10, GPU_ONLY = 11, LIGHT = 0, DARK = 1, VISIONS = 3 };

typedef struct lab {
    double l, a, b;
} lab;

static const double vision[VISIONS][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868},
     {0.114503, 0.786281, 0.099216},
     {-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968},
     {0.280085, 0.672501, 0.047413},
     {-0.011820, 0.042940, 0.968881}},
};

/* Convert the colour 0xrrggbb to linear RGB in [0, 1]. */
static void linear_rgb(unsigned color, double out[3])
{
    for (int i = 0; i < 3; i++) {
        double v = (color >> (16 - 8 * i) & 255) / 255.0;

        out[i] = v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
    }
}

static double luminance(unsigned color)
{
    double c[3];

    linear_rgb(color, c);
    return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
}

static double contrast(unsigned a, unsigned b)
{
    double x = luminance(a) + 0.05, y = luminance(b) + 0.05;

    return x > y ? x / y : y / x;
}

static double lab_function(double t)
{
    return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

static lab seen_colour(unsigned color, int how)
{
    double c[3], s[3], x, y, z;

    linear_rgb(color, c);
    for (int i = 0; i < 3; i++) {
        const double *row = vision[how][i];

        s[i] = fmin(1, fmax(0, row[0] * c[0] + row[1] * c[1] + row[2] * c[2]));
    }
    x = lab_function((0.4124564 * s[0] + 0.3575761 * s[1] + 0.1804375 * s[2]) / 0.95047);
    y = lab_function(0.2126729 * s[0] + 0.7151522 * s[1] + 0.0721750 * s[2]);
    z = lab_function((0.0193339 * s[0] + 0.1191920 * s[1] + 0.9503041 * s[2]) / 1.08883);
    return (lab){116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

static double colour_difference(unsigned a, unsigned b, int kind)
{
    lab x = seen_colour(a, kind), y = seen_colour(b, kind);

    return sqrt((x.l - y.l) * (x.l - y.l) + (x.a - y.a) * (x.a - y.a) + (x.b - y.b) * (x.b - y.b));
}

/* Return the fill colour of a class between two places of the style sheet; `missing` if no rule
 * sets the colour. */
static unsigned fill_between(const char *from, const char *to, const char *class, unsigned missing)
{
    char rule[16];

    snprintf(rule, sizeof rule, ".%s{", class);
    for (const char *at = from; (at = strstr(at, rule)) && at < to; at++) {
        const char *fill = strstr(at, "fill:#"), *end = strchr(at, '}');
        unsigned    color = 0;
        int         digits = 0;

        if (!fill || fill > end || sscanf(fill + 6, "%x%n", &color, &digits) != 1)
            continue;
        if (digits == 3)
            color = (color >> 8) * 0x110000 + (color >> 4 & 15) * 0x1100 + (color & 15) * 0x11;
        return color;
    }
    return missing;
}

/* Return the fill colour of a class on light or dark screens. */
static unsigned fill_of(const char *svg, const char *class, int dark)
{
    const char *query = strstr(svg, "@media screen and (prefers-color-scheme:dark)");
    unsigned    color = fill_between(svg, query, class, ~0u);

    return dark ? fill_between(query, strstr(query, "</style>"), class, color) : color;
}

static unsigned class_fill(const char *svg, unsigned class, int dark)
{
    char name[8];

    snprintf(name, sizeof name, "c%u", class);
    ck_assert_msg(fill_of(svg, name, dark) != ~0u, "class %u has no colour", class);
    return fill_of(svg, name, dark);
}

/* Return the SVG text of a chart with one task per CPU, or on the GPU for tasks with an infinite
 * CPU time. Colours stand for kernels, or for ratios of times if `ratios` is 1. */
static char *draw_chart(unsigned tasks, const double *gpu, const double *cpu, bool ratios)
{
    hs_builder  *b = NULL;
    sample       made = {0};
    hs_placement placed[16];
    size_t       length;
    char        *svg;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    hs_builder_set_workers(b, tasks, 1);
    for (unsigned i = 0; i < tasks; i++) {
        char    name[8];
        hs_task task = {.struct_size = sizeof task, .cpu = cpu ? cpu[i] : 1, .gpu = gpu[i]};

        snprintf(name, sizeof name, "k%02u", i);
        task.kernel = ratios ? NULL : name;
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
        placed[i] = (hs_placement){0, 1, i, isinf(task.cpu) ? tasks : i, HS_RUN};
    }
    ck_assert_int_eq(hs_builder_finish(b, &made.in, NULL), HS_OK);
    hs_builder_free(b);
    ck_assert_int_eq(hs_schedule_build(tasks, 1, tasks, placed, &made.s), HS_OK);
    svg = write_text(hs_gantt_write, &made, NULL, &length);
    free_sample(&made);
    return svg;
}

/* Return a chart with more kernels than colours. */
static char *chart_of_kernels(void)
{
    static const double gpu[10] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

    return draw_chart(10, gpu, NULL, false);
}

/* Return a chart with `classes` classes of the scale, a task for CPUs only and a task for GPUs
 * only. */
static char *chart_of_ratios(unsigned classes)
{
    double gpu[12], cpu[12];

    for (unsigned i = 0; i < classes; i++) {
        gpu[i] = ldexp(1, -(int)i);
        cpu[i] = 1;
    }
    gpu[classes] = cpu[classes + 1] = INFINITY;
    cpu[classes] = gpu[classes + 1] = 1;
    return draw_chart(classes + 2, gpu, cpu, true);
}

static void check_pair(unsigned a, unsigned b, int dark, double least)
{
    for (int how = 0; how < VISIONS; how++)
        ck_assert_msg(colour_difference(a, b, how) >= least,
                      "#%06x and #%06x differ by %.1f (vision %d, theme %d)", a, b,
                      colour_difference(a, b, how), how, dark);
}

START_TEST(kernel_colours_differ)
{
    char *svg = chart_of_kernels();

    for (unsigned i = 0; i <= KERNELS; i++) {
        unsigned a = class_fill(svg, i < KERNELS ? i : REST, _i);

        check_pair(a, fill_of(svg, "l", _i), _i, 16); /* contrast with an idle lane */
        for (unsigned k = 0; k < i; k++) {
            unsigned b = class_fill(svg, k, _i);

            check_pair(a, b, _i, i < 3 ? 50 : 20);
            if (i < KERNELS)
                ck_assert_double_ge(fabs(seen_colour(a, 0).l - seen_colour(b, 0).l), 5);
        }
    }
    free(svg);
}
END_TEST

/* Verify that each step of the scale is darker than the previous step, for each kind of vision. */
START_TEST(scale_darkens_step_by_step)
{
    for (unsigned classes = 2; classes <= 10; classes++) {
        char *svg = chart_of_ratios(classes);

        for (int how = 0; how < VISIONS; how++)
            for (unsigned c = 1; c < classes; c++)
                ck_assert_msg(seen_colour(class_fill(svg, c - 1, _i), how).l -
                                      seen_colour(class_fill(svg, c, _i), how).l >=
                                  2,
                              "step %u of %u, vision %d", c, classes, how);
        for (unsigned c = 0; c < classes; c++) {
            check_pair(class_fill(svg, c, _i), class_fill(svg, REST, _i), _i, 30);
            check_pair(class_fill(svg, c, _i), class_fill(svg, GPU_ONLY, _i), _i, 16);
            check_pair(class_fill(svg, c, _i), fill_of(svg, "l", _i), _i, 16);
        }
        check_pair(class_fill(svg, REST, _i), class_fill(svg, GPU_ONLY, _i), _i, 30);
        free(svg);
    }
}
END_TEST

/* Assert that each text and the bar behind have at least the contrast of WCAG 2, level AA; return
 * the number of texts. */
static unsigned check_texts(const char *svg, int dark)
{
    unsigned texts = 0, class;

    for (const char *at = svg; (at = strstr(at, "<text class=\"n")); at++) {
        const char *bar = at;
        unsigned    text = fill_of(svg, strncmp(at, "<text class=\"n w\"", 17) ? "n" : "w", dark);

        do
            bar--;
        while (strncmp(bar, "<rect class=\"c", 14) != 0);
        ck_assert_int_eq(sscanf(bar + 14, "%u", &class), 1);
        ck_assert_msg(contrast(text, class_fill(svg, class, dark)) >= 4.5,
                      "text on class %u has a contrast of %.2f", class,
                      contrast(text, class_fill(svg, class, dark)));
        texts++;
    }
    return texts;
}

START_TEST(text_on_bars_has_contrast)
{
    char *svg = chart_of_kernels();

    ck_assert_uint_eq(check_texts(svg, _i), 10);
    free(svg);
    for (unsigned classes = 2; classes <= 10; classes++) {
        svg = chart_of_ratios(classes);
        ck_assert_uint_eq(check_texts(svg, _i), 2 * classes + 2);
        free(svg);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("palette");
    TCase *tests = tcase_create("all");

    tcase_add_loop_test(tests, kernel_colours_differ, LIGHT, DARK + 1);
    tcase_add_loop_test(tests, scale_darkens_step_by_step, LIGHT, DARK + 1);
    tcase_add_loop_test(tests, text_on_bars_has_contrast, LIGHT, DARK + 1);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
