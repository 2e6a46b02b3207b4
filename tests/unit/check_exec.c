/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The dispatcher with bodies that succeed, fail, hang and lose their workers on cue.
 * Nothing here depends on how long anything takes, but for the order of events.
 */

#include <check.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <hybridsched/hybridsched.h>

#include "exec_fixture.h"

static const char *const policies[] = {"plan", "plan+steal", "heteroprio"};

/* ---- nothing goes wrong
 * -------------------------------------------------------------------------- */

START_TEST(a_plan_keeps_its_order)
{
    enum { N = 400, WORKERS = 4 };
    const act        rows[] = {{1, 1, "done", N, 0}, CURTAIN};
    hs_instance     *in = acts(rows, 2, 2, HS_MICROSECONDS);
    unsigned         worker[N], w;
    hs_schedule     *plan;
    hs_exec_settings s;
    performance      p;

    for (w = 0; w < N; w++)
        worker[w] = w * 7 / 3 % WORKERS;
    plan = lists(in, worker);
    theatre_settings(&s, "plan");
    p = perform(in, plan, &s);
    all_done_once(&p);
    for (w = 0; w < WORKERS; w++) {
        size_t                planned, ran, i;
        const hs_entry       *entry = hs_schedule_entries(plan, w, &planned);
        const hs_exec_record *r = hs_exec_records(p.exec, w, &ran);

        ck_assert_uint_eq(ran, planned);
        for (i = 0; i < ran; i++)
            ck_assert_uint_eq(r[i].task, entry[i].task);
    }
    end_performance(&p);
}
END_TEST

/* Aborted entries of a plan are not repeated. */
START_TEST(spoliations_of_a_plan_are_history)
{
    static const hs_placement entries[] = {
        {0, 3, 0, 0, HS_ABORTED}, {3, 5, 0, 1, HS_RUN}, {3, 5, 1, 0, HS_RUN}};
    const act        rows[] = {{4, 2, "done", 1, 0}, {2, 2, "done", 1, 0}, CURTAIN};
    hs_instance     *in = acts(rows, 1, 1, HS_MICROSECONDS);
    hs_schedule     *plan = NULL;
    hs_exec_settings s;
    performance      p;
    unsigned         worker;

    ck_assert_int_eq(hs_schedule_build(1, 1, 3, entries, &plan), HS_OK);
    theatre_settings(&s, "plan");
    p = perform(in, plan, &s);
    all_done_once(&p);
    ck_assert_uint_eq(attempts_that(&p, 0, HS_OUTCOME_DONE, &worker), 1);
    ck_assert_uint_eq(worker, 1);
    ck_assert_int_eq(theatre.begun, 2);
    end_performance(&p);
}
END_TEST

static hs_schedule *solve(const hs_instance *in)
{
    hs_schedule *plan = NULL;

    ck_assert_int_eq(hs_solve(hs_algorithm_find("heteroprio"), in, NULL, &plan), HS_OK);
    return plan;
}

START_TEST(every_policy_does_each_task_once)
{
    const act        rows[] = {{1, 3, "done", 3000, 0},         {5, 1, "done", 3000, 0},
                               {2, 2, "busy:1", 1000, 0},       {2, INFINITY, "done", 50, 0},
                               {0.5, INFINITY, "busy:2", 1, 0}, CURTAIN};
    hs_instance     *in = acts(rows, 2, 1, HS_MICROSECONDS);
    hs_schedule     *plan = solve(in);
    hs_exec_settings s;
    performance      p;

    theatre_settings(&s, policies[_i]);
    p = perform(in, plan, &s);
    ck_assert_int_eq(p.status, HS_OK);
    ck_assert_uint_eq(p.report.done, p.report.tasks);
    ck_assert_uint_eq(p.report.failed + p.report.not_run + p.report.retried, 0);
    ck_assert_int_eq(p.report.stopped, 0);
    end_performance(&p);
}
END_TEST

