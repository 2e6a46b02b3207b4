/* SPDX-License-Identifier: BSD-3-Clause */

/* Tests of both pictures and of the Gantt chart; check_trace.c tests the trace. */

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "picture_sample.h"
#include "suite.h"
#include "well_formed.h"

static const hs_named_bound some_bound = {"deadline", 0.75};

static const writer writers[] = {hs_gantt_write, hs_trace_write};

START_TEST(is_well_formed)
{
    sample     made = make_sample(&plans[_i]);
    hs_picture picture;

    hs_picture_init(&picture);
    for (int variant = 0; variant < 3; variant++) {
        size_t length;
        char  *text = write_text(hs_gantt_write, &made, variant ? &picture : NULL, &length);

        ck_assert(is_xml(text, length));
        free(text);
        text = write_text(hs_trace_write, &made, variant ? &picture : NULL, &length);
        ck_assert(is_json(text, length));
        free(text);
        picture.title = "a <title> & \"quotes\" \xff\x01";
        picture.bound = &some_bound;
        picture.width = variant ? 400 : 0;
    }
    free_sample(&made);
}
END_TEST

START_TEST(full_disk_is_reported)
{
    sample made = make_sample(&plans[1]);
    int    full = open("/dev/full", O_WRONLY);

    if (full >= 0) {
        errno = 0;
        ck_assert_int_eq(writers[_i](full, made.in, made.s, NULL, NULL), HS_EIO);
        ck_assert_int_eq(errno, ENOSPC);
        close(full);
    }
    errno = 0;
    ck_assert_int_eq(writers[_i](-1, made.in, made.s, NULL, NULL), HS_EIO);
    ck_assert_int_eq(errno, EBADF);
    free_sample(&made);
}
END_TEST

