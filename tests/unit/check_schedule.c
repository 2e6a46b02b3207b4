/* SPDX-License-Identifier: BSD-3-Clause */

/* Building schedules, their metrics, and the checker of schedules. */

#include <check.h>
#include <limits.h>
#include <math.h>

#include <hybridsched/hybridsched.h>

#include "core/schedule_impl.h"

#include "suite.h"

START_TEST(schedules_are_sorted)
{
    static const hs_placement given[] = {
        {3, 5, 0, 2, HS_RUN},     {0, 3, 1, 2, HS_ABORTED}, {5, 5, 2, 2, HS_ABORTED},
        {0, 1, 1, 0, HS_RUN},     {5, 6, 3, 2, HS_RUN},     {5, 5, 4, 2, HS_RUN},
    };
    static const uint32_t expected[] = {1, 0, 2, 4, 3};
    hs_schedule          *s = NULL;
    const hs_entry       *entries;
    size_t                count, i;

    ck_assert_int_eq(hs_schedule_build(2, 2, 6, given, &s), HS_OK);
    ck_assert_uint_eq(hs_schedule_cpus(s), 2);
    ck_assert_uint_eq(hs_schedule_gpus(s), 2);
    ck_assert_uint_eq(hs_schedule_entry_count(s), 6);
    ck_assert(hs_schedule_makespan(s) == 6);
    entries = hs_schedule_entries(s, 2, &count);
    ck_assert_uint_eq(count, 5);
    for (i = 0; i < count; i++)
        ck_assert_uint_eq(entries[i].task, expected[i]);
    ck_assert_uint_eq(entries[0].state, HS_ABORTED);
    hs_schedule_entries(s, 1, &count);
    ck_assert_uint_eq(count, 0);
    hs_schedule_entries(s, 3, &count);
    ck_assert_uint_eq(count, 0);
    ck_assert(hs_schedule_load(s, 2) == 3 && hs_schedule_load(s, 1) == 0);
    hs_schedule_free(s);
    hs_schedule_free(NULL);
}
END_TEST

/* Sort entries with equal start times by their end times. */
START_TEST(entries_are_in_order)
{
    const hs_placement given[] = {{0, 2, 0, 0, HS_RUN}, {0, 1, 1, 0, HS_RUN}};
    hs_schedule       *s = NULL;
    const hs_entry    *entry;
    size_t             count;

    ck_assert_int_eq(hs_schedule_build(1, 0, 2, given, &s), HS_OK);
    entry = hs_schedule_entries(s, 0, &count);
    ck_assert(count == 2 && entry[0].task == 1 && entry[1].task == 0);
    hs_schedule_free(s);
}
END_TEST

static hs_status build_one(double start, double end, uint32_t worker, uint32_t state)
{
    hs_placement given = {start, end, 0, worker, state};
    hs_schedule *s = NULL;
    hs_status    st = hs_schedule_build(1, 1, 1, &given, &s);

    ck_assert((st == HS_OK) == (s != NULL));
    hs_schedule_free(s);
    return st;
}