START_TEST(a_handle_runs_once)
{
    const act        rows[] = {{1, 1, "done", 1, 0}, CURTAIN};
    hs_instance     *in = acts(rows, 1, 0, HS_SECONDS);
    hs_exec_settings s;
    performance      p;

    theatre_settings(&s, "heteroprio");
    p = perform(in, NULL, &s);
    ck_assert_int_eq(hs_exec_run(p.exec, NULL, NULL), HS_EINVAL);
    end_performance(&p);
}
END_TEST

/* ---- what is refused
 * ---------------------------------------------------------------------------------- */

static hs_status refused(const hs_instance *in, const hs_schedule *plan, const hs_exec_settings *s,
                         const char *says)
{
    char      why[HS_WHY];
    hs_exec  *exec = NULL;
    int       files = open_files();
    hs_status st = hs_exec_create(in, plan, s, &exec, why);

    ck_assert(exec == NULL);
    ck_assert_msg(strstr(why, says) != NULL, "'%s' does not say '%s'", why, says);
    ck_assert_int_eq(open_files(), files);
    return st;
}

START_TEST(refusals)
{
    const act rows[] = {{1, 1, "done", 1, 0}, CURTAIN},
              cpu_only[] = {{1, 1, "none-gpu", 1, 0}, CURTAIN},
              gpu_only[] = {{1, 1, "none-cpu", 1, 0}, CURTAIN},
              unknown[] = {{1, 1, "frobnicate:3", 1, 0}, CURTAIN};
    const unsigned first[] = {0}, second[] = {1};
    hs_instance   *in = acts(rows, 1, 1, HS_SECONDS), *wide = acts(rows, 50000, 0, HS_SECONDS);
    hs_instance   *cpu = acts(cpu_only, 1, 1, HS_SECONDS), *gpu = acts(gpu_only, 1, 1, HS_SECONDS);
    hs_instance   *strange = acts(unknown, 1, 0, HS_SECONDS);
    hs_schedule   *on_cpu = lists(in, first), *on_gpu = lists(in, second);
    hs_schedule   *wide_plan = lists(wide, first);
    hs_schedule   *strange_plan = lists(strange, first);
    hs_exec_settings s;

    hs_exec_settings_init(&s);
    ck_assert_int_eq(refused(in, on_cpu, &s, "this plan needs 1; use --emulate-gpus"),
                     HS_ERESOURCE);
    ck_assert_int_eq(refused(strange, strange_plan, &s, "frobnicate"), HS_EINVAL);
    theatre_settings(&s, "plan");
    s.oversubscribe = 0;
    ck_assert_int_eq(refused(wide, wide_plan, &s, "--oversubscribe"), HS_ERESOURCE);
    ck_assert_int_eq(refused(cpu, on_gpu, &s, "nothing here can run it on a GPU"), HS_ERESOURCE);
    ck_assert_int_eq(refused(in, NULL, &s, "needs a plan"), HS_EINVAL);
    ck_assert_int_eq(refused(in, wide_plan, &s, "the plan is not valid"), HS_ESCHEDULE);
    s.resume = 1;
    ck_assert_int_eq(refused(in, on_cpu, &s, "nothing to resume"), HS_EINVAL);
    s.resume = 0;
    s.logs = "/nonexistent/folder";
    ck_assert_int_eq(refused(in, on_cpu, &s, "no folder"), HS_EINVAL);
    s.logs = NULL;
    s.timeout = -1;
    ck_assert_int_eq(refused(in, on_cpu, &s, "timeout"), HS_EINVAL);
    hs_schedule_free(strange_plan);
    hs_schedule_free(wide_plan);
    hs_schedule_free(on_gpu);
    hs_schedule_free(on_cpu);
    hs_instance_free(strange);
    hs_instance_free(gpu);
    hs_instance_free(cpu);
    hs_instance_free(wide);
    hs_instance_free(in);
}
END_TEST

