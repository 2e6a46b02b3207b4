/* SPDX-License-Identifier: BSD-3-Clause */

/* Both pictures, and the Gantt chart; see check_trace.c for the other. */

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
    for (int variant = 0; variant < 2; variant++) {
        size_t length;
        char  *text = write_text(hs_gantt_write, &made, variant ? &picture : NULL, &length);

        ck_assert(is_xml(text, length));
        free(text);
        text = write_text(hs_trace_write, &made, variant ? &picture : NULL, &length);
        ck_assert(is_json(text, length));
        free(text);
        picture.title = "a <title> & \"quotes\" \xff\x01";
        picture.bound = &some_bound;
    }
    free_sample(&made);
}
END_TEST

START_TEST(tells_of_a_full_disk)
{
    sample made = make_sample(&plans[1]);
    int    full = open("/dev/full", O_WRONLY);

    if (full >= 0) {
        errno = 0;
        ck_assert_int_eq(writers[_i](full, made.in, made.s, NULL), HS_EIO);
        ck_assert_int_eq(errno, ENOSPC);
        close(full);
    }
    errno = 0;
    ck_assert_int_eq(writers[_i](-1, made.in, made.s, NULL), HS_EIO);
    ck_assert_int_eq(errno, EBADF);
    free_sample(&made);
}
END_TEST

START_TEST(refuses_what_makes_no_sense)
{
    sample               made = make_sample(&plans[0]);
    hs_instance         *other = NULL, *fewer = NULL;
    hs_picture           picture;
    hs_named_bound       endless = {.value = 1};
    static const double  time = 1;

    ck_assert_int_eq(writers[_i](-1, NULL, made.s, NULL), HS_EINVAL);
    ck_assert_int_eq(writers[_i](-1, made.in, NULL, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_instance_on(made.in, 20, 5, &other), HS_OK);
    ck_assert_int_eq(writers[_i](-1, other, made.s, NULL), HS_ESCHEDULE);
    ck_assert_int_eq(hs_instance_wrap(1, &time, &time, NULL, 20, 4, &fewer), HS_OK);
    ck_assert_int_eq(writers[_i](-1, fewer, made.s, NULL), HS_ESCHEDULE);
    hs_picture_init(&picture);
    picture.struct_size = 1;
    ck_assert_int_eq(writers[_i](-1, made.in, made.s, &picture), HS_EINVAL);
    hs_picture_init(&picture);
    memset(endless.name, 'x', sizeof endless.name);
    picture.bound = &endless;
    ck_assert_int_eq(writers[_i](-1, made.in, made.s, &picture), HS_EINVAL);
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

    /* A title each, except for aborted parts of no length that join a neighbour. */
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
        {.cpus = 20, .gpus = 4, .tasks = 100000, .odd = 1, .abort = 20, .unit_time = 1, .gap = 1},
        {.cpus = 150, .gpus = 150, .tasks = 100000, .odd = 1, .abort = 20, .unit_time = 1},
        {.cpus = 10000, .gpus = 1000, .tasks = 100000, .odd = 1, .abort = 20, .unit_time = 1},
    };
    sample      made = make_sample(&large[_i]);
    size_t      length;
    char       *text = write_text(hs_gantt_write, &made, NULL, &length);
    const char *height = strstr(text, "height=\"");

    ck_assert(is_xml(text, length));
    ck_assert_uint_le(length, 4 << 20);
    ck_assert_int_le(atoi(height + 8), 2400);
    ck_assert_ptr_nonnull(strstr(text, _i < 2 ? " tasks on gpu" : " tasks begin, "));
    free(text);
    free_sample(&made);
}
END_TEST

/* Every third of the aborted entries becomes a failure; to be freed. */
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

/* A picture with bounds, of what happened beside what was planned. */
static hs_picture picture_beside(const hs_schedule *planned, const hs_picture_failure *failures,
                                 size_t count)
{
    hs_picture picture;

    hs_picture_init(&picture);
    picture.bound = &some_bound;
    picture.planned = planned;
    picture.planned_bound = &some_bound;
    picture.failures = failures;
    picture.failure_count = count;
    return picture;
}

START_TEST(beside_is_well_formed)
{
    sample              made = make_sample(&plans[_i]);
    size_t              length, count;
    hs_picture_failure *failures = pick_failures(&made, &count);
    hs_picture          picture = picture_beside(made.s, failures, count);
    char               *text = write_text(hs_gantt_write, &made, &picture, &length);

    ck_assert(is_xml(text, length));
    ck_assert_uint_eq(occurrences(text, ">Planned</text>"), 1);
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

START_TEST(beside_marks_what_failed)
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

/* What was planned fits on the page, though nothing of it happened. */
START_TEST(beside_has_one_scale)
{
    sample      made = make_sample(&plans[0]);
    sample      idle = {.in = made.in};
    size_t      length;
    hs_picture  picture = picture_beside(made.s, NULL, 0);
    char       *text;
    const char *at;
    double      x, y, width;

    picture.bound = picture.planned_bound = NULL;
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

/* Nothing but what was added differs, for a caller that knows of no plan. */
START_TEST(older_callers_get_what_they_got)
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
        picture.struct_size = offsetof(hs_picture, planned);
        old = write_text(writers[i], &made, &picture, &old_length);
        ck_assert_uint_eq(length, old_length);
        ck_assert_mem_eq(text, old, length);
        free(text);
        free(old);
    }
    free_sample(&made);
}
END_TEST

START_TEST(beside_refuses_what_makes_no_sense)
{
    sample             made = make_sample(&plans[0]), other = make_sample(&plans[6]);
    hs_picture_failure failures[] = {{1, 0, 2, NULL}, {1, 0, 1, NULL}};
    hs_picture         picture = picture_beside(other.s, NULL, 0);

    ck_assert_int_eq(writers[_i](-1, made.in, made.s, &picture), HS_ESCHEDULE);
    picture = picture_beside(made.s, failures, 2);
    ck_assert_int_eq(writers[_i](-1, made.in, made.s, &picture), HS_EINVAL);
    failures[0].worker = 24;
    picture.failure_count = 1;
    ck_assert_int_eq(writers[_i](-1, made.in, made.s, &picture), HS_ESCHEDULE);
    failures[0] = (hs_picture_failure){0, 300, 1, NULL};
    ck_assert_int_eq(writers[_i](-1, made.in, made.s, &picture), HS_ESCHEDULE);
    free_sample(&other);
    free_sample(&made);
}
END_TEST

START_TEST(beside_stays_small)
{
    static const plan large = {.cpus = 20, .gpus = 4, .tasks = 100000, .odd = 1, .abort = 2,
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
    tcase_add_loop_test(tests, tells_of_a_full_disk, 0, 2);
    tcase_add_loop_test(tests, refuses_what_makes_no_sense, 0, 2);
    tcase_add_test(tests, gantt_draws_each_task_when_there_is_room);
    tcase_add_test(tests, gantt_names_its_bound);
    tcase_add_loop_test(tests, gantt_stays_small, 0, 3);
    tcase_add_loop_test(tests, beside_is_well_formed, 0, PLANS);
    tcase_add_test(tests, beside_marks_what_failed);
    tcase_add_test(tests, beside_has_one_scale);
    tcase_add_test(tests, older_callers_get_what_they_got);
    tcase_add_loop_test(tests, beside_refuses_what_makes_no_sense, 0, 2);
    tcase_add_test(tests, beside_stays_small);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
