/* SPDX-License-Identifier: BSD-3-Clause */

/* Events for a worker while its own thread is busy: another thread decides for the worker,
 * checks the tasks left for it, or enforces its deadline. The first two tests are for a thread
 * sanitizer: bodies wait for each other by relaxed atomics only, which order no other memory
 * access. */
#include "config.h"

#include <check.h>
#include <math.h>
#include <sched.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

#include "exec/run/dispatcher/dispatcher_private.h"
#include "suite.h"
#include "support/atomic.h"
#include "support/clock.h"

static uint64_t           the_time;   /* ns; shared; 0: the clock is the real one */
static _Thread_local bool rises_late; /* the first reading of the clock in this thread takes long */
static int                is_up;      /* shared: the late thread is reading the clock */
static int                is_asked;   /* shared: the policy has decided for the late thread */
static hs_exec           *running;
static hs_body            body;

/* The body of all tasks in the present test. */
static hs_outcome (*run_body)(hs_attempt *attempt);

static void wait_for(const int *count, int value)
{
    while (hsi_atomic_load(count) < value)
        sched_yield();
}

int                    __real_clock_gettime(clockid_t clock, struct timespec *now);
#pragma GCC visibility push(default) /* libraries call it, too */
int                    __wrap_clock_gettime(clockid_t clock, struct timespec *now);
#pragma GCC visibility pop

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    bool late = rises_late && clock == CLOCK_MONOTONIC;

    if (late) {
        hsi_atomic_store(&is_up, 1);
        wait_for(&is_asked, 1);
    }
    rises_late &= !late;
    if (clock != CLOCK_MONOTONIC || !hsi_atomic_load64(&the_time))
        return __real_clock_gettime(clock, now);
    *now = hsi_timespec((int64_t)hsi_atomic_load64(&the_time));
    return 0;
}

static hs_status body_create(const hs_backend_options *options, const hs_task *row, hs_type type,
                             hs_body **out, hs_error *error)
{
    (void)options, (void)row, (void)type, (void)error;
    *out = &body;
    return HS_OK;
}

static hs_outcome run(hs_backend_worker *worker, const hs_body *unused, hs_attempt *attempt)
{
    (void)worker, (void)unused;
    return run_body(attempt);
}

static const hs_backend actors = {
    .struct_size = sizeof(hs_backend), .name = "actors", .body_create = body_create, .run = run};

/* Open a worker; the thread of the CPU is late at the first start. */
static hs_status worker_open(const hs_backend_options *options, const hs_backend_worker_info *info,
                             hs_backend_worker **out, hs_error *error)
{
    static hs_backend_worker state;

    (void)options, (void)error;
    rises_late = info->type == HS_CPU;
    *out = &state;
    return HS_OK;
}

static void worker_close(hs_backend_worker *worker)
{
    (void)worker;
}

static const hs_backend late_risers = {.struct_size = sizeof(hs_backend),
                                       .name = "late risers",
                                       .body_create = body_create,
                                       .worker_open = worker_open,
                                       .worker_close = worker_close,
                                       .run = run};

static hs_builder *begin(unsigned cpus, unsigned gpus)
{
    hs_builder *b = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, cpus, gpus), HS_OK);
    body.backend = &actors;
    return b;
}

static void add(hs_builder *b, double cpu, double gpu, double timeout)
{
    hs_task task;

    hs_task_init(&task);
    task.cpu = cpu;
    task.gpu = gpu;
    task.timeout = timeout;
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
}

