/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Spoliation: tasks that CPUs never end are restarted on GPUs. Each task is done once all the same,
 * no cancellation hits the wrong attempt, and no thread or file stays behind.
 */

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

#include "exec_fixture.h"
#include "rounds.h"
#include "suite.h"

enum { FIRST_THAT_TAKES = 1 }; /* index in all_policies */

/* Run tasks that CPUs never end: GPUs must spoliate them. */
static void bad_luck(const char *policy, const char *kernel, unsigned cpus, unsigned gpus,
                     uint32_t tasks)
{
    const script_row rows[] = {{1, 1.5, kernel, tasks, 0}, END_ROW};
    hs_instance     *in = instance_of(rows, cpus, gpus, HS_MICROSECONDS);
    hs_exec_settings s = scripted_settings(policy);
    finished_run     p;
    unsigned         worker;
    uint32_t         i;

    p = run_plan(in, solved(in, "heft"), &s);
    assert_all_done_once(&p);
    for (i = 0; i < tasks; i++) {
        count_attempts(&p, i, HS_OUTCOME_DONE, &worker);
        ck_assert_uint_ge(worker, cpus);
    }
    ck_assert_uint_eq(p.report.failed + p.report.retried, 0);
    ck_assert_uint_ge(count_waits(&p), p.report.aborted);
    end_run(&p);
}

START_TEST(hanging_tasks_are_spoliated)
{
    static const char *const kernels[] = {"hang-cpu", "spin-cpu"};
    int                      round;

    for (round = 0; round < rounds(100); round++) {
        scripted_reset();
        bad_luck(all_policies[_i], kernels[round & 1], 1, 1, 1);
        bad_luck(all_policies[_i], kernels[round & 1], 3, 1, 6);
        bad_luck(all_policies[_i], kernels[round & 1], 2, 2, 9);
    }
}
END_TEST

/* A victim fails instead of aborting: the thief makes the next attempt. */
START_TEST(thief_retries_a_spoliated_task)
{
    const script_row rows[] = {{1, 1.5, "sulk-cpu", 3, 0}, END_ROW};
    unsigned  round, worker;
    uint32_t  i;

    for (round = 0; round < (unsigned)rounds(30); round++) {
        const unsigned   on_cpu[] = {0, 0, 0};
        hs_instance     *in = instance_of(rows, 1, 1, HS_MICROSECONDS);
        hs_exec_settings s = scripted_settings(all_policies[_i]);
        unsigned         failures = 0;
        finished_run     p;

        scripted_reset();
        scripted.cpus_first = true;
        s.fail.retries = 1;
        p = run_plan(in, lists(in, on_cpu), &s);
        assert_all_done_once(&p);
        for (i = 0; i < 3; i++) {
            count_attempts(&p, i, HS_OUTCOME_DONE, &worker);
            ck_assert_uint_eq(worker, 1);
            failures += count_attempts(&p, i, HS_OUTCOME_FAILED, NULL);
        }
        ck_assert_uint_gt(failures, 0);
        end_run(&p);
    }
}
END_TEST

/* A CPU runs the first task until a GPU spoliates it; other workers run the other tasks. */
START_TEST(tasks_without_restart_are_not_spoliated)
{
    const script_row rows[] = {{1, 2, "late:20000", 2, HS_RESTART_NO}, END_ROW};
    const unsigned   on_cpus[] = {0, 1};
    hs_instance     *in = instance_of(rows, 2, 1, HS_MICROSECONDS);
    hs_exec_settings s = scripted_settings(all_policies[_i]);
    finished_run     p;

    p = run_plan(in, lists(in, on_cpus), &s);
    assert_all_done_once(&p);
    ck_assert_uint_eq(p.report.aborted, 0);
    end_run(&p);
}
END_TEST

/* A victim that ends while it is cancelled, as done, failed or aborted, is settled once. */
START_TEST(spoliation_after_the_end_of_the_task)
{
    const script_row rows[] = {
        {1, 1.5, "late:40", 3, 0}, {1, 1.5, "fail:1", 3, 0}, {1, 1.5, "busy:30", 3, 0}, END_ROW};
    int round;

    for (round = 0; round < rounds(200); round++) {
        hs_instance     *in = instance_of(rows, 3, 1, HS_MICROSECONDS);
        hs_exec_settings s = scripted_settings(all_policies[_i]);
        finished_run     p;

        s.fail.retries = 3;
        p = run_plan(in, solved(in, "heft"), &s);
        assert_all_done_once(&p);
        end_run(&p);
    }
}
END_TEST

/* Halted and failed runs leave no thread and no file open. */
START_TEST(no_task_is_left)
{
    int files = open_files(), threads = live_threads(), round;

    for (round = 0; round < rounds(50); round++) {
        scripted_reset();
        bad_luck("heteroprio", "spin-cpu", 4, 2, 12);
        ck_assert_int_eq(open_files(), files);
        ck_assert_int_eq(live_threads(), threads);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("exec live");
    TCase *cases = tcase_create("spoliation");

    tcase_set_timeout(cases, 300);
    tcase_add_checked_fixture(cases, scripted_reset, NULL);
    tcase_add_loop_test(cases, hanging_tasks_are_spoliated, FIRST_THAT_TAKES, POLICIES);
    tcase_add_loop_test(cases, thief_retries_a_spoliated_task, FIRST_THAT_TAKES, POLICIES);
    tcase_add_loop_test(cases, tasks_without_restart_are_not_spoliated, 0, POLICIES);
    tcase_add_loop_test(cases, spoliation_after_the_end_of_the_task, 0, POLICIES);
    tcase_add_test(cases, no_task_is_left);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
