/* SPDX-License-Identifier: BSD-3-Clause */

/* The dispatcher with bodies that fail, hang and lose their workers at chosen attempts. */

#include <math.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

#include "exec_fixture.h"
#include "suite.h"

START_TEST(failed_tasks_are_retried)
{
    const script_row rows[] = {{1, 1, "fail:2", 5, 0}, {1, 1, "done", 5, 0}, END_ROW};
    hs_instance     *in = instance_of(rows, 1, 1, HS_MICROSECONDS);
    hs_exec_settings s = scripted_settings(all_policies[_i]);
    hs_exec_failure  f;
    finished_run     p;
    size_t           i;

    s.fail.retries = 2;
    p = run_plan(in, solved(in, "heteroprio"), &s);
    assert_all_done_once(&p);
    ck_assert_uint_eq(p.report.retried, 10);
    hs_exec_failure_init(&f);
    for (i = 0; hs_exec_failure_at(p.exec, i, &f); i++) {
        ck_assert_int_eq(f.final, 0);
        ck_assert_str_eq(f.why, f.number == 1 ? "attempt 1 failed" : "attempt 2 failed");
        ck_assert_ptr_null(f.log);
    }
    ck_assert_uint_eq(i, 10);
    end_run(&p);
}
END_TEST

/* Run three tasks: one fails while another runs until it is cancelled; the third has not
 * started. */
static finished_run failing(const char *policy, hs_halt halt, const char *beside)
{
    const script_row rows[] = {{2, 2, "fail:9", 1, 0},
                               {3, 3, beside, 1, HS_RESTART_NO},
                               {1, 1, "busy:100", 20, 0},
                               END_ROW};
    hs_instance     *in =
        instance_of(rows, 3, 0, HS_SECONDS); /* one worker is free while another hangs */
    unsigned         worker[22] = {0, 1}, i;
    hs_schedule     *plan;
    hs_exec_settings s;
    finished_run     p;

    for (i = 2; i < 22; i++)
        worker[i] = i & 1;
    plan = lists(in, worker);
    s = scripted_settings(policy);
    s.fail.retries = 1;
    s.fail.halt = halt;
    p = run_plan(in, plan, &s);
    ck_assert_int_eq(p.status, HS_EFAILED);
    ck_assert_uint_eq(p.report.failed, 1);
    ck_assert_uint_eq(count_attempts(&p, 0, HS_OUTCOME_FAILED, NULL), 2);
    return p;
}

START_TEST(halt_never)
{
    finished_run p = failing(all_policies[_i], HS_HALT_NEVER, "done");

    ck_assert_uint_eq(p.report.done, 21);
    ck_assert_uint_eq(p.report.not_run, 0);
    end_run(&p);
}
END_TEST

START_TEST(halt_soon)
{
    finished_run p = failing(all_policies[_i], HS_HALT_SOON, "late:20000");

    ck_assert_uint_eq(p.report.done + p.report.not_run, 21);
    end_run(&p);
}
END_TEST

START_TEST(halt_now)
{
    finished_run p = failing(all_policies[_i], HS_HALT_NOW, "hang");

    ck_assert_uint_ge(p.report.not_run, 1);
    ck_assert_uint_eq(p.report.aborted, 0);
    end_run(&p);
}
END_TEST

static unsigned failures_on(const finished_run *p, unsigned worker)
{
    hs_exec_failure f;
    unsigned        found = 0;
    size_t          i;

    hs_exec_failure_init(&f);
    for (i = 0; hs_exec_failure_at(p->exec, i, &f); i++)
        found += f.worker == worker;
    return found;
}

/* Check that a worker is retired if its tasks fail and then succeed on other workers. */
START_TEST(broken_gpu_is_retired)
{
    const script_row rows[] = {{INFINITY, 1, "done", 1, 0}, {30, 1, "break-gpu", 40, 0}, END_ROW};
    hs_instance     *in = instance_of(rows, 1, 1, HS_MICROSECONDS);
    hs_exec_settings s = scripted_settings(all_policies[_i]);
    hs_exec_failure  f;
    finished_run     p;
    size_t           i, at = SIZE_MAX;

    s.fail.retries = 1;
    p = run_plan(in, solved(in, "heteroprio"), &s);
    assert_all_done_once(&p);
    ck_assert_uint_eq(p.report.lost_workers, 1);
    ck_assert_uint_eq(failures_on(&p, 1), 5);
    hs_exec_failure_init(&f);
    for (i = 0; hs_exec_failure_at(p.exec, i, &f); i++)
        if (f.retired)
            at = i;
    ck_assert_uint_eq(at, i - 1);
    ck_assert_uint_eq(f.retired, 5);
    ck_assert_uint_eq(f.worker, 1);
    end_run(&p);
}
END_TEST