/* A body may be missing where the task need not go; then it never goes there. */
START_TEST(tasks_stay_where_they_have_bodies)
{
    const act        rows[] = {{1, 9, "none-gpu", 20, 0}, {9, 1, "none-cpu", 20, 0}, CURTAIN};
    hs_instance     *in = acts(rows, 1, 1, HS_MICROSECONDS);
    unsigned         worker[40], w, i;
    hs_schedule     *plan;
    hs_exec_settings s;
    performance      p;

    for (i = 0; i < 40; i++)
        worker[i] = i >= 20;
    plan = lists(in, worker);
    theatre_settings(&s, policies[_i]);
    p = perform(in, plan, &s);
    all_done_once(&p);
    ck_assert_ptr_null(hs_exec_backend(p.exec, 0, HS_GPU));
    ck_assert_str_eq(hs_exec_backend(p.exec, 0, HS_CPU), "theatre");
    for (i = 0; i < 40; i++) {
        attempts_that(&p, i, HS_OUTCOME_DONE, &w);
        ck_assert_uint_eq(w, i >= 20);
    }
    end_performance(&p);
}
END_TEST

START_TEST(a_worker_that_cannot_serve)
{
    const act        rows[] = {{1, 1, "done", 10, 0}, CURTAIN};
    hs_instance     *in = acts(rows, 3, 0, HS_MICROSECONDS);
    hs_exec_settings s;
    performance      p;

    theatre.refuse_worker = 1;
    theatre_settings(&s, "heteroprio");
    p = perform(in, NULL, &s);
    ck_assert_int_eq(p.status, HS_ERESOURCE);
    ck_assert_str_eq(p.why, "worker 1 has no costume");
    ck_assert_int_eq(theatre.begun, 0);
    end_performance(&p);
}
END_TEST

/* ---- failures
 * -------------------------------------------------------------------------------------------- */

START_TEST(retries)
{
    const act        rows[] = {{1, 1, "fail:2", 5, 0}, {1, 1, "done", 5, 0}, CURTAIN};
    hs_instance     *in = acts(rows, 1, 1, HS_MICROSECONDS);
    hs_schedule     *plan = solve(in);
    hs_exec_settings s;
    hs_exec_failure  f;
    performance      p;
    size_t           i;

    theatre_settings(&s, policies[_i]);
    s.retries = 2;
    p = perform(in, plan, &s);
    all_done_once(&p);
    ck_assert_uint_eq(p.report.retried, 10);
    hs_exec_failure_init(&f);
    for (i = 0; hs_exec_failure_at(p.exec, i, &f); i++) {
        ck_assert_int_eq(f.final, 0);
        ck_assert_str_eq(f.why, f.number == 1 ? "attempt 1 failed" : "attempt 2 failed");
        ck_assert_ptr_null(f.log);
    }
    ck_assert_uint_eq(i, 10);
    end_performance(&p);
}
END_TEST

/* One task fails while another runs until it is told to stop; a third would follow. */
static performance failing(const char *policy, hs_halt halt, const char *beside)
{
    const act        rows[] = {{2, 2, "fail:9", 1, 0},
                               {3, 3, beside, 1, HS_RESTART_NO},
                               {1, 1, "busy:100", 20, 0},
                               CURTAIN};
    hs_instance     *in = acts(rows, 2, 0, HS_SECONDS);
    unsigned         worker[22] = {0, 1}, i;
    hs_schedule     *plan;
    hs_exec_settings s;
    performance      p;

    for (i = 2; i < 22; i++)
        worker[i] = i & 1;
    plan = lists(in, worker);
    theatre_settings(&s, policy);
    s.retries = 1;
    s.halt = halt;
    p = perform(in, plan, &s);
    ck_assert_int_eq(p.status, HS_EFAILED);
    ck_assert_uint_eq(p.report.failed, 1);
    ck_assert_uint_eq(attempts_that(&p, 0, HS_OUTCOME_FAILED, NULL), 2);
    return p;
}

START_TEST(halting_never)
{
    performance p = failing(policies[_i], HS_HALT_NEVER, "done");

    ck_assert_uint_eq(p.report.done, 21);
    ck_assert_uint_eq(p.report.not_run, 0);
    end_performance(&p);
}
END_TEST

START_TEST(halting_soon)
{
    performance p = failing(policies[_i], HS_HALT_SOON, "late:20000");

    ck_assert_uint_eq(p.report.done + p.report.not_run, 21);
    end_performance(&p);
}
END_TEST

START_TEST(halting_now)
{
    performance p = failing(policies[_i], HS_HALT_NOW, "hang");

    ck_assert_uint_ge(p.report.not_run, 1);
    ck_assert_uint_eq(p.report.aborted, 0);
    end_performance(&p);
}
END_TEST

