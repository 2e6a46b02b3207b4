/* SPDX-License-Identifier: BSD-3-Clause */
/* Test plots: quantiles, boxes, lines, points and areas, and refused plots. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/plot/plot.h"
#include "suite.h"
#include "unit/well_formed.h"

static const double some[] = {3, 1, 2, 5, 4, 40}, over[] = {1, 2, 4, 8, 16, 32};

/* Return the SVG text of a plot; the caller frees the text. */
static char *plot_as_text(const plot_spec *plot)
{
    FILE  *file = tmpfile();
    char  *text = calloc(1, 1 << 20);
    size_t length;

    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(text);
    ck_assert(plot_is_valid(plot));
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", file); /* declaration that is_xml()
                                                                    expects */
    plot_write(file, plot);
    rewind(file);
    length = fread(text, 1, (1 << 20) - 1, file);
    ck_assert_uint_gt(length, 0);
    fclose(file);
    ck_assert(is_xml(text, length));
    return text;
}

static size_t count_occurrences(const char *text, const char *what)
{
    size_t found = 0;

    for (; (text = strstr(text, what)); text += strlen(what))
        found++;
    return found;
}

START_TEST(quantiles_lie_between_values)
{
    const double sorted[] = {1, 2, 4, 8};

    ck_assert(isnan(quantile(sorted, 0, 0.5)));
    ck_assert_double_eq(quantile(sorted, 1, 0.9), 1);
    ck_assert_double_eq(quantile(sorted, 4, 0), 1);
    ck_assert_double_eq(quantile(sorted, 4, 0.5), 3);
    ck_assert_double_eq(quantile(sorted, 4, 0.75), 5);
    ck_assert_double_eq(quantile(sorted, 4, 1), 8);
}
END_TEST

START_TEST(points_are_marks)
{
    static const double x[] = {1, 10, 10, 100}, y[] = {2, 10, 10, 1000};
    plot_series series[] = {{.name = "a", .count = 4, .x = x, .y = y, .colour = 3},
                            {.name = "b", .count = 1, .x = x, .y = y, .square = true, .colour = 3}};
    plot_spec   plot = {.kind = PLOT_POINTS, .log_x = 1, .log_y = 1, .series = series, .count = 2};
    char       *text;

    plot.reference_name = "x = y";
    text = plot_as_text(&plot);
    ck_assert_uint_eq(count_occurrences(text, "h0"), 3 + 1 + 2); /* equal points once; the legend */
    ck_assert_uint_eq(count_occurrences(text, "\"pt s3\""), 2);
    ck_assert_uint_eq(count_occurrences(text, "\"pt sq s3\""), 2);
    ck_assert_uint_eq(count_occurrences(text, ">x = y<"), 1);
    ck_assert_uint_eq(count_occurrences(text, ">1000<"), 2); /* on both axes */
    free(text);
}
END_TEST

/*
 * The value 40 lies further than 1.5 times the height of the box from the box; every other value is
 * nearer.
 */
START_TEST(boxes_have_whiskers_and_dots)
{
    const plot_series series[] = {
        {.name = "a <name>", .count = 6, .y = some},
        {.name = "none"},
        {.name = "a <name>", .count = 2, .y = over, .published = true}};
    plot_spec plot = {0};
    char   *text;

    plot.title = "A & B";
    plot.y_name = "values";
    plot.series = series;
    plot.count = 3;
    text = plot_as_text(&plot);
    ck_assert_uint_eq(count_occurrences(text, "<circle"), 1);
    ck_assert_uint_eq(count_occurrences(text, "<rect class=\"bx"), 1);
    ck_assert_uint_eq(count_occurrences(text, ">a &lt;name&gt;<"), 1);
    ck_assert_uint_eq(count_occurrences(text, ">none<"), 1);
    ck_assert_uint_eq(count_occurrences(text, ">published<"), 1);
    ck_assert_uint_eq(count_occurrences(text, ">3.5<"), 1); /* the median */
    free(text);
}
END_TEST

START_TEST(lines_go_through_their_points)
{
    const plot_series series[] = {
        {.name = "ours", .count = 6, .x = over, .y = some},
        {.name = "theirs", .count = 2, .x = over, .y = over, .published = true}};

    for (int log = 0; log < 2; log++) {
        plot_spec plot = {0};
        char   *text;

        plot.kind = PLOT_LINES;
        plot.x_name = "x";
        plot.y_name = "y";
        plot.log_x = plot.log_y = log;
        plot.series = series;
        plot.count = 2;
        plot.reference = 2;
        plot.reference_name = "limit";
        text = plot_as_text(&plot);
        ck_assert_uint_eq(count_occurrences(text, "<path class=\"mk"),
                          6 + 2 + 2); /* two marks are in the legend */
        ck_assert_uint_eq(count_occurrences(text, ">theirs, published<"), 1);
        ck_assert_uint_eq(count_occurrences(text, ">limit<"), 1);
        ck_assert_uint_eq(count_occurrences(text, "nan"), 0);
        ck_assert_uint_eq(count_occurrences(text, "inf"), 0);
        free(text);
    }
}
END_TEST

