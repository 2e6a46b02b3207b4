/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Pictures of waits for an abort. A Gantt chart has a bar for each wait, in the lane of the waiting
 * worker, cut off at the end of the run; its title names the victim and the task. A trace has an
 * event for each wait.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture_sample.h"
#include "suite.h"
#include "unit/well_formed.h"

/* Return a run in which gpu0 spoliates task a of cpu0, and task b of cpu1; the run ends before cpu1
 * has aborted b. */
static sample make_sample_of_cpus(unsigned more_cpus)
{
    static const char *const names[] = {"a", "<b>"};
    const unsigned           cpus = 2 + more_cpus;
    const hs_placement       placed[] = {
              {0, 2, 0, 0, HS_ABORTED}, {0, 4, 1, 1, HS_ABORTED}, {2, 2.5, 0, cpus, HS_RUN}};
    sample      made = {.runs = 1, .aborted = 2};
    hs_builder *b = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    hs_builder_set_workers(b, cpus, 1);
    for (size_t i = 0; i < 2; i++)
        ck_assert_int_eq(
            hs_builder_add_row(
                b,
                &(hs_task){.struct_size = sizeof(hs_task), .id = names[i], .cpu = 5, .gpu = 0.5}),
            HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &made.in, NULL), HS_OK);
    hs_builder_free(b);
    ck_assert_int_eq(hs_schedule_build(cpus, 1, 3, placed, &made.s), HS_OK);
    return made;
}

/* The first is a wait of cpu1, the second is too short to be drawn, the last ends after the run. */
enum { WAITS = 4 };
static const hs_wait waits[WAITS] = {
    {3, 3.5, 0, 1, 0}, {0.5, 0.5001, 0, 2, 0}, {1, 2, 0, 2, 0}, {2.5, 9, 1, 2, 1}};

static hs_picture picture_of(const hs_wait *list, size_t count)
{
    hs_picture picture;

    hs_picture_init(&picture);
    picture.waits = list;
    picture.wait_count = count;
    return picture;
}

static double number_after(const char *at, const char *key)
{
    return strtod(strstr(at, key) + strlen(key), NULL);
}

static const char *nth_occurrence(const char *text, const char *word, int n)
{
    for (text = strstr(text, word); n > 0; n--)
        text = strstr(text + 1, word);
    return text;
}

/* Assert that the bar at `at` is in the given lane, counted from the top, spans `from` to `to`
 * seconds, and has this title. */
static void require_wait(const char *svg, const char *at, int lane, double from, double to,
                         const char *title)
{
    const char *row =
        nth_occurrence(svg, "class=\"l\"", 1 + lane); /* skip the first lane of the text, which
                                                         is in the legend */
    const char *end = strstr(at, "</title>");
    double      left = number_after(row, " x=\""), unit = number_after(row, " width=\"") / 4;

    ck_assert_double_eq(number_after(at, " y=\""), number_after(row, " y=\""));
    ck_assert_double_eq_tol(number_after(at, " x=\""), left + from * unit, 0.1);
    ck_assert_double_eq_tol(number_after(at, " width=\""), (to - from) * unit, 0.1);
    ck_assert_msg(strstr(at, title) && strstr(at, title) < end, "%.200s", at);
}

START_TEST(waits_are_drawn_in_lanes)
{
    sample     made = make_sample_of_cpus(0);
    hs_picture picture = picture_of(waits, WAITS);
    size_t     length;
    char      *svg = write_text(hs_gantt_write, &made, &picture, &length);

    ck_assert(is_xml(svg, length));
    ck_assert_uint_eq(occurrences(svg, "class=\"yv\""), 4); /* number of bars: three waits and
                                                               the legend */
    ck_assert_ptr_nonnull(strstr(svg, ">idle until another aborts</text>"));
    require_wait(svg, nth_occurrence(svg, "\"yv\"", 1), 2, 3, 3.5,
                 "cpu1 waited for cpu0 to abort a\n");
    require_wait(svg, nth_occurrence(svg, "\"yv\"", 2), 0, 1, 2,
                 "gpu0 waited for cpu0 to abort a\n1 \xe2\x80\x93 2 s: 1 s");
    require_wait(svg, nth_occurrence(svg, "\"yv\"", 3), 0, 2.5, 4,
                 "gpu0 waited for cpu1 to abort &lt;b&gt;\n2.5 \xe2\x80\x93 9 s: 6.5 s");
    free(svg);
    picture.width = 400;
    svg = write_text(hs_gantt_write, &made, &picture, &length);
    ck_assert(is_xml(svg, length));
    ck_assert_uint_eq(occurrences(svg, "class=\"yv\""), 4);
    ck_assert_ptr_nonnull(strstr(svg, "<title>"));
    free(svg);
    free_sample(&made);
}
END_TEST