START_TEST(giving_up_unasked_is_a_failure)
{
    const act        rows[] = {{1, 1, "quit", 1, 0}, CURTAIN};
    hs_instance     *in = acts(rows, 1, 0, HS_SECONDS);
    hs_schedule     *plan = solve(in);
    hs_exec_settings s;
    hs_exec_failure  f;
    performance      p;

    theatre_settings(&s, policies[_i]);
    p = perform(in, plan, &s);
    ck_assert_int_eq(p.status, HS_EFAILED);
    hs_exec_failure_init(&f);
    ck_assert_int_eq(hs_exec_failure_at(p.exec, 0, &f), 1);
    ck_assert(strstr(f.why, "gave up") && f.final && f.task == 0 && f.worker == 0);
    ck_assert_int_eq(hs_exec_failure_at(p.exec, 1, &f), 0);
    end_performance(&p);
}
END_TEST

START_TEST(timeouts)
{
    const act rows[] = {{1, 1, "hang", 3, 0}, {1, 1, "spin", 3, 0}, {1, 1, "done", 60, 0}, CURTAIN};
    hs_instance     *in = acts(rows, 2, 1, HS_MILLISECONDS);
    hs_schedule     *plan = solve(in);
    hs_exec_settings s;
    hs_exec_failure  f;
    performance      p;
    size_t           i;

    theatre_settings(&s, policies[_i]);
    s.retries = 1;
    s.halt = HS_HALT_NEVER;
    s.timeout = 3600;
    s.timeout_factor = 20;
    p = perform(in, plan, &s);
    ck_assert_int_eq(p.status, HS_EFAILED);
    ck_assert_uint_eq(p.report.failed, 6);
    ck_assert_uint_eq(p.report.done, 60);
    hs_exec_failure_init(&f);
    for (i = 0; hs_exec_failure_at(p.exec, i, &f); i++)
        ck_assert_str_eq(f.why, "timed out after 0.02 s");
    ck_assert_uint_eq(i, 12);
    end_performance(&p);
}
END_TEST

/* ---- workers that are lost
 * ------------------------------------------------------------------------------------ */

START_TEST(work_moves_from_lost_workers)
{
    const act        rows[] = {{5, 1, "lose-gpu", 2, 0}, {2, 1, "done", 100, 0}, CURTAIN};
    hs_instance     *in = acts(rows, 2, 2, HS_MICROSECONDS);
    hs_schedule     *plan = solve(in);
    hs_exec_settings s;
    performance      p;

    theatre_settings(&s, policies[_i]);
    p = perform(in, plan, &s);
    all_done_once(&p);
    ck_assert_uint_le(p.report.lost_workers, 2);
    end_performance(&p);
}
END_TEST

START_TEST(stranded_tasks_fail)
{
    const act        rows[] = {{INFINITY, 3, "lose", 1, 0},
                               {INFINITY, 2, "done", 30, 0},
                               {1, INFINITY, "done", 10, 0},
                               CURTAIN};
    hs_instance     *in = acts(rows, 1, 1, HS_MICROSECONDS);
    unsigned         worker[41] = {1}, i, stranded = 0;
    hs_schedule     *plan;
    hs_exec_settings s;
    hs_exec_failure  f;
    performance      p;

    for (i = 1; i < 41; i++)
        worker[i] = i <= 30;
    plan = lists(in, worker);
    theatre_settings(&s, policies[_i]);
    s.halt = HS_HALT_NEVER;
    p = perform(in, plan, &s);
    ck_assert_int_eq(p.status, HS_EFAILED);
    ck_assert_uint_eq(p.report.lost_workers, 1);
    ck_assert_uint_ge(p.report.done, 10);
    ck_assert_uint_eq(p.report.done + p.report.failed, 41);
    hs_exec_failure_init(&f);
    for (i = 0; hs_exec_failure_at(p.exec, i, &f); i++)
        stranded += f.final && strcmp(f.why, "no worker is left that could run it") == 0;
    ck_assert_uint_eq(stranded, p.report.failed);
    end_performance(&p);
}
END_TEST