/* Dots have no line between them; a curve has its colour and no marks, and fits into the axes. */
/* Bars are drawn where their ends differ, and count for the axis. */
START_TEST(points_of_lines_may_have_bars)
{
    static const double low[] = {3, 0.5, 2, 5, 4, 40}, high[] = {3, 1, 2, 5, 4, 95};
    plot_series series = {.name = "a", .count = 6, .x = over, .y = some, .low = low, .high = high};
    plot_spec   plot = {.kind = PLOT_LINES, .count = 1, .series = &series};
    char       *text = plot_as_text(&plot);

    ck_assert_uint_eq(count_occurrences(text, "class=\"br s0\""), 2);
    ck_assert_uint_eq(count_occurrences(text, ">100<"), 1);
    free(text);
    plot.log_y = 1;
    series.low = (const double[]){3, 0, 2, 5, 4, 40};
    ck_assert(!plot_is_valid(&plot));
}
END_TEST

START_TEST(dots_may_have_a_curve)
{
    const double      x[] = {1, 100}, y[] = {1, 1000}, high[] = {INFINITY, 1};
    const plot_series line = {.name = "line", .count = 6, .x = over, .y = some};
    plot_series       series[2] = {line, line};
    plot_spec         plot = {.kind = PLOT_LINES, .series = series, .count = 2, .log_y = 1};
    char             *text = plot_as_text(&plot);

    ck_assert_uint_eq(count_occurrences(text, "<path class=\"ln s1\""), 2);
    ck_assert_uint_eq(count_occurrences(text, ">1000</text>"), 0);
    free(text);
    series[1].dots = true;
    text = plot_as_text(&plot);
    ck_assert_uint_eq(count_occurrences(text, "<path class=\"ln s1\""), 0);
    ck_assert_uint_eq(count_occurrences(text, "<path class=\"mk s1\""), 7);
    free(text);
    series[1].curve_count = 2;
    series[1].curve_x = x;
    series[1].curve_y = y;
    text = plot_as_text(&plot);
    ck_assert_uint_eq(count_occurrences(text, "<path class=\"ln s1\""), 2);
    ck_assert_uint_eq(count_occurrences(text, "<path class=\"mk s1\""), 7);
    ck_assert_uint_eq(count_occurrences(text, ">1000</text>"), 1);
    free(text);
    series[1].curve_y = high;
    ck_assert(!plot_is_valid(&plot));
}
END_TEST

/*
 * An area consists of steps from the foot of the frame and back; the last value only ends the area.
 */
START_TEST(areas_are_steps)
{
    const double   x[] = {0, 10, 30, 40}, y[] = {50, 100, 25, 0};
    plot_series    series = {.name = "values", .count = 4, .x = x, .y = y};
    plot_spec      plot = {0};
    char          *text;

    plot.kind = PLOT_AREAS;
    plot.y_range[1] = 100;
    plot.series = &series;
    plot.count = 1;
    plot.width = 468; /* size of the plot in pixels: 400 for x, 130 for y */
    text = plot_as_text(&plot);
    ck_assert_uint_eq(count_occurrences(text, "<path class=\"ar s0\" d=\"M52 148"
                                              "V83H152V18H352V115.5H452V148V148Z\"/>"),
                      1);
    free(text);
    series.count = 0;
    free(plot_as_text(&plot));
}
END_TEST

/* Plots with equal ranges have equal ticks for any values. */
START_TEST(ticks_depend_on_the_range_only)
{
    const double   x[] = {3, 4}, bad[][2] = {{2, 1}, {0, INFINITY}, {-1, 1}, {NAN, NAN}};
    plot_series    series = {.name = "values", .count = 2, .x = x, .y = x};
    plot_spec      plot = {0};

    for (int kind = PLOT_BOXES; kind <= PLOT_AREAS; kind++) {
        char *text;

        plot = (plot_spec){.kind = (plot_kind)kind};
        plot.series = &series;
        plot.count = 1;
        plot.x_range[1] = plot.y_range[1] = 700;
        text = plot_as_text(&plot);
        ck_assert_uint_ge(count_occurrences(text, ">0</text>"), kind == PLOT_BOXES ? 1 : 2);
        ck_assert_uint_ge(count_occurrences(text, ">600</text>"), 1);
        free(text);
        for (int i = 0; i < 4; i++) {
            memcpy(plot.y_range, bad[i], sizeof bad[i]);
            ck_assert(!plot_is_valid(&plot));
        }
        plot.log_y = 1;
        memcpy(plot.y_range, (const double[]){0, 1}, sizeof plot.y_range);
        ck_assert(!plot_is_valid(&plot));
    }
}
END_TEST