/* Draw no waits in rows that merge many workers, nor in the rows of a predicted schedule. */
START_TEST(waits_are_not_drawn_in_merged_rows)
{
    sample        made = make_sample_of_cpus(400), few = make_sample_of_cpus(0);
    const hs_wait of_cpu = {1, 3, 0, 7, 0};
    hs_picture    picture = picture_of(&of_cpu, 1);
    size_t        length;
    char         *text = write_text(hs_gantt_write, &made, &picture, &length);

    ck_assert(is_xml(text, length));
    ck_assert_ptr_null(strstr(text, "yv"));
    free(text);
    picture = picture_of(waits, WAITS);
    picture.predicted = few.s;
    text = write_text(hs_gantt_write, &few, &picture, &length);
    ck_assert_uint_eq(occurrences(text, "class=\"yv\""), 4);
    free(text);
    text = write_text(hs_trace_write, &few, &picture, &length);
    ck_assert_uint_eq(occurrences(text, "\"cat\":\"wait\""), WAITS);
    free(text);
    picture = picture_of(NULL, 0);
    text = write_text(hs_gantt_write, &few, &picture, &length);
    ck_assert_ptr_null(strstr(text, "yv"));
    free(text);
    free_sample(&made);
    free_sample(&few);
}
END_TEST

START_TEST(waits_are_bars_of_a_trace)
{
    sample     made = make_sample_of_cpus(0);
    hs_picture picture = picture_of(waits, WAITS);
    size_t     length;
    char      *text = write_text(hs_trace_write, &made, &picture, &length), *at;

    ck_assert(is_json(text, length));
    ck_assert_uint_eq(occurrences(text, "\"cat\":\"wait\""), WAITS);
    at = strstr(text, "\"ts\":1000000,\"dur\":1000000,\"pid\":3,\"tid\":3,\"cat\":\"wait\"");
    ck_assert_ptr_nonnull(at);
    ck_assert_ptr_nonnull(strstr(at, "\"name\":\"waits for cpu0\",\"args\":{\"task\":\"a\","
                                     "\"victim\":\"cpu0\",\"start\":1,\"end\":2}}"));
    free(text);
    free_sample(&made);
}
END_TEST

static hs_status status_of_waits(const sample *made, hs_wait first, hs_wait second)
{
    hs_wait    list[] = {first, second};
    hs_picture picture = picture_of(list, 2);
    hs_status  status = hs_gantt_write(-1, made->in, made->s, &picture, NULL);

    ck_assert_int_eq(hs_trace_write(-1, made->in, made->s, &picture, NULL), status);
    return status;
}

START_TEST(invalid_waits_are_refused)
{
    const hs_wait good = {1, 2, 0, 1, 0},
                  bad[] = {{1, 2, 0, 3, 0},   {1, 2, 0, 1, 3},       {1, 2, 2, 1, 0},
                           {2, 1, 0, 1, 0},   {-1, 2, 0, 1, 0},      {NAN, 2, 0, 1, 0},
                           {1, NAN, 0, 1, 0}, {1, INFINITY, 0, 1, 0}};
    sample made = make_sample_of_cpus(0);

    ck_assert_int_eq(status_of_waits(&made, good, good), HS_EIO); /* descriptor -1 is not open */
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_int_eq(status_of_waits(&made, good, bad[i]), HS_ESCHEDULE);
    ck_assert_int_eq(status_of_waits(&made, good, (hs_wait){0, 2, 0, 1, 0}), HS_EINVAL);
    ck_assert_int_eq(status_of_waits(&made, good, (hs_wait){1, 2, 0, 0, 1}), HS_EINVAL);
    free_sample(&made);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("waits");
    TCase *cases = tcase_create("pictures");

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, waits_are_drawn_in_lanes);
    tcase_add_test(cases, waits_are_not_drawn_in_merged_rows);
    tcase_add_test(cases, waits_are_bars_of_a_trace);
    tcase_add_test(cases, invalid_waits_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