START_TEST(all_workers_lost)
{
    const act        rows[] = {{1, 1, "lose", 50, 0}, CURTAIN};
    hs_instance     *in = acts(rows, 2, 2, HS_MICROSECONDS);
    hs_schedule     *plan = solve(in);
    hs_exec_settings s;
    performance      p;

    theatre_settings(&s, policies[_i]);
    s.halt = HS_HALT_NEVER;
    p = perform(in, plan, &s);
    ck_assert_int_eq(p.status, HS_EFAILED);
    ck_assert_uint_eq(p.report.lost_workers, 4);
    ck_assert_uint_eq(p.report.failed, 50);
    end_performance(&p);
}
END_TEST

/* ---- being stopped
 * ------------------------------------------------------------------------------------------------
 */

static void drain(void *exec)
{
    hs_exec_stop(exec, HS_STOP_DRAIN);
}

static void stop_now(void *exec)
{
    hs_exec_stop(exec, HS_STOP_NOW);
}

static void from_handler(int number)
{
    hs_exec_stop(theatre.context, number == SIGUSR1 ? HS_STOP_DRAIN : HS_STOP_NOW);
}

static pthread_t signalled; /* workers let no signal through */

static void signal_drain(void *exec)
{
    (void)exec; /* the handler knows */
    pthread_kill(signalled, SIGUSR1);
}

static void signal_now(void *exec)
{
    (void)exec;
    pthread_kill(signalled, SIGUSR2);
}

/* From a thread that has nothing to do with the run. */
static void *stop_thread(void *exec)
{
    hs_exec_stop(exec, HS_STOP_NOW);
    return NULL;
}

static void stop_from_thread(void *exec)
{
    pthread_t thread;

    ck_assert_int_eq(pthread_create(&thread, NULL, stop_thread, exec), 0);
    pthread_join(thread, NULL);
}

/* The first task of each worker asks for the stop and goes on; thousands wait behind. */
static performance stopping(const char *policy, void (*hook)(void *), const char *kernel)
{
    const act    rows[] = {{2, 2, kernel, 2, HS_RESTART_NO}, {1, 1, "late:300", 5000, 0}, CURTAIN};
    hs_instance *in = acts(rows, 1, 1, HS_SECONDS);
    unsigned    *worker = calloc(5002, sizeof *worker), i;
    struct sigaction action = {.sa_handler = from_handler};
    hs_schedule     *plan;
    hs_exec_settings s;
    performance      p;

    ck_assert(worker != NULL);
    for (i = 0; i < 5002; i++)
        worker[i] = i & 1;
    plan = lists(in, worker);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    signalled = pthread_self();
    theatre.hook = hook;
    theatre_settings(&s, policy);
    p = perform(in, plan, &s);
    ck_assert_int_eq(p.report.stopped, 1);
    ck_assert_int_ge(theatre.calls, 1);
    ck_assert_uint_eq(p.report.failed, 0);
    free(worker);
    return p;
}

START_TEST(draining)
{
    static const struct {
        void (*hook)(void *);
    } hooks[] = {{drain}, {signal_drain}};
    size_t h;

    for (h = 0; h < 2; h++) {
        performance p;

        theatre_reset();
        p = stopping(policies[_i], hooks[h].hook, "call:50000");
        ck_assert(p.status == HS_ECANCELED || p.report.not_run == 0);
        ck_assert_uint_ge(p.report.done, 1); /* what runs may end */
        end_performance(&p);
    }
}
END_TEST

/* Nothing ends these but being told to. */
START_TEST(stopping_now)
{
    static const struct {
        void (*hook)(void *);
    } hooks[] = {{stop_now}, {signal_now}, {stop_from_thread}};
    size_t h;

    for (h = 0; h < 3; h++) {
        performance p;

        theatre_reset();
        p = stopping(policies[_i], hooks[h].hook, "call:100000000");
        ck_assert_int_eq(p.status, HS_ECANCELED);
        ck_assert_uint_ge(p.report.not_run, 1);
        ck_assert_uint_eq(p.report.aborted, 0);
        end_performance(&p);
    }
}
END_TEST