START_TEST(invalid_arguments_are_refused)
{
    sample               made = make_sample(&plans[0]);
    hs_instance         *other = NULL, *fewer = NULL;
    hs_picture           picture;
    hs_named_bound       endless = {.value = 1};
    static const double  time = 1;
    hs_placement         beyond = {0, 1, 1, 0, HS_RUN}; /* task 1 of one task */
    hs_schedule         *one = NULL;

    ck_assert_int_eq(writers[_i](-1, NULL, made.s, NULL, NULL), HS_EINVAL);
    ck_assert_int_eq(writers[_i](-1, made.in, NULL, NULL, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_instance_with_workers(made.in, 20, 5, &other), HS_OK);
    ck_assert_int_eq(writers[_i](-1, other, made.s, NULL, NULL), HS_ESCHEDULE);
    ck_assert_int_eq(hs_instance_wrap(1, &time, &time, NULL, 20, 4, &fewer), HS_OK);
    ck_assert_int_eq(writers[_i](-1, fewer, made.s, NULL, NULL), HS_ESCHEDULE);
    ck_assert_int_eq(hs_schedule_build(20, 4, 1, &beyond, &one), HS_OK);
    ck_assert_int_eq(writers[_i](-1, fewer, one, NULL, NULL), HS_ESCHEDULE);
    hs_schedule_free(one);
    hs_picture_init(&picture);
    picture.struct_size = 1;
    ck_assert_int_eq(writers[_i](-1, made.in, made.s, &picture, NULL), HS_EINVAL);
    hs_picture_init(&picture);
    memset(endless.name, 'x', sizeof endless.name);
    picture.bound = &endless;
    ck_assert_int_eq(writers[_i](-1, made.in, made.s, &picture, NULL), HS_EINVAL);
    hs_instance_free(fewer);
    hs_instance_free(other);
    free_sample(&made);
}
END_TEST

START_TEST(gantt_draws_each_task_when_there_is_room)
{
    static const plan few = {.cpus = 6, .gpus = 2, .tasks = 60, .abort = 6, .unit_time = 1};
    sample            made = make_sample(&few);
    size_t            length;
    char             *text = write_text(hs_gantt_write, &made, NULL, &length);

    /* Each entry has a title; aborted entries of no length may be merged with a neighbour. */
    ck_assert_uint_ge(occurrences(text, "<title>t"), made.runs);
    ck_assert_uint_eq(occurrences(text, "><title>t59 on "), 1);
    ck_assert_uint_ge(occurrences(text, ", aborted on "), 3);
    ck_assert_ptr_nonnull(strstr(text, ">makespan</text>"));
    ck_assert_ptr_null(strstr(text, " bound</text>"));
    free(text);
    free_sample(&made);
}
END_TEST

START_TEST(gantt_names_its_bound)
{
    sample         made = make_sample(&plans[0]);
    hs_named_bound bound = {"area", NAN};
    hs_picture     picture;
    size_t         length;
    char          *text;

    hs_picture_init(&picture);
    picture.bound = &bound;
    for (int i = 0; i < 3; i++) {
        static const double values[] = {NAN, INFINITY, -1};

        bound.value = values[i];
        text = write_text(hs_gantt_write, &made, &picture, &length);
        ck_assert_ptr_null(strstr(text, "area"));
        free(text);
    }
    bound.value = hs_schedule_makespan(made.s);
    text = write_text(hs_gantt_write, &made, &picture, &length);
    ck_assert_ptr_nonnull(strstr(text, ">area bound</text>"));
    ck_assert_ptr_nonnull(strstr(text, "which the schedule meets"));
    free(text);
    free_sample(&made);
}
END_TEST

START_TEST(gantt_stays_small)
{
    static const plan large[] = {
        {.cpus = 20, .gpus = 4, .tasks = 100000, .odd = true, .abort = 20, .unit_time = 1, .gap = 1},
        {.cpus = 150, .gpus = 150, .tasks = 100000, .odd = true, .abort = 20, .unit_time = 1},
        {.cpus = 10000, .gpus = 1000, .tasks = 100000, .odd = true, .abort = 20, .unit_time = 1},
    };
    sample      made = make_sample(&large[_i]);
    size_t      length;
    char       *text = write_text(hs_gantt_write, &made, NULL, &length);
    const char *height = strstr(text, "viewBox=\"0 0 1120 ");

    ck_assert(is_xml(text, length));
    ck_assert_uint_le(length, 4 << 20);
    ck_assert_int_le(atoi(height + strlen("viewBox=\"0 0 1120 ")), 2400);
    ck_assert_ptr_nonnull(strstr(text, _i < 1 ? " tasks on gpu" : " tasks begin, "));
    free(text);
    free_sample(&made);
}
END_TEST

/* Return failures for every third aborted entry, to be freed by the caller. */
static hs_picture_failure *pick_failures(const sample *made, size_t *count)
{
    unsigned            workers = hs_schedule_cpus(made->s) + hs_schedule_gpus(made->s);
    hs_picture_failure *failures = calloc(made->aborted + 1, sizeof *failures);
    size_t              seen = 0;

    *count = 0;
    for (unsigned w = 0; w < workers; w++) {
        size_t          entries;
        const hs_entry *e = hs_schedule_entries(made->s, w, &entries);

        for (size_t i = 0; i < entries; i++)
            if (e[i].state == HS_ABORTED && seen++ % 3 == 0)
                failures[(*count)++] =
                    (hs_picture_failure){w, e[i].task, e[i].end, seen % 2 ? "it <broke>" : NULL};
    }
    return failures;
}

/* Return picture settings with bounds, failures and a predicted schedule beside the run. */
static hs_picture picture_beside(const hs_schedule *predicted, const hs_picture_failure *failures,
                                 size_t count)
{
    hs_picture picture;

    hs_picture_init(&picture);
    picture.bound = &some_bound;
    picture.predicted = predicted;
    picture.predicted_bound = &some_bound;
    picture.failures = failures;
    picture.failure_count = count;
    return picture;
}

START_TEST(chart_with_prediction_is_well_formed)
{
    sample              made = make_sample(&plans[_i]);
    size_t              length, count;
    hs_picture_failure *failures = pick_failures(&made, &count);
    hs_picture          picture = picture_beside(made.s, failures, count);
    char               *text = write_text(hs_gantt_write, &made, &picture, &length);

    ck_assert(is_xml(text, length));
    ck_assert_uint_eq(occurrences(text, ">Predicted<"), 1);
    ck_assert_uint_eq(occurrences(text, ">What happened</text>"), 1);
    ck_assert_uint_ge(occurrences(text, "class=\"q\""), count > 0 ? 2 : 0);
    free(text);
    text = write_text(hs_trace_write, &made, &picture, &length);
    ck_assert(is_json(text, length));
    ck_assert_uint_eq(occurrences(text, "\"cat\":\"failed\""), count);
    free(text);
    free(failures);
    free_sample(&made);
}
END_TEST

START_TEST(failures_are_marked)
{
    static const plan   few = {.cpus = 2, .gpus = 1, .tasks = 40, .abort = 4, .unit_time = 1};
    sample              made = make_sample(&few);
    size_t              length, count;
    hs_picture_failure *failures = pick_failures(&made, &count);
    hs_picture          picture = picture_beside(made.s, failures, count);
    char               *text = write_text(hs_gantt_write, &made, &picture, &length);

    ck_assert_uint_ge(count, 3);
    ck_assert_uint_ge(occurrences(text, " failed on "), 1);
    ck_assert_uint_ge(occurrences(text, "it &lt;broke&gt;"), 1);
    ck_assert_uint_ge(occurrences(text, "; estimated "), made.runs);
    ck_assert_uint_eq(occurrences(text, ">makespan</text>"), 2);
    free(text);
    free(failures);
    free_sample(&made);
}
END_TEST

/* Both charts share one time scale: a predicted schedule fits on the page beside an empty run. */
START_TEST(run_and_prediction_share_one_scale)
{
    sample      made = make_sample(&plans[0]);
    sample      idle = {.in = made.in};
    size_t      length;
    hs_picture  picture = picture_beside(made.s, NULL, 0);
    char       *text;
    const char *at;
    double      x, y, width;

    picture.bound = picture.predicted_bound = NULL;
    ck_assert_int_eq(hs_schedule_build(plans[0].cpus, plans[0].gpus, 0, NULL, &idle.s), HS_OK);
    text = write_text(hs_gantt_write, &idle, &picture, &length);
    for (at = text; (at = strstr(at, "<rect class=\"c")); at++)
        if (sscanf(at, "<rect class=\"%*[^\"]\" x=\"%lf\" y=\"%lf\" width=\"%lf\"", &x, &y,
                   &width) == 3)
            ck_assert_double_le(x + width, 1120);
    free(text);
    hs_schedule_free(idle.s);
    free_sample(&made);
}
END_TEST

/* Return the Gantt chart of one task of the given time and unit, to be freed by the caller. */
static char *chart_of(double time, hs_unit unit, const hs_picture *picture)
{
    hs_builder  *builder = NULL;
    sample       made = {0};
    hs_task      task = {.struct_size = sizeof task, .cpu = time, .gpu = INFINITY};
    hs_placement placed = {0, time, 0, 0, HS_RUN};
    size_t       length;
    char        *text;

    ck_assert_int_eq(hs_builder_create(&builder), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(builder, 1, 0), HS_OK);
    ck_assert_int_eq(hs_builder_set_unit(builder, unit), HS_OK);
    ck_assert_int_eq(hs_builder_add_row(builder, &task), HS_OK);
    ck_assert_int_eq(hs_builder_finish(builder, &made.in, NULL), HS_OK);
    hs_builder_free(builder);
    ck_assert_int_eq(hs_schedule_build(1, 0, 1, &placed, &made.s), HS_OK);
    text = write_text(hs_gantt_write, &made, picture, &length);
    free_sample(&made);
    return text;
}

/* Expected subtitle, some tick labels and axis title: all labels of an axis share one notation. */
static const struct {
    double      time;
    hs_unit     unit;
    const char *subtitle, *ticks[3], *axis;
} scales[] = {
    {430174272, HS_SECONDS, "makespan 430174272 s (4978 d 21 h)<",
     {">0</text>", ">2</text>", ">4</text>"}, "time (10\xe2\x81\xb8 s)"},
    {1.2e12, HS_NANOSECONDS, "makespan 1.2e12 ns (20 min)<",
     {">0</text>", ">0.4</text>", ">1.2</text>"}, "time (10\xc2\xb9\xc2\xb2 ns)"},
    {31067, HS_SECONDS, "makespan 31067 s (8 h 38 min)<",
     {">0:00</text>", ">4:00</text>", ">8:00</text>"}, "time (h:min)"},
    {31067e3, HS_MILLISECONDS, "makespan 31067000 ms (8 h 38 min)<",
     {">0:00</text>", ">4:00</text>", ">8:00</text>"}, "time (h:min)"},
    {500000, HS_MICROSECONDS, "makespan 500000 \xc2\xb5s<",
     {">0</text>", ">200000</text>", ">400000</text>"}, "time (\xc2\xb5s)"},
    {0.00002, HS_SECONDS, "makespan 2e-5 s<",
     {">0</text>", ">1</text>", ">2</text>"}, "time (10\xe2\x81\xbb\xe2\x81\xb5 s)"},
};

START_TEST(axis_has_one_notation)
{
    char *text = chart_of(scales[_i].time, scales[_i].unit, NULL);

    ck_assert_ptr_nonnull(strstr(text, scales[_i].subtitle));
    for (int i = 0; i < 3; i++)
        ck_assert_msg(strstr(text, scales[_i].ticks[i]) != NULL, "no tick %s", scales[_i].ticks[i]);
    ck_assert_ptr_nonnull(strstr(text, scales[_i].axis));
    free(text);
}
END_TEST

START_TEST(policy_of_the_prediction_is_named)
{
    sample      made = make_sample(&plans[0]);
    hs_picture  picture = picture_beside(made.s, NULL, 0);
    size_t      length;
    char       *text = write_text(hs_gantt_write, &made, &picture, &length);

    ck_assert_ptr_nonnull(strstr(text, ">a simulation with the estimated times<"));
    free(text);
    picture.policy = "<mine>";
    text = write_text(hs_gantt_write, &made, &picture, &length);
    ck_assert_ptr_nonnull(strstr(text, ">policy &lt;mine&gt;, simulated with the estimated times<"));
    ck_assert_ptr_nonnull(strstr(text, "(+0\xe2\x80\xaf%)"));
    free(text);
    free_sample(&made);
}
END_TEST

/* A run of only some tasks is not compared with the prediction or the bound for all tasks. */
START_TEST(partial_run_is_not_compared_with_the_prediction)
{
    sample      made = make_sample(&plans[0]);
    sample      part = {.in = made.in};
    hs_placement placed = {0, 1, 0, 0, HS_RUN};
    size_t      length;
    hs_picture  picture = picture_beside(made.s, NULL, 0);
    char       *text;

    ck_assert_int_eq(hs_schedule_build(plans[0].cpus, plans[0].gpus, 1, &placed, &part.s), HS_OK);
    text = write_text(hs_gantt_write, &part, &picture, &length);
    ck_assert_ptr_nonnull(strstr(text, "makespan 1 s, predicted "));
    ck_assert_ptr_nonnull(strstr(text, "lower bound 0.75 s</text>"));
    free(text);
    hs_schedule_free(part.s);
    free_sample(&made);
}
END_TEST

/* The background is a shape too, so a style rule can darken the page on dark screens. */
START_TEST(has_colours_for_dark_screens)
{
    char       *text = chart_of(1, HS_SECONDS, NULL);
    const char *dark = strstr(text, "@media screen and (prefers-color-scheme:dark){");

    ck_assert_ptr_nonnull(dark);
    ck_assert_ptr_nonnull(strstr(dark, ".z{fill:#1d2128}"));
    ck_assert_ptr_nonnull(strstr(text, "<rect class=\"z\" width=\"100%\""));
    ck_assert_ptr_null(strstr(text, "fill=\"#"));
    free(text);
}
END_TEST

/* The chart has no fixed size in pixels and scales with its page or window. */
START_TEST(scales_with_the_window)
{
    char       *text = chart_of(1, HS_SECONDS, NULL);
    const char *end = strchr(strstr(text, "<svg "), '>'),
               *view = strstr(text, " viewBox=\"0 0 1120 ");
    const char *dark = strstr(text, "@media screen and (prefers-color-scheme:dark){");
    double      height = view ? atof(view + strlen(" viewBox=\"0 0 1120 ")) : 0, ratio;
    const char *rule = strstr(text, "width:min(100%,max(1120px,100vh*");

    ck_assert(view && view < end);
    ck_assert(strstr(text, " width=\"100%\" ") < end);
    ck_assert(strstr(text, " height=\"") > end);
    ck_assert_ptr_nonnull(rule);
    ck_assert_int_eq(sscanf(rule, "width:min(100%%,max(1120px,100vh*%lf", &ratio), 1);
    ck_assert_double_eq_tol(ratio, 1120 / height, 0.005);
    ck_assert_ptr_nonnull(strstr(dark, "svg:root{background:#1d2128}"));
    free(text);
}
END_TEST

/* The legend draws failures like the chart, hatched and with a cross. */
START_TEST(legend_shows_failures_like_the_chart)
{
    static const hs_picture_failure failure = {0, 0, 1, NULL};
    hs_picture                      picture;
    char                           *text;
    const char                     *legend, *cross;

    hs_picture_init(&picture);
    text = chart_of(1, HS_SECONDS, &picture);
    ck_assert_ptr_null(strstr(text, ">failed (hatched)<"));
    free(text);
    picture.failures = &failure;
    picture.failure_count = 1;
    text = chart_of(1, HS_SECONDS, &picture);
    legend = strstr(text, "<rect class=\"a");
    ck_assert_ptr_nonnull(legend);
    cross = strstr(legend, "class=\"q\"");
    ck_assert_ptr_nonnull(cross);
    ck_assert_ptr_nonnull(strstr(cross, ">failed (hatched)<"));
    free(text);
}
END_TEST

/* All bars of a narrow chart lie within its width; invalid widths are refused. */
START_TEST(narrow_charts_fit_their_width)
{
    sample      made = make_sample(&plans[0]);
    hs_picture  picture = picture_beside(made.s, NULL, 0);
    size_t      length;
    char       *text;
    double      x, y, width;

    picture.width = 480;
    text = write_text(hs_gantt_write, &made, &picture, &length);
    ck_assert_ptr_nonnull(strstr(text, "viewBox=\"0 0 480 "));
    ck_assert_ptr_nonnull(strstr(text, "GPUs</text>\n<text class=\"s\""));
    ck_assert_ptr_nonnull(strstr(text, "<title>t"));
    /* Class names and pattern ids do not clash with a wide chart on the same HTML page. */
    ck_assert_ptr_nonnull(strstr(text, " class=\"narrow\" "));
    ck_assert_ptr_nonnull(strstr(text, "\n.c0{fill:#"));
    ck_assert_ptr_nonnull(strstr(text, "}.narrow .a0{fill:url(#n0)}"));
    ck_assert_ptr_nonnull(strstr(text, "<pattern id=\"n0\""));
    ck_assert_ptr_null(strstr(text, "id=\"h0\""));
    for (const char *at = text; (at = strstr(at, "<rect class=\"")); at++)
        if (sscanf(at, "<rect class=\"%*[^\"]\" x=\"%lf\" y=\"%lf\" width=\"%lf\"", &x, &y,
                   &width) == 3)
            ck_assert_double_le(x + width, 480);
    free(text);
    for (int i = 0; i < 4; i++) {
        static const double widths[] = {359, -1, NAN, INFINITY};

        picture.width = widths[i];
        ck_assert_int_eq(hs_gantt_write(-1, made.in, made.s, &picture, NULL), HS_EINVAL);
    }
    free_sample(&made);
}
END_TEST

/* A caller with the older, shorter hs_picture gets the picture without a prediction. */
START_TEST(picture_of_an_older_caller_is_read)
{
    sample     made = make_sample(&plans[0]);
    hs_picture picture = picture_beside(made.s, NULL, 0);
    size_t     length, old_length;
    char      *text, *old;

    for (int i = 0; i < 2; i++) {
        hs_picture plain;

        hs_picture_init(&plain);
        plain.bound = &some_bound;
        text = write_text(writers[i], &made, &plain, &length);
        picture.struct_size = offsetof(hs_picture, predicted);
        old = write_text(writers[i], &made, &picture, &old_length);
        ck_assert_uint_eq(length, old_length);
        ck_assert_mem_eq(text, old, length);
        free(text);
        free(old);
    }
    free_sample(&made);
}
END_TEST

START_TEST(chart_with_prediction_refuses_invalid_arguments)
{
    sample             made = make_sample(&plans[0]), other = make_sample(&plans[6]);
    hs_picture_failure failures[] = {{1, 0, 2, NULL}, {1, 0, 1, NULL}};
    hs_picture         picture = picture_beside(other.s, NULL, 0);

    ck_assert_int_eq(writers[_i](-1, made.in, made.s, &picture, NULL), HS_ESCHEDULE);
    picture = picture_beside(made.s, failures, 2);
    ck_assert_int_eq(writers[_i](-1, made.in, made.s, &picture, NULL), HS_EINVAL);
    failures[0].worker = 24;
    picture.failure_count = 1;
    ck_assert_int_eq(writers[_i](-1, made.in, made.s, &picture, NULL), HS_ESCHEDULE);
    failures[0] = (hs_picture_failure){0, 300, 1, NULL};
    ck_assert_int_eq(writers[_i](-1, made.in, made.s, &picture, NULL), HS_ESCHEDULE);
    free_sample(&other);
    free_sample(&made);
}
END_TEST

START_TEST(chart_with_prediction_stays_small)
{
    static const plan large = {.cpus = 20, .gpus = 4, .tasks = 100000, .odd = true, .abort = 2,
                               .unit_time = 1};
    sample              made = make_sample(&large);
    size_t              length, count;
    hs_picture_failure *failures = pick_failures(&made, &count);
    hs_picture          picture = picture_beside(made.s, failures, count);
    char               *text = write_text(hs_gantt_write, &made, &picture, &length);

    ck_assert(is_xml(text, length));
    ck_assert_uint_le(length, 6 << 20);
    free(text);
    free(failures);
    free_sample(&made);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pictures");
    TCase *tests = tcase_create("all");

    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, is_well_formed, 0, PLANS);
    tcase_add_loop_test(tests, full_disk_is_reported, 0, 2);
    tcase_add_loop_test(tests, invalid_arguments_are_refused, 0, 2);
    tcase_add_test(tests, gantt_draws_each_task_when_there_is_room);
    tcase_add_test(tests, gantt_names_its_bound);
    tcase_add_loop_test(tests, gantt_stays_small, 0, 3);
    tcase_add_loop_test(tests, chart_with_prediction_is_well_formed, 0, PLANS);
    tcase_add_test(tests, failures_are_marked);
    tcase_add_test(tests, run_and_prediction_share_one_scale);
    tcase_add_loop_test(tests, axis_has_one_notation, 0, sizeof scales / sizeof *scales);
    tcase_add_test(tests, policy_of_the_prediction_is_named);
    tcase_add_test(tests, partial_run_is_not_compared_with_the_prediction);
    tcase_add_test(tests, has_colours_for_dark_screens);
    tcase_add_test(tests, scales_with_the_window);
    tcase_add_test(tests, legend_shows_failures_like_the_chart);
    tcase_add_test(tests, narrow_charts_fit_their_width);
    tcase_add_test(tests, picture_of_an_older_caller_is_read);
    tcase_add_loop_test(tests, chart_with_prediction_refuses_invalid_arguments, 0, 2);
    tcase_add_test(tests, chart_with_prediction_stays_small);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