/* Check that overlapping dots are drawn once: a page with a million tasks stays small. */
START_TEST(dots_are_not_drawn_twice)
{
    enum { COUNT = 20000 };
    double        *value = calloc(COUNT, sizeof *value);
    plot_series    series = {.name = "values", .count = COUNT, .x = NULL, .y = value};
    plot_spec      plot = {0};
    char          *text;

    for (int i = 0; i < COUNT; i++)
        value[i] = i % 5 ? 1 + i * 1e-9 : 2 + (i % 10 ? 1 : i * 1e-9);
    plot.series = &series;
    plot.count = 1;
    text = plot_as_text(&plot);
    ck_assert_uint_eq(count_occurrences(text, "<circle"), 2);
    free(text);
    free(value);
}
END_TEST

/* Draw plots whose values are equal, very large, very small, or missing. */
START_TEST(any_values_have_an_axis)
{
    const double        same[] = {7, 7}, large[] = {1e300, 3e300}, small[] = {1e-300, 2e-300};
    const double        zero[] = {0, 0}, close[] = {1, 1 + 1e-9};
    const double *const all[] = {same, large, small, zero, close};

    for (int i = 0; i < 5; i++)
        for (int kind = PLOT_BOXES; kind <= PLOT_AREAS; kind++)
            for (int log = 0; log < 2; log++) {
                const plot_series series = {.name = "values", .count = 2, .x = over, .y = all[i]};
                plot_spec         plot = {0};

                if (log && all[i] == zero)
                    continue;
                plot.kind = (plot_kind)kind;
                plot.log_y = log;
                plot.series = &series;
                plot.count = 1;
                free(plot_as_text(&plot));
                plot.count = 0;
                free(plot_as_text(&plot));
            }
}
END_TEST

START_TEST(invalid_plots_are_refused)
{
    const double   bad[] = {NAN, INFINITY, -1};
    plot_series    series = {.name = "values", .count = 1, .x = over, .y = over};
    plot_spec      plot = {0};

    plot.series = &series;
    plot.count = 1;
    ck_assert(plot_is_valid(&plot));
    for (int i = 0; i < 3; i++) {
        series.y = &bad[i];
        ck_assert(!plot_is_valid(&plot));
    }
    series.y = (const double[]){0};
    plot.log_y = 1;
    ck_assert(!plot_is_valid(&plot));
    plot.log_y = 0;
    plot.width = 100;
    ck_assert(!plot_is_valid(&plot));
    plot.width = 0;
    plot.kind = PLOT_LINES;
    series.x = NULL;
    ck_assert(!plot_is_valid(&plot));
}
END_TEST

/* The range from 2471 to 4883 contains no power of ten, nor 2 or 5 times a power of ten. */
START_TEST(logarithms_within_a_decade_have_ticks)
{
    static const double y[] = {2471, 3000, 4883};
    plot_series         series = {.name = "values", .count = 3, .x = over, .y = y};
    plot_spec           plot = {0};
    char               *text;

    plot.kind = PLOT_LINES;
    plot.series = &series;
    plot.count = 1;
    plot.log_y = 1;
    text = plot_as_text(&plot);
    ck_assert_uint_eq(count_occurrences(text, ">3000</text>"), 1);
    ck_assert_uint_eq(count_occurrences(text, ">4000</text>"), 1);
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plot");
    TCase *cases = tcase_create("plots");

    tcase_add_test(cases, quantiles_lie_between_values);
    tcase_add_test(cases, points_are_marks);
    tcase_add_test(cases, boxes_have_whiskers_and_dots);
    tcase_add_test(cases, lines_go_through_their_points);
    tcase_add_test(cases, points_of_lines_may_have_bars);
    tcase_add_test(cases, dots_may_have_a_curve);
    tcase_add_test(cases, areas_are_steps);
    tcase_add_test(cases, ticks_depend_on_the_range_only);
    tcase_add_test(cases, dots_are_not_drawn_twice);
    tcase_add_test(cases, logarithms_within_a_decade_have_ticks);
    tcase_add_test(cases, any_values_have_an_axis);
    tcase_add_test(cases, invalid_plots_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
