/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Thousands of tasks that time out, and tasks that fail in various ways: each task is done once or
 * fails once, and no cancellation hits the wrong attempt.
 */

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include <hybridsched/hybridsched.h>

#include "exec_fixture.h"
#include "rounds.h"
#include "suite.h"

/* Each hanging task times out ten times; the next task on the same worker is not cancelled. */
START_TEST(thousands_of_timeouts)
{
    enum { ATTEMPTS = 10 };
    const unsigned tasks = (unsigned)rounds(500);
    const script_row rows[] = {
        {1, 1, "hang", tasks, 0}, {1, 1, "spin", tasks, 0}, {1e6, 1e6, "calm", tasks, 0}, END_ROW};
    hs_instance     *in = instance_of(rows, 2, 0, HS_MICROSECONDS);
    unsigned        *worker = calloc(3 * tasks, sizeof *worker), i;
    int              files = open_files(), threads = live_threads();
    hs_exec_settings s;
    finished_run     p;

    ck_assert(worker != NULL);
    for (i = 0; i < 3 * tasks; i++)
        worker[i] = i & 1;
    s = scripted_settings(all_policies[_i]);
    s.fail.halt = HS_HALT_NEVER;
    s.fail.timeout_factor = 20;
    s.fail.retries = ATTEMPTS - 1;
    p = run_plan(in, lists(in, worker), &s);
    ck_assert_int_eq(p.status, HS_EFAILED);
    ck_assert_uint_eq(p.report.failed, 2 * tasks);
    ck_assert_uint_eq(p.report.done, tasks);
    for (i = 0; i < 2 * tasks; i++)
        ck_assert_uint_eq(count_attempts(&p, i, HS_OUTCOME_ABORTED, NULL), ATTEMPTS);
    end_run(&p);
    ck_assert_int_eq(open_files(), files);
    ck_assert_int_eq(live_threads(), threads);
    free(worker);
}
END_TEST

static uint64_t dice;

static unsigned roll(unsigned sides)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(dice >> 33) % sides;
}

static hs_instance *any_instance(unsigned cpus, unsigned gpus)
{
    static const char *const kernels[] = {"done",   "done",   "busy:30",  "late:20",
                                          "fail:1", "fail:9", "hang-cpu", "spin-cpu",
                                          "hang",   "quit",   "busy:90",  "done"};
    script_row               rows[40];
    unsigned                 i, count = 1 + roll(39);

    for (i = 0; i < count; i++) {
        unsigned only = roll(8);

        rows[i] = (script_row){only == 1 && gpus ? INFINITY : 1 + roll(50),
                               only == 2 && cpus ? INFINITY : 1 + roll(50),
                               roll(50) ? kernels[roll(12)] : "lose", 1 + roll(5),
                               (hs_restartable)roll(3)};
        if (!cpus && isinf(rows[i].gpu))
            rows[i].gpu = 1;
        if (!gpus && isinf(rows[i].cpu))
            rows[i].cpu = 1;
    }
    rows[count] = (script_row)END_ROW;
    return instance_of(rows, cpus, gpus, HS_MICROSECONDS);
}

/* After random failures, each task was done once or failed once, and no task was left. */
START_TEST(report_accounts_for_all_tasks)
{
    int round;

    dice = (uint64_t)_i + 1;
    for (round = 0; round < rounds(60); round++) {
        unsigned         cpus = roll(4), gpus = roll(3) + !cpus;
        hs_instance     *in = any_instance(cpus, gpus);
        hs_exec_settings s;
        finished_run     p;
        uint32_t         task;

        scripted_reset();
        s = scripted_settings(all_policies[round % POLICIES]);
        s.fail.halt = HS_HALT_NEVER;
        s.fail.timeout_factor = 10;
        s.fail.retries = roll(3);
        p = run_plan(in, solved(in, "heft"), &s);
        ck_assert_uint_eq(p.report.not_run, 0);
        for (task = 0; task < hs_instance_tasks(in); task++)
            ck_assert_uint_le(count_attempts(&p, task, HS_OUTCOME_DONE, NULL), 1);
        end_run(&p);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("exec timeouts");
    TCase *cases = tcase_create("timeouts");

    tcase_set_timeout(cases, 300);
    tcase_add_checked_fixture(cases, scripted_reset, NULL);
    tcase_add_loop_test(cases, thousands_of_timeouts, 0, POLICIES);
    tcase_add_loop_test(cases, report_accounts_for_all_tasks, 0, 8);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