/* Do not retire the only worker that can run a task. */
START_TEST(needed_gpu_is_not_retired)
{
    const script_row rows[] = {{30, 1, "break-gpu", 40, 0}, {INFINITY, 1, "fail:1", 3, 0}, END_ROW};
    hs_instance     *in = instance_of(rows, 1, 1, HS_MICROSECONDS);
    unsigned         worker[43], i;
    hs_exec_settings s = scripted_settings("plan");
    finished_run     p;

    for (i = 0; i < 43; i++)
        worker[i] = 1;
    s.fail.retries = 1;
    p = run_plan(in, lists(in, worker), &s);
    assert_all_done_once(&p);
    ck_assert_uint_eq(p.report.lost_workers, 0);
    ck_assert_uint_eq(failures_on(&p, 1), 43);
    end_run(&p);
}
END_TEST

/* Each attempt runs on another worker. */
START_TEST(retries_move_to_other_workers)
{
    const script_row rows[] = {{30, 1, "fail:2", 1, 0}, END_ROW};
    hs_instance     *in = instance_of(rows, 2, 2, HS_MICROSECONDS);
    const unsigned   on_gpu[] = {2};
    hs_exec_settings s = scripted_settings("plan");
    finished_run     p;
    unsigned         worker;

    s.fail.retries = 2;
    p = run_plan(in, lists(in, on_gpu), &s);
    assert_all_done_once(&p);
    ck_assert_uint_eq(failures_on(&p, 2), 1);
    ck_assert_uint_eq(failures_on(&p, 0) + failures_on(&p, 1) + failures_on(&p, 3), 1);
    count_attempts(&p, 0, HS_OUTCOME_DONE, &worker);
    ck_assert_uint_ne(worker, 2);
    end_run(&p);
}
END_TEST

START_TEST(retries_wait_for_their_delay)
{
    const script_row      rows[] = {{1, 1, "fail:3", 1, 0}, END_ROW};
    hs_instance          *in = instance_of(rows, 1, 0, HS_MICROSECONDS);
    hs_exec_settings      s = scripted_settings(all_policies[_i]);
    const hs_exec_record *r;
    finished_run          p;
    size_t                count, i;

    s.fail.retries = 3;
    s.fail.retry_delay = 0.002;
    p = run_plan(in, solved(in, "heteroprio"), &s);
    assert_all_done_once(&p);
    r = hs_exec_records(p.exec, 0, &count);
    ck_assert_uint_eq(count, 4);
    for (i = 1; i < count; i++)
        ck_assert_double_ge(r[i].start - r[i - 1].end, 0.001 * (1 << i) - 1e-6);
    end_run(&p);
}
END_TEST

START_TEST(abort_without_cancel_is_a_failure)
{
    const script_row rows[] = {{1, 1, "quit", 1, 0}, END_ROW};
    hs_instance     *in = instance_of(rows, 1, 0, HS_SECONDS);
    hs_exec_settings s = scripted_settings(all_policies[_i]);
    hs_exec_failure  f;
    finished_run     p;

    p = run_plan(in, solved(in, "heteroprio"), &s);
    ck_assert_int_eq(p.status, HS_EFAILED);
    hs_exec_failure_init(&f);
    ck_assert_int_eq(hs_exec_failure_at(p.exec, 0, &f), 1);
    ck_assert(strstr(f.why, "was not cancelled") && f.final && f.task == 0 && f.worker == 0);
    ck_assert_int_eq(hs_exec_failure_at(p.exec, 1, &f), 0);
    end_run(&p);
}
END_TEST

START_TEST(timeouts)
{
    const script_row rows[] = {
        {1, 1, "hang", 3, 0}, {1, 1, "spin", 3, 0}, {1, 1, "done", 60, 0}, END_ROW};
    hs_instance     *in = instance_of(rows, 2, 1, HS_MILLISECONDS);
    hs_exec_settings s = scripted_settings(all_policies[_i]);
    hs_exec_failure  f;
    finished_run     p;
    size_t           i;

    s.fail.retries = 1;
    s.fail.halt = HS_HALT_NEVER;
    s.fail.timeout = 3600;
    s.fail.timeout_factor = 20;
    p = run_plan(in, solved(in, "heteroprio"), &s);
    ck_assert_int_eq(p.status, HS_EFAILED);
    ck_assert_uint_eq(p.report.failed, 6);
    ck_assert_uint_eq(p.report.done, 60);
    hs_exec_failure_init(&f);
    for (i = 0; hs_exec_failure_at(p.exec, i, &f); i++)
        ck_assert_str_eq(f.why, "timed out after 0.02 s");
    ck_assert_uint_eq(i, 12);
    end_run(&p);
}
END_TEST

START_TEST(tasks_of_lost_workers_move)
{
    const script_row rows[] = {{5, 1, "lose-gpu", 2, 0}, {2, 1, "done", 100, 0}, END_ROW};
    hs_instance     *in = instance_of(rows, 2, 2, HS_MICROSECONDS);
    hs_exec_settings s = scripted_settings(all_policies[_i]);
    finished_run     p;

    p = run_plan(in, solved(in, "heteroprio"), &s);
    assert_all_done_once(&p);
    ck_assert_uint_le(p.report.lost_workers, 2);
    end_run(&p);
}
END_TEST