START_TEST(stopped_before_the_start)
{
    const act        rows[] = {{1, 1, "done", 10, 0}, CURTAIN};
    hs_instance     *in = acts(rows, 2, 0, HS_SECONDS);
    hs_exec_settings s;
    hs_exec_report   report;
    hs_exec         *exec = NULL;

    theatre_settings(&s, "heteroprio");
    ck_assert_int_eq(hs_exec_create(in, NULL, &s, &exec, NULL), HS_OK);
    hs_exec_stop(exec, HS_STOP_DRAIN);
    hs_exec_report_init(&report);
    ck_assert_int_eq(hs_exec_run(exec, &report, NULL), HS_ECANCELED);
    ck_assert_uint_eq(report.not_run, 10);
    ck_assert_int_eq(theatre.begun, 0);
    hs_exec_free(exec);
    hs_instance_free(in);
}
END_TEST

/* ---- progress
 * ------------------------------------------------------------------------------------------------------
 */

typedef struct told {
    int      times, backwards;
    uint64_t done, failed;
    double   remaining;
} told;

static void listen(void *data, const hs_exec_progress *progress)
{
    told *t = data;

    t->backwards += progress->done < t->done || progress->total != 60 || progress->running > 3 ||
                    !(progress->remaining >= 0);
    t->done = progress->done;
    t->failed = progress->failed;
    t->remaining = progress->remaining;
    t->times++;
}

START_TEST(progress_is_told)
{
    const act        rows[] = {{1, 2, "busy:500", 59, 0}, {1, 1, "fail:9", 1, 0}, CURTAIN};
    hs_instance     *in = acts(rows, 2, 1, HS_MILLISECONDS);
    hs_schedule     *plan = solve(in);
    told             t = {0};
    hs_exec_settings s;
    performance      p;

    theatre_settings(&s, policies[_i]);
    s.halt = HS_HALT_NEVER;
    s.progress = listen;
    s.progress_data = &t;
    s.progress_interval = 0.001;
    p = perform(in, plan, &s);
    ck_assert_int_ge(t.times, 2);
    ck_assert_int_eq(t.backwards, 0);
    ck_assert_uint_eq(t.done, 59);
    ck_assert_uint_eq(t.failed, 1);
    end_performance(&p);
}
END_TEST

int main(void)
{
    enum { POLICIES = sizeof policies / sizeof *policies };
    Suite   *suite = suite_create("exec");
    TCase   *cases = tcase_create("dispatcher");
    SRunner *runner;
    int      failed;

    tcase_set_timeout(cases, 300);
    tcase_add_checked_fixture(cases, theatre_reset, NULL);
    tcase_add_test(cases, a_plan_keeps_its_order);
    tcase_add_test(cases, spoliations_of_a_plan_are_history);
    tcase_add_loop_test(cases, every_policy_does_each_task_once, 0, POLICIES);
    tcase_add_test(cases, a_handle_runs_once);
    tcase_add_test(cases, refusals);
    tcase_add_loop_test(cases, tasks_stay_where_they_have_bodies, 0, POLICIES);
    tcase_add_test(cases, a_worker_that_cannot_serve);
    tcase_add_loop_test(cases, retries, 0, POLICIES);
    tcase_add_loop_test(cases, halting_never, 0, POLICIES);
    tcase_add_loop_test(cases, halting_soon, 0, POLICIES);
    tcase_add_loop_test(cases, halting_now, 0, POLICIES);
    tcase_add_loop_test(cases, giving_up_unasked_is_a_failure, 0, POLICIES);
    tcase_add_loop_test(cases, timeouts, 0, POLICIES);
    tcase_add_loop_test(cases, work_moves_from_lost_workers, 0, POLICIES);
    tcase_add_loop_test(cases, stranded_tasks_fail, 0, POLICIES);
    tcase_add_loop_test(cases, all_workers_lost, 0, POLICIES);
    tcase_add_loop_test(cases, draining, 0, POLICIES);
    tcase_add_loop_test(cases, stopping_now, 0, POLICIES);
    tcase_add_test(cases, stopped_before_the_start);
    tcase_add_loop_test(cases, progress_is_told, 0, POLICIES);
    suite_add_tcase(suite, cases);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