START_TEST(invalid_schedules_are_refused)
{
    hs_schedule *s = NULL;

    ck_assert_int_eq(build_one(0, 1, 1, HS_RUN), HS_OK);
    ck_assert_int_eq(build_one(0, 1, 2, HS_RUN), HS_EINVAL);
    ck_assert_int_eq(build_one(0, 1, 0, 2), HS_EINVAL);
    ck_assert_int_eq(build_one(-1, 1, 0, HS_RUN), HS_EINVAL);
    ck_assert_int_eq(build_one(2, 1, 0, HS_RUN), HS_EINVAL);
    ck_assert_int_eq(build_one(0, INFINITY, 0, HS_RUN), HS_EINVAL);
    ck_assert_int_eq(build_one(INFINITY, INFINITY, 0, HS_RUN), HS_EINVAL);
    ck_assert_int_eq(build_one(NAN, 1, 0, HS_RUN), HS_EINVAL);
    ck_assert_int_eq(build_one(0, NAN, 0, HS_RUN), HS_EINVAL);
    ck_assert_int_eq(hs_schedule_build(0, 0, 0, NULL, &s), HS_EINVAL);
    ck_assert_int_eq(hs_schedule_build(1, 0, 1, NULL, &s), HS_EINVAL);
    ck_assert_int_eq(hs_schedule_build(1, 0, 0, NULL, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_schedule_build(UINT_MAX, 1, 0, NULL, &s), HS_EINVAL);
    ck_assert_int_eq(hs_schedule_build(0, HS_MAX_WORKERS + 1, 0, NULL, &s), HS_EINVAL);
    ck_assert_int_eq(hs_schedule_build(0, 3, 0, NULL, &s), HS_OK);
    ck_assert(hs_schedule_makespan(s) == 0 && hs_schedule_entry_count(s) == 0);
    hs_schedule_free(s);
}
END_TEST

START_TEST(workers_have_names)
{
    char name[16];

    hs_worker_name(3, 0, name);
    ck_assert_str_eq(name, "cpu0");
    hs_worker_name(3, 2, name);
    ck_assert_str_eq(name, "cpu2");
    hs_worker_name(3, 3, name);
    ck_assert_str_eq(name, "gpu0");
    hs_worker_name(HS_MAX_WORKERS, 2 * HS_MAX_WORKERS - 1, name);
    ck_assert_str_eq(name, "gpu999999");
    hs_worker_name(0, UINT_MAX, name);
    ck_assert_str_eq(name, "gpu4294967295");
}
END_TEST

START_TEST(metrics_equal_sums_of_entries)
{
    static const double       cpu[] = {3, 8, 5}, gpu[] = {1, 2, INFINITY};
    static const hs_placement given[] = {
        {0, 1.5, 1, 0, HS_ABORTED}, {1.5, 6.5, 2, 0, HS_RUN}, {0, 1, 0, 2, HS_RUN},
        {1.5, 3.5, 1, 2, HS_RUN},
    };
    hs_instance *in = NULL;
    hs_schedule *s = NULL;
    hs_metrics   m;

    ck_assert_int_eq(hs_instance_wrap(3, cpu, gpu, NULL, 2, 1, &in), HS_OK);
    ck_assert_int_eq(hs_schedule_build(2, 1, 4, given, &s), HS_OK);
    ck_assert_int_eq(hs_schedule_check(in, s, NULL), HS_OK);
    hs_schedule_compute_metrics(in, s, &m);
    ck_assert(m.makespan == 6.5);
    ck_assert_uint_eq(m.type[HS_CPU].tasks, 1);
    ck_assert_uint_eq(m.type[HS_CPU].aborted, 1);
    ck_assert(m.type[HS_CPU].busy == 5 && m.type[HS_CPU].idle == 8);
    ck_assert(m.type[HS_CPU].acceleration == 0);
    ck_assert_uint_eq(m.type[HS_GPU].tasks, 2);
    ck_assert_uint_eq(m.type[HS_GPU].aborted, 0);
    ck_assert(m.type[HS_GPU].busy == 3 && m.type[HS_GPU].idle == 3.5);
    ck_assert(m.type[HS_GPU].acceleration == 11.0 / 3);
    ck_assert(hs_metrics_idle_share(&m, HS_CPU, 2, 2) == 2);
    ck_assert(hs_metrics_idle_share(&m, HS_GPU, 1, 7) == 0.5);
    ck_assert(isnan(hs_metrics_idle_share(&m, HS_GPU, 0, 7)));
    ck_assert(isnan(hs_metrics_idle_share(&m, HS_GPU, 1, 0)));
    hs_schedule_free(s);
    ck_assert_int_eq(hs_schedule_build(2, 1, 0, NULL, &s), HS_OK);
    hs_schedule_compute_metrics(in, s, &m);
    ck_assert(m.makespan == 0 && isnan(m.type[HS_CPU].acceleration) && m.type[HS_GPU].idle == 0);
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

/* Return an instance for two CPUs and a GPU; tasks take 1, 2, 4 on a CPU, 3, 3, inf on a GPU. */
static hs_instance *an_instance(void)
{
    static const double cpu[] = {1, 2, 4}, gpu[] = {3, 3, INFINITY};
    hs_instance        *in = NULL;

    ck_assert_int_eq(hs_instance_wrap(3, cpu, gpu, NULL, 2, 1, &in), HS_OK);
    return in;
}

typedef struct broken_plan {
    hs_violation_kind kind;
    unsigned          worker;
    size_t            entry, task;
    double            expected, found;
    const char       *why;
    size_t            count;
    hs_placement      at[5];
} broken_plan;

static const broken_plan plans[] = {
    {HS_VALID, 0, 0, 0, 0, 0, "", 3, {{0, 4, 2, 0, 0}, {0, 1, 0, 1, 0}, {1, 3, 1, 1, 0}}},
    {HS_VALID,
     0,
     0,
     0,
     0,
     0,
     "",
     4, /* the task was aborted halfway, then run on another worker */
     {{0, 4, 2, 0, 0}, {0, 1, 0, 1, 0}, {0, 1, 1, 2, 1}, {1, 3, 1, 1, 0}}},
    {HS_VALID,
     0,
     0,
     0,
     0,
     0,
     "",
     4, /* the task was aborted at the time of its regular end */
     {{0, 4, 2, 0, 0}, {0, 1, 0, 1, 0}, {0, 3, 1, 2, 1}, {3, 5, 1, 1, 0}}},
    {HS_UNKNOWN_TASK,
     1,
     0,
     3,
     0,
     0,
     "task number 3 on cpu1: the instance has only 3 tasks",
     1,
     {{0, 1, 3, 1, 0}}},
    {HS_CANNOT_RUN,
     2,
     0,
     2,
     0,
     0,
     "task 't2' on gpu0: the task cannot run on this type of worker",
     1,
     {{0, 1, 2, 2, 0}}},
    {HS_CANNOT_RUN,
     2,
     0,
     2,
     0,
     0,
     "task 't2' on gpu0: the task cannot run on this type of worker",
     1,
     {{0, 1, 2, 2, 1}}}, /* even an aborted attempt is invalid */
    {HS_WRONG_END,
     0,
     1,
     1,
     4,
     3.5,
     "task 't1' on cpu0: it ends at 3.5, but its start plus its time is 4",
     2,
     {{0, 1, 0, 0, 0}, {2, 3.5, 1, 0, 0}}},
    {HS_WRONG_END,
     0,
     0,
     0,
     1,
     0x1.0000000000001p0,
     "task 't0' on cpu0: it ends at 1.0000000000000002, but its start plus its time is 1",
     1,
     {{0, 0x1.0000000000001p0, 0, 0, 0}}},
    {HS_ABORTED_TOO_LATE,
     1,
     0,
     1,
     2,
     2.5,
     "task 't1' on cpu1: it is aborted at 2.5, but would have ended at 2",
     1,
     {{0, 2.5, 1, 1, 1}}},
    {HS_OVERLAP,
     0,
     1,
     1,
     1,
     0.5,
     "task 't1' on cpu0: it starts at 0.5, but the worker is busy until 1",
     2,
     {{0, 1, 0, 0, 0}, {0.5, 2.5, 1, 0, 0}}},
    {HS_OVERLAP,
     0,
     1,
     0,
     1.5,
     1,
     "task 't0' on cpu0: it starts at 1, but the worker is busy until 1.5",
     2,
     {{0, 1.5, 1, 0, 1}, {1, 2, 0, 0, 0}}},
    {HS_RUN_TWICE,
     1,
     0,
     0,
     0,
     5,
     "task 't0' on cpu1: it is run to its end twice, starting at 0 and at 5",
     2,
     {{0, 1, 0, 0, 0}, {5, 6, 0, 1, 0}}},
    {HS_NEVER_RUN,
     0,
     0,
     1,
     0,
     0,
     "task 't1' is never run to its end",
     2,
     {{0, 1, 0, 0, 0}, {0, 4, 2, 1, 0}}},
    {HS_NEVER_RUN,
     0,
     0,
     1,
     0,
     0,
     "task 't1' is never run to its end",
     3,
     {{0, 1, 0, 0, 0}, {0, 4, 2, 1, 0}, {0, 1, 1, 2, 1}}},
    {HS_RUN_BEFORE_ABORT,
     0,
     0,
     1,
     1.5,
     1,
     "task 't1': it is run from 1, but on another worker it is aborted only at 1.5",
     4,
     {{0, 4, 2, 0, 0}, {0, 1, 0, 1, 0}, {0, 1.5, 1, 2, 1}, {1, 3, 1, 1, 0}}},
    {HS_VALID,
     0,
     0,
     0,
     0,
     0,
     "",
     5, /* the task was aborted twice, the second time at once */
     {{1.5, 5.5, 2, 0, 0},
      {0, 1.5, 1, 0, 1},
      {1.5, 1.5, 1, 2, 1},
      {1.5, 3.5, 1, 1, 0},
      {0, 1, 0, 1, 0}}},
    /* The run must start after the latest abort, on any worker. */
    {HS_RUN_BEFORE_ABORT,
     0,
     0,
     1,
     2,
     1.5,
     "task 't1': it is run from 1.5, but on another worker it is aborted only at 2",
     5,
     {{2, 6, 2, 0, 0}, {0, 2, 1, 0, 1}, {0, 1, 0, 1, 0}, {1, 1.25, 1, 1, 1}, {1.5, 4.5, 1, 2, 0}}},
    {HS_RUN_BEFORE_ABORT,
     0,
     0,
     1,
     2,
     1.5,
     "task 't1': it is run from 1.5, but on another worker it is aborted only at 2",
     5,
     {{2, 6, 2, 1, 0}, {0, 2, 1, 1, 1}, {0, 1, 0, 0, 0}, {1, 1.25, 1, 0, 1}, {1.5, 4.5, 1, 2, 0}}},
    {HS_TASK_OVERLAP,
     1,
     1,
     1,
     2,
     1,
     "task 't1' on cpu1: it starts at 1, but on another worker it is aborted only at 2",
     5,
     {{2, 6, 2, 0, 0}, {0, 2, 1, 0, 1}, {0, 1, 0, 1, 0}, {1, 1.25, 1, 1, 1}, {2, 5, 1, 2, 0}}},
    {HS_TASK_OVERLAP,
     1,
     1,
     1,
     2,
     1,
     "task 't1' on cpu1: it starts at 1, but on another worker it is aborted only at 2",
     5,
     {{2, 6, 2, 0, 0}, {0, 2, 1, 0, 1}, {0, 1, 0, 1, 0}, {1, 3, 1, 1, 1}, {3, 6, 1, 2, 0}}},
};

START_TEST(violations_are_found_and_placed)
{
    const broken_plan *p = &plans[_i];
    hs_instance       *in = an_instance();
    hs_schedule       *s = NULL;
    hs_violation       v;
    hs_error           error = {0};

    hs_violation_init(&v);
    ck_assert_int_eq(hs_schedule_build(2, 1, p->count, p->at, &s), HS_OK);
    ck_assert_int_eq(hs_schedule_check(in, s, &error), p->kind ? HS_ESCHEDULE : HS_OK);
    ck_assert_int_eq(hs_schedule_check(in, s, NULL), p->kind ? HS_ESCHEDULE : HS_OK);
    ck_assert_int_eq(hs_schedule_find_violation(in, s, NULL, NULL, NULL, &v),
                     p->kind ? HS_ESCHEDULE : HS_OK);
    ck_assert_str_eq(error.why, p->why);
    ck_assert_int_eq(v.kind, p->kind);
    if (p->kind != HS_VALID) {
        ck_assert_uint_eq(v.worker, p->worker);
        ck_assert_uint_eq(v.entry, p->entry);
        ck_assert_uint_eq(v.task, p->task);
        ck_assert(v.expected == p->expected && v.found == p->found);
    }
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

START_TEST(other_workers_are_a_violation)
{
    static const unsigned others[][2] = {{1, 1}, {2, 0}, {1, 2}, {3, 1}};
    hs_instance          *in = an_instance();
    hs_schedule          *s = NULL;
    hs_violation          v;
    hs_error              error;
    char                  why[HS_WHY];
    size_t                i;

    hs_violation_init(&v);
    for (i = 0; i < 4; i++) {
        ck_assert_int_eq(hs_schedule_build(others[i][0], others[i][1], 0, NULL, &s), HS_OK);
        ck_assert_int_eq(hs_schedule_find_violation(in, s, NULL, NULL, NULL, &v), HS_ESCHEDULE);
        ck_assert_int_eq(v.kind, HS_WORKERS_DIFFER);
        ck_assert_int_eq(hs_schedule_check(in, s, &error), HS_ESCHEDULE);
        snprintf(why, sizeof why, "the schedule is for %u CPUs and %u GPUs, the instance for 2 and 1",
                 others[i][0], others[i][1]);
        ck_assert_str_eq(error.why, why);
        hs_schedule_free(s);
    }
    ck_assert_int_eq(hs_schedule_check(in, NULL, &error), HS_EINVAL);
    ck_assert_int_eq(hs_schedule_find_violation(in, NULL, NULL, NULL, NULL, &v), HS_EINVAL);
    hs_instance_free(in);
}
END_TEST

/* Write invalid times into a finished schedule, because hs_schedule_build() refuses them. */
START_TEST(invalid_times_are_a_violation)
{
    static const double times[][2] = {{-1, 0}, {NAN, 1}, {INFINITY, INFINITY}, {0, NAN},
                                      {0, INFINITY}, {1, 0.5}};
    static const char  *whys[] = {"its time -1 is not a finite number >= 0",
                                  "its time nan is not a finite number >= 0",
                                  "its time inf is not a finite number >= 0",
                                  "its time nan is not a finite number >= 0",
                                  "its time inf is not a finite number >= 0",
                                  "it ends at 0.5, before its start at 1"};
    hs_placement given = {0, 1, 0, 0, HS_RUN};
    hs_instance *in = an_instance();
    hs_schedule *s = NULL;
    hs_violation v;
    hs_error     error;
    char         why[HS_WHY];
    size_t       i;

    hs_violation_init(&v);
    ck_assert_int_eq(hs_schedule_build(2, 1, 1, &given, &s), HS_OK);
    for (i = 0; i < sizeof times / sizeof *times; i++) {
        s->entries[0].start = times[i][0];
        s->entries[0].end = times[i][1];
        ck_assert_int_eq(hs_schedule_find_violation(in, s, NULL, NULL, NULL, &v), HS_ESCHEDULE);
        ck_assert_int_eq(v.kind, HS_NOT_FINITE);
        ck_assert_int_eq(hs_schedule_check(in, s, &error), HS_ESCHEDULE);
        snprintf(why, sizeof why, "task 't0' on cpu0: %s", whys[i]);
        ck_assert_str_eq(error.why, why);
    }
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("schedule");
    TCase *schedules = tcase_create("schedules"), *checker = tcase_create("checker");

    tcase_add_test(schedules, schedules_are_sorted);
    tcase_add_test(schedules, entries_are_in_order);
    tcase_add_test(schedules, invalid_schedules_are_refused);
    tcase_add_test(schedules, workers_have_names);
    tcase_add_test(schedules, metrics_equal_sums_of_entries);
    suite_add_tcase(suite, schedules);
    tcase_add_loop_test(checker, violations_are_found_and_placed, 0, sizeof plans / sizeof *plans);
    tcase_add_test(checker, other_workers_are_a_violation);
    tcase_add_test(checker, invalid_times_are_a_violation);
    suite_add_tcase(suite, checker);
    return run_suite(suite);
}