static hs_instance *finish(hs_builder *b)
{
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

static hs_exec_settings settings_of(const hs_backend *const *only, const char *policy)
{
    hs_exec_settings s;

    hs_exec_settings_init(&s);
    s.decide.policy = hs_policy_find(policy);
    s.place.unbound = true;
    s.place.oversubscribe = true;
    s.run.backends = only;
    s.run.backend_count = 1;
    return s;
}

/* Run the instance, free it with its plan, and return the report. */
static hs_exec_report run_tasks(hs_instance *in, hs_schedule *plan, const hs_exec_settings *s)
{
    hs_exec_report report;
    hs_error       error;

    hs_exec_report_init(&report);
    ck_assert_msg(hs_exec_create(in, plan, s, &running, &error) == HS_OK, "%s", error.why);
    hs_exec_run(running, &report, &error);
    hs_exec_free(running);
    hs_schedule_free(plan);
    hs_instance_free(in);
    return report;
}

/* Abort the second task on the GPU, because the CPU spoliates it. */
static hs_outcome give_up_the_second(hs_attempt *attempt)
{
    if (attempt->task == 0)
        wait_for(&is_up, 1);
    if (attempt->task == 0 || attempt->worker == 0)
        return HS_OUTCOME_DONE;
    hsi_atomic_store(&is_asked, 1);
    while (!hs_attempt_cancelled(attempt))
        sched_yield();
    return HS_OUTCOME_ABORTED;
}

/* The thread of the GPU decides that the CPU spoliates, before the thread of the CPU has read
 * the clock for the first time. The first task of the GPU lasts far longer than estimated, so
 * the policy expects the same of the second and lets the CPU spoliate it at once. */
START_TEST(decision_before_the_thread_wakes)
{
    static const hs_backend *const only[] = {&late_risers};
    const hs_exec_settings         s = settings_of(only, "heteroprio");
    hs_builder                    *b = begin(1, 1);
    hs_exec_report                 report;

    body.backend = &late_risers;
    add(b, 10, 1e-9, 0);
    add(b, 1, 10, 0);
    ck_assert_int_eq(hs_builder_add_predecessor(b, 1, 0, 0, 0), HS_OK);
    run_body = give_up_the_second;
    is_up = is_asked = 0;
    report = run_tasks(finish(b), NULL, &s);
    ck_assert_uint_eq(report.done, 2);
    ck_assert_uint_eq(report.aborted, 1);
}
END_TEST

enum { LINKS = 12, BAD = 8, NEEDED = 4 }; /* failures in a row after which a worker retires */

static int linked, failing; /* shared: attempts begun */
static int is_retired;      /* shared: the CPU is retired */

static void note_retired(void *data, const hs_exec_failure *failure)
{
    (void)data;
    if (failure->retired)
        hsi_atomic_store(&is_retired, 1);
}

/* The chain begins after the first failure of the CPU, and ends after the CPU was retired. */
static hs_outcome fail_beside_the_chain(hs_attempt *attempt)
{
    if (attempt->task < LINKS) {
        wait_for(&failing, 2);
        if (__atomic_add_fetch(&linked, 1, __ATOMIC_RELAXED) == LINKS)
            wait_for(&is_retired, 1);
        return HS_OUTCOME_DONE;
    }
    if (__atomic_add_fetch(&failing, 1, __ATOMIC_RELAXED) == NEEDED)
        wait_for(&linked, LINKS);
    return HS_OUTCOME_FAILED;
}

/* The dispatcher checks whether others can run all tasks left by a worker to be retired, while
 * the GPU starts tasks of its list without the lock. */
START_TEST(retirement_while_another_worker_starts_a_task)
{
    static const hs_backend *const only[] = {&actors};
    hs_exec_settings               s = settings_of(only, "plan");
    hs_builder                    *b = begin(1, 1);
    hs_placement                   at[LINKS + BAD];
    hs_schedule                   *plan = NULL;
    hs_exec_report                 report;

    for (uint32_t i = 0; i < LINKS + BAD; i++) {
        unsigned from = i < LINKS ? i : i - LINKS;

        add(b, 1, 1, 0);
        if (i > 0 && i < LINKS)
            ck_assert_int_eq(hs_builder_add_predecessor(b, i, i - 1, 0, 0), HS_OK);
        at[i] = (hs_placement){from, from + 1, i, i < LINKS, HS_RUN};
    }
    ck_assert_int_eq(hs_schedule_build(1, 1, LINKS + BAD, at, &plan), HS_OK);
    s.fail.halt = HS_HALT_NEVER;
    s.fail.retire_after = 1;
    run_body = fail_beside_the_chain;
    s.report.failure = note_retired;
    linked = failing = is_retired = 0;
    report = run_tasks(finish(b), plan, &s);
    ck_assert_uint_eq(report.done, LINKS);
    ck_assert_uint_eq(report.failed, BAD);
    ck_assert_uint_eq(report.lost_workers, 1);
}
END_TEST

/* Wait until the first worker waits. */
static void wait_for_first(void)
{
    bool waits = false;

    while (!waits) {
        hsi_lock(running->control);
        waits = running->worker[0].dispatch->phase == HSI_WAIT;
        hsi_unlock(running->control);
    }
}

/* Wait until the thread of the caller has enforced deadlines once more. */
static void have_deadlines_enforced(void)
{
    enum { NOT_YET = -1 };
    bool looked = false;

    hsi_lock(running->control);
    running->dispatcher->next_look = NOT_YET;
    hsi_unlock(running->control);
    hsi_wake_caller(running->control);
    while (!looked) {
        hsi_lock(running->control);
        looked = running->dispatcher->next_look != NOT_YET;
        hsi_unlock(running->control);
    }
}

/* The second task lasts until the deadline of the first task, which is done, has passed. */
static hs_outcome outlast_a_deadline(hs_attempt *attempt)
{
    if (attempt->task == 1) {
        wait_for_first();
        hsi_atomic_store64(&the_time, hsi_atomic_load64(&the_time) + 10 * UINT64_C(1000000000));
        have_deadlines_enforced();
    }
    return hs_attempt_cancelled(attempt) ? HS_OUTCOME_ABORTED : HS_OUTCOME_DONE;
}

/* A deadline that passes after the end of its attempt affects neither the waiting worker nor the
 * worker's next attempt. */
START_TEST(deadline_ends_with_its_attempt)
{
    static const hs_backend *const only[] = {&actors};
    const hs_exec_settings         s = settings_of(only, "plan");
    const hs_placement at[] = {{0, 1, 0, 0, HS_RUN}, {0, 2, 1, 1, HS_RUN}, {2, 3, 2, 0, HS_RUN}};
    hs_builder        *b = begin(2, 0);
    hs_schedule       *plan = NULL;
    hs_exec_report     report;

    add(b, 1, 1, 1);
    add(b, 2, 1, 0);
    add(b, 1, 1, 0);
    ck_assert_int_eq(hs_builder_add_predecessor(b, 2, 1, 0, 0), HS_OK);
    ck_assert_int_eq(hs_schedule_build(2, 0, 3, at, &plan), HS_OK);
    run_body = outlast_a_deadline;
    hsi_atomic_store64(&the_time, UINT64_C(1) << 60);
    report = run_tasks(finish(b), plan, &s);
    hsi_atomic_store64(&the_time, 0);
    ck_assert_uint_eq(report.done, 3);
    ck_assert_uint_eq(report.failed, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("exec turns");
    TCase *cases = tcase_create("by other threads");

    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, decision_before_the_thread_wakes);
    tcase_add_test(cases, retirement_while_another_worker_starts_a_task);
    tcase_add_test(cases, deadline_ends_with_its_attempt);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