START_TEST(tasks_without_workers_fail)
{
    const script_row rows[] = {{INFINITY, 3, "lose", 1, 0},
                               {INFINITY, 2, "done", 30, 0},
                               {1, INFINITY, "done", 10, 0},
                               END_ROW};
    hs_instance     *in = instance_of(rows, 1, 1, HS_MICROSECONDS);
    unsigned         worker[41] = {1}, i, stranded = 0;
    hs_schedule     *plan;
    hs_exec_settings s;
    hs_exec_failure  f;
    finished_run     p;

    for (i = 1; i < 41; i++)
        worker[i] = i <= 30;
    plan = lists(in, worker);
    s = scripted_settings(all_policies[_i]);
    s.fail.halt = HS_HALT_NEVER;
    p = run_plan(in, plan, &s);
    ck_assert_int_eq(p.status, HS_EFAILED);
    ck_assert_uint_eq(p.report.lost_workers, 1);
    ck_assert_uint_ge(p.report.done, 10);
    ck_assert_uint_eq(p.report.done + p.report.failed, 41);
    hs_exec_failure_init(&f);
    for (i = 0; hs_exec_failure_at(p.exec, i, &f); i++)
        stranded += f.final && strcmp(f.why, "no worker in service can run this task") == 0;
    ck_assert_uint_eq(stranded, p.report.failed);
    end_run(&p);
}
END_TEST

START_TEST(all_workers_are_lost)
{
    const script_row rows[] = {{1, 1, "lose", 50, 0}, END_ROW};
    hs_instance     *in = instance_of(rows, 2, 2, HS_MICROSECONDS);
    hs_exec_settings s = scripted_settings(all_policies[_i]);
    finished_run     p;

    s.fail.halt = HS_HALT_NEVER;
    p = run_plan(in, solved(in, "heteroprio"), &s);
    ck_assert_int_eq(p.status, HS_EFAILED);
    ck_assert_uint_eq(p.report.lost_workers, 4);
    ck_assert_uint_eq(p.report.failed, 50);
    end_run(&p);
}
END_TEST

/* Reasons of backends may contain control characters; reported reasons are printable. */
START_TEST(reasons_are_printable)
{
    const script_row refused[] = {{1, 1, "refuse:\033[2J\302\233", 1, 0}, END_ROW};
    const script_row cursed[] = {{1, 1, "curse:\033[2J\302\233", 1, 0}, END_ROW};
    hs_exec_settings s = scripted_settings("heteroprio");
    hs_instance     *in = instance_of(refused, 1, 0, HS_MICROSECONDS);
    hs_exec         *exec = NULL;
    hs_exec_failure  f;
    hs_error         error;
    finished_run     p;

    ck_assert_int_eq(hs_exec_create(in, NULL, &s, &exec, &error), HS_ERESOURCE);
    ck_assert_str_eq(error.why, "\\x1B[2J\\xC2\\x9B");
    hs_instance_free(in);
    in = instance_of(cursed, 1, 0, HS_MICROSECONDS);
    p = run_plan(in, solved(in, "heteroprio"), &s);
    hs_exec_failure_init(&f);
    ck_assert_int_eq(hs_exec_failure_at(p.exec, 0, &f), 1);
    ck_assert_str_eq(f.why, "\\x1B[2J\\xC2\\x9B");
    end_run(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("exec failures");
    TCase *cases = tcase_create("dispatcher");

    tcase_set_timeout(cases, 300);
    tcase_add_checked_fixture(cases, scripted_reset, NULL);
    tcase_add_loop_test(cases, failed_tasks_are_retried, 0, POLICIES);
    tcase_add_loop_test(cases, halt_never, 0, POLICIES);
    tcase_add_loop_test(cases, halt_soon, 0, POLICIES);
    tcase_add_loop_test(cases, halt_now, 0, POLICIES);
    tcase_add_loop_test(cases, broken_gpu_is_retired, 0, POLICIES);
    tcase_add_test(cases, needed_gpu_is_not_retired);
    tcase_add_test(cases, retries_move_to_other_workers);
    tcase_add_loop_test(cases, retries_wait_for_their_delay, 0, POLICIES);
    tcase_add_loop_test(cases, abort_without_cancel_is_a_failure, 0, POLICIES);
    tcase_add_loop_test(cases, timeouts, 0, POLICIES);
    tcase_add_loop_test(cases, tasks_of_lost_workers_move, 0, POLICIES);
    tcase_add_loop_test(cases, tasks_without_workers_fail, 0, POLICIES);
    tcase_add_loop_test(cases, all_workers_are_lost, 0, POLICIES);
    tcase_add_test(cases, reasons_are_printable);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
