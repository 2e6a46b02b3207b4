/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Threads call hs_policy_take_own() and report finished tasks without a lock, while other threads
 * give tasks back and retire under a lock: every task is done exactly once.
 */

#include <check.h>
#include <pthread.h>
#include <stdlib.h>

#include <hybridsched/hybridsched.h>

#include "suite.h"

enum { TASKS = 20000, CPUS = 3, GPUS = 2, WORKERS = CPUS + GPUS };

typedef struct hall {
    hs_policy      *policy;
    pthread_mutex_t lock;
    size_t          done; /* under the lock */
    unsigned char   times_done[TASKS];
} hall;

typedef struct worker {
    hall    *h;
    unsigned number;
    size_t   done, seen;
    bool     failed;
} worker;

/* Return true for every 50th task of the worker's own list, which the worker gives back. */
static bool is_attempt_failed(worker *w)
{
    return ++w->seen % 50 == 0;
}

static void report_end(worker *w, uint32_t task, hs_ending how)
{
    pthread_mutex_lock(&w->h->lock);
    hs_policy_ended(w->h->policy, w->number, task, how, 1, NULL);
    w->h->done += how == HS_ENDING_DONE;
    pthread_mutex_unlock(&w->h->lock);
}

/* Run an own task. Return false if there is none. */
static bool work_on_own(worker *w)
{
    uint32_t task;

    if (!hs_policy_take_own(w->h->policy, w->number, &task))
        return false;
    if (is_attempt_failed(w)) {
        report_end(w, task, HS_ENDING_RETURNED);
    } else {
        __atomic_add_fetch(&w->h->times_done[task], 1, __ATOMIC_RELAXED);
        hs_policy_ended(w->h->policy, w->number, task, HS_ENDING_DONE, 1, NULL);
        w->done++;
    }
    return true;
}

/* Ask the policy for a task under the lock. Return false if all tasks are done, or the worker
 * has retired. */
static bool work_for_all(worker *w)
{
    hs_decision decision;
    bool        leaves = w->number == 1, finished;

    pthread_mutex_lock(&w->h->lock);
    w->h->done += w->done;
    w->done = 0;
    if (leaves)
        hs_policy_retire(w->h->policy, w->number, NULL);
    hs_policy_next(w->h->policy, w->number, 1, &decision, NULL);
    w->failed |= decision.kind == HS_DECIDE_SPOLIATE || (leaves && decision.kind == HS_DECIDE_START);
    finished = leaves || w->h->done == TASKS;
    pthread_mutex_unlock(&w->h->lock);
    if (decision.kind == HS_DECIDE_START) {
        __atomic_add_fetch(&w->h->times_done[decision.task], 1, __ATOMIC_RELAXED);
        report_end(w, decision.task, HS_ENDING_DONE);
    }
    return !finished;
}

/* Thread of a worker. Worker 1 retires in the middle of its list. */
static void *run_worker(void *argument)
{
    worker *w = argument;

    for (;;) {
        bool leaves = w->number == 1 && w->seen > 500;

        if (!leaves && work_on_own(w))
            continue;
        if (!work_for_all(w))
            return NULL;
    }
}

START_TEST(own_lists_need_no_lock)
{
    static double times[TASKS];
    static hall   h;
    hs_instance  *in = NULL;
    hs_schedule  *plan = NULL;
    pthread_t     thread[WORKERS];
    worker        workers[WORKERS];
    unsigned      w;
    size_t        i;

    for (i = 0; i < TASKS; i++)
        times[i] = 1 + (double)(i % 7);
    ck_assert_int_eq(hs_instance_wrap(TASKS, times, times, NULL, CPUS, GPUS, &in), HS_OK);
    ck_assert_int_eq(hs_solve(hs_algorithm_find("lpt"), in, NULL, &plan), HS_OK);
    ck_assert_int_eq(hs_policy_create(hs_policy_find("plan"), in, plan, NULL, &h.policy), HS_OK);
    ck_assert_int_eq(pthread_mutex_init(&h.lock, NULL), 0);
    for (w = 0; w < WORKERS; w++) {
        workers[w] = (worker){.h = &h, .number = w};
        ck_assert_int_eq(pthread_create(&thread[w], NULL, run_worker, &workers[w]), 0);
    }
    for (w = 0; w < WORKERS; w++) {
        ck_assert_int_eq(pthread_join(thread[w], NULL), 0);
        ck_assert(!workers[w].failed);
    }
    for (i = 0; i < TASKS; i++)
        ck_assert_msg(h.times_done[i] == 1, "task %zu was done %d times", i, h.times_done[i]);
    pthread_mutex_destroy(&h.lock);
    hs_policy_free(h.policy);
    hs_schedule_free(plan);
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("policy threads");
    TCase *cases = tcase_create("own lists");

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, own_lists_need_no_lock);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
