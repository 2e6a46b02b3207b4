/* SPDX-License-Identifier: BSD-3-Clause */

/* The dispatcher when it is told to stop, by whomever. */

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include <hybridsched/hybridsched.h>

#include "exec_fixture.h"
#include "suite.h"

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
    s = theatre_settings(policy);
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
        p = stopping(all_policies[_i], hooks[h].hook, "call:50000");
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
        p = stopping(all_policies[_i], hooks[h].hook, "call:100000000");
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
    hs_exec_settings s = theatre_settings("heteroprio");
    hs_exec_report   report;
    hs_exec         *exec = NULL;

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

int main(void)
{
    Suite *suite = suite_create("exec stops");
    TCase *cases = tcase_create("dispatcher");

    tcase_set_timeout(cases, 300);
    tcase_add_checked_fixture(cases, theatre_reset, NULL);
    tcase_add_loop_test(cases, draining, 0, POLICIES);
    tcase_add_loop_test(cases, stopping_now, 0, POLICIES);
    tcase_add_test(cases, stopped_before_the_start);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
