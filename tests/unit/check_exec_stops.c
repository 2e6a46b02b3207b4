/* SPDX-License-Identifier: BSD-3-Clause */

/* Stops of a run, by hs_exec_stop() from bodies, signal handlers and other threads, and by
 * impossible decisions of policies. */

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include <hybridsched/hybridsched.h>

#include "exec_fixture.h"
#include "suite.h"
#include "support/clock.h"

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
    hs_exec_stop(scripted.context, number == SIGUSR1 ? HS_STOP_DRAIN : HS_STOP_NOW);
}

static pthread_t signalled; /* worker threads block all signals */

static void signal_drain(void *exec)
{
    (void)exec; /* the handler gets no argument */
    pthread_kill(signalled, SIGUSR1);
}

static void signal_now(void *exec)
{
    (void)exec;
    pthread_kill(signalled, SIGUSR2);
}

/* Stop the run from a thread that is no part of it. */
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

/* The first task of each worker stops the run and goes on; thousands of tasks wait behind it. */
static finished_run stopping(const char *policy, void (*hook)(void *), const char *kernel)
{
    const script_row rows[] = {
        {2, 2, kernel, 2, HS_RESTART_NO}, {1, 1, "late:300", 5000, 0}, END_ROW};
    hs_instance     *in = instance_of(rows, 1, 1, HS_SECONDS);
    unsigned    *worker = calloc(5002, sizeof *worker), i;
    struct sigaction action = {.sa_handler = from_handler};
    hs_schedule     *plan;
    hs_exec_settings s;
    finished_run     p;

    ck_assert(worker != NULL);
    for (i = 0; i < 5002; i++)
        worker[i] = i & 1;
    plan = lists(in, worker);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    signalled = pthread_self();
    scripted.hook = hook;
    s = scripted_settings(policy);
    p = run_plan(in, plan, &s);
    ck_assert_int_eq(p.report.stopped, 1);
    ck_assert_int_ge(scripted.calls, 1);
    ck_assert_uint_eq(p.report.failed, 0);
    free(worker);
    return p;
}

START_TEST(stop_drain)
{
    static const struct {
        void (*hook)(void *);
    } hooks[] = {{drain}, {signal_drain}};
    size_t h;

    for (h = 0; h < 2; h++) {
        finished_run p;

        scripted_reset();
        p = stopping(all_policies[_i], hooks[h].hook, "call:50000");
        ck_assert(p.status == HS_ECANCELED || p.report.not_run == 0);
        ck_assert_uint_ge(p.report.done, 1); /* running tasks may end */
        end_run(&p);
    }
}
END_TEST

/* The tasks end only if they are cancelled. */
START_TEST(stop_at_once)
{
    static const struct {
        void (*hook)(void *);
    } hooks[] = {{stop_now}, {signal_now}, {stop_from_thread}};
    size_t h;

    for (h = 0; h < 3; h++) {
        finished_run p;

        scripted_reset();
        p = stopping(all_policies[_i], hooks[h].hook, "call:100000000");
        ck_assert_int_eq(p.status, HS_ECANCELED);
        ck_assert_uint_ge(p.report.not_run, 1);
        ck_assert_uint_eq(p.report.aborted, 0);
        end_run(&p);
    }
}
END_TEST

START_TEST(stop_before_the_start)
{
    const script_row rows[] = {{1, 1, "done", 10, 0}, END_ROW};
    hs_instance     *in = instance_of(rows, 2, 0, HS_SECONDS);
    hs_exec_settings s = scripted_settings("heteroprio");
    hs_exec_report   report;
    hs_exec         *exec = NULL;

    ck_assert_int_eq(hs_exec_create(in, NULL, &s, &exec, NULL), HS_OK);
    hs_exec_stop(exec, HS_STOP_DRAIN);
    hs_exec_report_init(&report);
    ck_assert_int_eq(hs_exec_run(exec, &report, NULL), HS_ECANCELED);
    ck_assert_uint_eq(report.not_run, 10);
    ck_assert_int_eq(scripted.begun, 0);
    hs_exec_free(exec);
    hs_instance_free(in);
}
END_TEST

/* Policies that make impossible decisions, up to TRIES times for each worker. */
enum { TRIES = 20 };

