/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Threads solve one instance at the same time with every algorithm and bound, and get the results
 * of a single thread. Run this test under a thread sanitizer, too.
 */

#include <check.h>
#include <pthread.h>
#include <stdlib.h>

#include "plan_digest.h"
#include "suite.h"
#include "property/sample.h"

enum { THREADS = 6, MOST = 64 };

/* Digests of the schedules by algorithm, and values of the bounds. */
typedef struct results {
    uint64_t plan[MOST];
    double   bound[MOST];
    bool     failed;
} results;

static void solve_all(const hs_instance *in, size_t first, results *out)
{
    size_t algorithms = hs_algorithm_count(), bounds = hs_bound_count(), i;

    for (i = 0; i < algorithms; i++) {
        size_t       at = (first + i) % algorithms; /* start index differs by thread */
        hs_schedule *plan = NULL;

        if (algorithm_takes_seconds(hs_algorithm_at(at)) ||
            algorithm_refuses_instance(in, hs_algorithm_at(at)))
            continue;
        if (hs_solve(hs_algorithm_at(at), in, NULL, &plan) != HS_OK ||
            hs_schedule_check(in, plan, NULL) != HS_OK) {
            out->failed = true;
            return;
        }
        out->plan[at] = digest_plan(plan);
        hs_schedule_free(plan);
    }
    for (i = 0; i < bounds; i++) {
        size_t at = (first + i) % bounds;

        if (bound_takes_seconds(hs_bound_at(at)))
            continue;
        if (hs_bound_compute(hs_bound_at(at), in, NULL, &out->bound[at]) != HS_OK)
            out->failed = true;
    }
}

typedef struct job {
    const hs_instance *in;
    pthread_barrier_t *start;
    size_t             number;
    results            found;
} job;

/* Thread: solve the common instance, then an instance of the thread's own that shares the tasks of
 * the common instance, and compare the results. */
static void *solve_and_compare(void *data)
{
    job         *j = data;
    results      again = {.failed = false};
    hs_instance *own = NULL;
    size_t       i;

    pthread_barrier_wait(j->start);
    solve_all(j->in, j->number, &j->found);
    if (hs_instance_with_workers(j->in, hs_instance_cpus(j->in), hs_instance_gpus(j->in), &own) !=
        HS_OK)
        j->found.failed = true;
    else
        solve_all(own, j->number + 3, &again);
    hs_instance_free(own);
    for (i = 0; i < MOST; i++)
        if (again.plan[i] != j->found.plan[i] || again.bound[i] != j->found.bound[i])
            j->found.failed = true;
    return NULL;
}

static void check_instance(const sample *s)
{
    pthread_barrier_t start;
    pthread_t         threads[THREADS];
    static job        jobs[THREADS];
    results           expected = {.failed = false};
    size_t            i, t;

    ck_assert(hs_algorithm_count() <= MOST && hs_bound_count() <= MOST);
    solve_all(s->in, 0, &expected);
    ck_assert(!expected.failed);
    ck_assert_int_eq(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (t = 0; t < THREADS; t++) {
        jobs[t] = (job){.in = s->in, .start = &start, .number = t};
        ck_assert_int_eq(pthread_create(&threads[t], NULL, solve_and_compare, &jobs[t]), 0);
    }
    for (t = 0; t < THREADS; t++)
        ck_assert_int_eq(pthread_join(threads[t], NULL), 0);
    pthread_barrier_destroy(&start);
    for (t = 0; t < THREADS; t++) {
        REQUIRE(s, !jobs[t].found.failed, "thread %zu failed", t);
        for (i = 0; i < MOST; i++)
            REQUIRE(s, jobs[t].found.plan[i] == expected.plan[i] &&
                           jobs[t].found.bound[i] == expected.bound[i],
                    "thread %zu: something else came out", t);
    }
}

START_TEST(threads_do_not_disturb_each_other)
{
    size_t rounds = rounds_scaled(5), i;
    sample s;
    int    family;

    for (i = 0; i < rounds; i++)
        for (family = 0; family < SAMPLE_FAMILIES; family++) {
            sample_make_family(&s, (sample_family)family, 71000000 + i, 200, 6, 3, (int)(i % 2));
            check_instance(&s);
            sample_free(&s);
        }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("threads");
    TCase *cases = tcase_create("at the same time");

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, threads_do_not_disturb_each_other);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