typedef struct odd_state {
    unsigned asked[2];
} odd_state;

static odd_state odd;

static hs_status create(void *data, hs_policy *policy, const hs_instance *estimates,
                        const hs_schedule *plan, const hs_policy_settings *settings, void **out)
{
    (void)data;
    (void)policy;
    (void)estimates;
    (void)plan;
    (void)settings;
    odd = (odd_state){0};
    *out = &odd;
    return HS_OK;
}

static void forget(void *s)
{
    (void)s;
}

static void ended(void *s, unsigned worker, uint32_t task, hs_ending how, double now, hs_wake *wake)
{
    (void)s;
    (void)worker;
    (void)task;
    (void)how;
    (void)now;
    (void)wake;
}

static void skip(void *s, uint32_t task)
{
    (void)s;
    (void)task;
}

static void ready(void *s, const uint32_t *tasks, size_t count, double now, hs_wake *wake)
{
    (void)s;
    (void)tasks;
    (void)count;
    (void)now;
    (void)wake;
}

static bool tries_again(odd_state *s, unsigned worker)
{
    return s->asked[worker]++ < TRIES;
}

static void give_up(void *s, unsigned worker, double now, hs_decision *out, hs_wake *wake)
{
    (void)s;
    (void)worker;
    (void)now;
    (void)wake;
    hs_decide_wait(out, INFINITY);
}

static void start_again(void *s, unsigned worker, double now, hs_decision *out, hs_wake *wake)
{
    give_up(s, worker, now, out, wake);
    if (tries_again(s, worker))
        hs_decide_start(out, 0);
}

static void take_what_is_over(void *state, unsigned worker, double now, hs_decision *out,
                              hs_wake *wake)
{
    odd_state *s = state;

    give_up(s, worker, now, out, wake);
    if (worker == 0 && s->asked[worker] == 0)
        hs_decide_start(out, 0);
    else if (worker == 0 && s->asked[worker] < TRIES)
        hs_decide_spoliate(out, 0, worker);
    s->asked[worker]++;
}

/* Let the GPU spoliate the CPU's task, which is not restartable. */
static void take_what_may_not_restart(void *state, unsigned worker, double now, hs_decision *out,
                                      hs_wake *wake)
{
    odd_state *s = state;

    give_up(s, worker, now, out, wake);
    if (worker == 0 && s->asked[0]++ == 0) {
        hs_decide_start(out, 0);
        hs_wake_all(wake);
    } else if (worker == 1 && s->asked[0] && s->asked[1]++ < 2) {
        if (s->asked[1] == 1)
            hs_decide_spoliate(out, 0, 0);
        else
            hs_decide_start(out, 0);
    }
}

static void wait_until_now(void *s, unsigned worker, double now, hs_decision *out, hs_wake *wake)
{
    give_up(s, worker, now, out, wake);
    if (tries_again(s, worker))
        hs_decide_wait(out, now);
}

/* Start the second task, which depends on the first. */
static void start_the_second(void *s, unsigned worker, double now, hs_decision *out, hs_wake *wake)
{
    give_up(s, worker, now, out, wake);
    hs_decide_start(out, 1);
}

static int own_again(void *s, unsigned worker, uint32_t *task)
{
    *task = 0;
    return tries_again(s, worker);
}

static const uint32_t *list(size_t *count, const uint32_t *tasks, size_t length)
{
    *count = length;
    return tasks;
}

static const uint32_t *list_twice(void *s, unsigned worker, size_t *count)
{
    static const uint32_t tasks[] = {0, 0};

    (void)s;
    (void)worker;
    return list(count, tasks, 2);
}

static const uint32_t *list_stranger(void *s, unsigned worker, size_t *count)
{
    static const uint32_t tasks[] = {1u << 30};

    (void)s;
    (void)worker;
    return list(count, tasks, 1);
}

static const uint32_t *list_nothing(void *s, unsigned worker, size_t *count)
{
    static const uint32_t tasks[1];

    (void)s;
    (void)worker;
    return list(count, tasks, 0);
}

static int strand_again(void *s, uint32_t *task)
{
    *task = 0;
    return tries_again(s, 0);
}

#define ODD                                                                                        \
    .struct_size = sizeof(hs_policy_kind), .name = "odd", .summary = "", .create = create,         \
    .free = forget, .ended = ended, .mark_done = skip

static const struct {
    const char    *kernel;
    hs_policy_kind kind;
    const char    *fault; /* part of the message */
} odd_policies[] = {
    {"done", {ODD, .next = start_again}, "the task is done, or another decision has started it"},
    {"done", {ODD, .next = take_what_is_over}, "on cpu0, but the task does not run there"},
    {"call:50000",
     {ODD, .next = take_what_may_not_restart}, /* the run waits for the task */
     "the policy lets gpu0 spoliate task 't0' on cpu0, but the task may not be aborted, or may not "
     "run here"},
    {"done", {ODD, .next = wait_until_now}, "but that is not later"},
    {"done",
     {ODD, .next = give_up, .take_own = own_again},
     "the task is done, or another decision has started it"},
    {"none-cpu", {ODD, .next = give_up, .take_own = own_again}, "the policy starts task 't0'"},
    {"done",
     {ODD, .next = give_up, .take_own = own_again, .own_list = list_twice},
     "at 0 the policy starts task 't0' on "},
    {"done",
     {ODD, .next = give_up, .take_own = own_again, .own_list = list_nothing},
     "its list of own tasks has another task next"},
    {"none-cpu",
     {ODD, .next = give_up, .own_list = list_twice},
     "at 0 the policy starts task 't0' on "},
    {"done", {ODD, .next = give_up, .own_list = list_stranger}, "there is no such task"},
    {"lose", {ODD, .next = start_again, .take_stranded = strand_again}, "task 't0'"},
};

/* The run breaks off as a simulation does, and counts each task once. */
START_TEST(impossible_decision_breaks_the_run_off)
{
    const script_row rows[] = {
        {1, 1, odd_policies[_i].kernel, 1, HS_RESTART_NO}, {1, 1, "done", 1, 0}, END_ROW};
    hs_backend              backend = scripted_backend_with_lists();
    const hs_backend *const only[] = {&backend};
    hs_exec_settings        s = scripted_settings("plan");
    finished_run            p;

    s.run.backends = only;
    s.decide.policy = &odd_policies[_i].kind;
    p = run_plan(instance_of(rows, 1, 1, HS_SECONDS), NULL, &s);
    ck_assert_int_eq(p.status, HS_ESCHEDULE);
    ck_assert_msg(strstr(p.error.why, odd_policies[_i].fault), "%s", p.error.why);
    ck_assert_uint_le(p.report.done + p.report.failed, 1);
    end_run(&p);
}
END_TEST

/* A policy of the application that starts a task too early breaks the run off. */
START_TEST(policy_that_violates_the_order_is_refused)
{
    const hs_policy_kind rash = {ODD, .next = start_the_second, .add_ready = ready,
                                 .supports_graphs = true};
    hs_task              task = {.struct_size = sizeof task, .cpu = 1, .gpu = 1, .kernel = "done"};
    hs_builder          *b = NULL;
    hs_instance         *in = NULL;
    hs_exec_settings     s = scripted_settings("plan");
    finished_run         p;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 0), HS_OK);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_add_predecessor(b, 1, 0, 0, 0), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    s.decide.policy = &rash;
    p = run_plan(in, NULL, &s);
    ck_assert_int_eq(p.status, HS_ESCHEDULE);
    ck_assert_ptr_nonnull(strstr(p.error.why, "the policy starts task 't1' on cpu0, but a "
                                              "predecessor of the task is not done"));
    ck_assert_int_eq(scripted.begun, 0);
    end_run(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("exec stops");
    TCase *cases = tcase_create("dispatcher");

    tcase_set_timeout(cases, 300);
    tcase_add_checked_fixture(cases, scripted_reset, NULL);
    tcase_add_loop_test(cases, stop_drain, 0, POLICIES);
    tcase_add_loop_test(cases, stop_at_once, 0, POLICIES);
    tcase_add_test(cases, stop_before_the_start);
    tcase_add_loop_test(cases, impossible_decision_breaks_the_run_off, 0,
                        sizeof odd_policies / sizeof *odd_policies);
    tcase_add_test(cases, policy_that_violates_the_order_is_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
