/* SPDX-License-Identifier: BSD-3-Clause */
/* The CUDA module on a fake with limited memory, failing handles, shared queues or hanging kernels.
 * */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "suite.h"
#include "ways.h"

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static unsigned begun_before; /* kernels that begin before a kernel hangs */

/* Let the next kernels hang. After the grace period, a stopped task and its GPU are abandoned. */
static void hang(trial *t, int way)
{
    t->options.grace = 1;
    opened(t, way);
    fake_hold_operations(FAKE_KERNEL, 1);
    begun_before = fake_begun_count(FAKE_KERNEL);
}

/* Close the worker while its kernel still hangs: a wait for the kernel would never end. */
static void released(trial *t)
{
    trial_close_worker(t);
    ck_assert_uint_eq(fake_misuse_count(), 0);
    fake_hold_operations(FAKE_KERNEL, 0);
    fake_reset(&FAKE_SETTINGS);
    trial_free(t);
}

/* Cancel all attempts when a kernel hangs. */
static void *cancel_when_hanging(void *context)
{
    trial   *t = context;
    unsigned i;

    wait_for(FAKE_KERNEL, begun_before + 1, 0);
    for (i = 0; i < t->count; i++)
        __atomic_store_n(&t->cancel[i], HS_CANCEL_STOP, __ATOMIC_RELEASE);
    return NULL;
}

START_TEST(a_kernel_that_hangs)
{
    static const char *const list[] = {"dgemm:640", "dpotrf:640", NULL};
    trial                   *t = trial_create(list, 1);
    double                   start;
    pthread_t                thread;

    hang(t, STREAMS);
    start = now();
    ck_assert_int_eq(pthread_create(&thread, NULL, cancel_when_hanging, t), 0);
    ck_assert_int_eq(trial_run(t, (unsigned)_i), HS_OUTCOME_LOST);
    pthread_join(thread, NULL);
    ck_assert_msg(strstr(t->why[_i], "still running") != NULL, "%s", t->why[_i]);
    ck_assert_double_ge(now() - start, 1);
    ck_assert_int_eq(trial_run(t, 1 - (unsigned)_i), HS_OUTCOME_LOST);
    released(t);
}
END_TEST

START_TEST(a_pipeline_that_hangs)
{
    static const char *const list[] = {"dgemm:64", "dpotrf:64", NULL};
    trial                   *t = trial_create(list, 100);
    pthread_t                thread;
    unsigned                 i;

    hang(t, _i ? GRAPH : STREAMS);
    ck_assert_int_eq(pthread_create(&thread, NULL, cancel_when_hanging, t), 0);
    trial_submit(t);
    while (t->collected < t->submitted)
        trial_collect(t);
    pthread_join(thread, NULL);
    for (i = 0; i < t->submitted; i++)
        ck_assert(t->ends[i].outcome == HS_OUTCOME_LOST ||
                  t->ends[i].outcome == HS_OUTCOME_ABORTED);
    released(t);
}
END_TEST

/* Check that a long kernel is not abandoned without a request to stop. */
START_TEST(a_kernel_that_takes_long)
{
    static const char *const list[] = {"dgemm:64", NULL};
    fake_settings            settings = FAKE_SETTINGS;
    trial                   *t = trial_create(list, 2);

    settings.kernel = 1.2;
    fake_reset(&settings);
    opened(t, STREAMS);
    ck_assert_int_eq(trial_run(t, 0), HS_OUTCOME_DONE);
    closed(t);
}
END_TEST

/* Check that the module uses fewer stream contexts if a library refuses a handle with an error
 * different from "out of memory". */
START_TEST(handles_that_are_refused)
{
    static const char *const list[] = {"dgemm:100", "dpotrf:100", NULL};
    fake_settings            settings = FAKE_SETTINGS;
    unsigned                 contexts[9] = {0}, served = 0;

    settings.handle = (size_t)4 << 20;
    for (settings.memory = (size_t)4 << 20; settings.memory < (size_t)64 << 20;
         settings.memory += (size_t)3 << 20) {
        trial *t = trial_create(list, 10);

        fake_reset(&settings);
        choose(t, _i);
        if (trial_open_worker(t, 1)) {
            unsigned depth = t->module->depth(t->worker);

            trial_run_pipeline(t);
            all_done(t);
            served++;
            contexts[depth < 8 ? depth : 8]++;
        } else {
            ck_assert_int_eq(t->status, HS_ERESOURCE);
            ck_assert_uint_eq(served, 0); /* more memory must not fail after less memory was enough
                                           */
        }
        ck_assert_uint_le(fake_memory_peak(0), settings.memory);
        closed(t);
    }
    ck_assert_uint_gt(served, 6);
    if (_i == STREAMS)
        ck_assert(contexts[1] && contexts[2] && contexts[3] && contexts[4]);
}
END_TEST

/* Check that a failing graph call makes tasks run without graphs, with a note in a single task. */
START_TEST(graphs_that_cannot_be_made)
{
    static const char *const list[] = {"dgemm:40", "dsyrk:30", NULL};
    static const char *const calls[] = {"cudaStreamBeginCapture", "cudaGraphInstantiate",
                                        "cudaGraphUpload"};
    fake_settings            settings = FAKE_SETTINGS;
    unsigned                 i, notes = 0;
    trial                   *t = trial_create(list, 4);

    settings.fail_name = calls[_i];
    settings.error = 801; /* cudaErrorNotSupported */
    fake_reset(&settings);
    opened(t, GRAPH);
    ck_assert_str_eq(fake_name_of_failed_call(), calls[_i]);
    trial_run_pipeline(t);
    all_done(t);
    ck_assert_uint_eq(fake_ended_count(FAKE_GRAPH), 0);
    for (i = 0; i < t->count; i++)
        notes += strstr(t->why[i], "without graphs") != NULL;
    ck_assert_uint_eq(notes, 1);
    closed(t);
}
END_TEST

/* Check that kernels are split where they can be cancelled, and stay whole in pipelines without
 * cancellation. Kernels do not compute here. */
START_TEST(what_cannot_be_cancelled_is_not_cut)
{
    static const struct {
        const char *kernel, *call;
        unsigned    watched, alone;
    } large[] = {{"dgemm:3000", "cublasDgemm", 3, 1},
                 {"dtrsm:6000", "cublasDtrsm", 24, 1},
                 {"dgetrf:3000", "cusolverDnDgetrf", 6, 1},
                 {"dgemm:6001", "cublasDgemm", 24, 24}};
    fake_settings settings = FAKE_SETTINGS;
    unsigned      i;

    settings.compute = 0;
    settings.memory = (size_t)4 << 30;
    for (i = 0; i < sizeof large / sizeof *large; i++) {
        const char *list[] = {large[i].kernel, NULL};
        trial      *t = trial_create(list, 1);
        size_t      before;

        fake_reset(&settings);
        t->options.verify = 0;
        opened(t, STREAMS);
        before = fake_record_count();
        trial_run(t, 0); /* info stays 0 without computation */
        ck_assert_msg(count_kernels_named(large[i].call, before) == large[i].watched,
                      "%s: %u pieces", large[i].kernel, count_kernels_named(large[i].call, before));
        before = fake_record_count();
        trial_run_pipeline(t);
        ck_assert_msg(count_kernels_named(large[i].call, before) == large[i].alone, "%s: %u pieces",
                      large[i].kernel, count_kernels_named(large[i].call, before));
        closed(t);
    }
}
END_TEST

/* Check that no thread waits for the clock's stream when it shares a hardware queue with long
 * kernels; times then use the previous clock reading. */
START_TEST(queues_that_are_shared)
{
    enum { TASKS = 12 };
    static const char *const list[] = {"dgemm:32", NULL};
    fake_settings            settings = FAKE_SETTINGS;
    trial                   *t = trial_create(list, TASKS);

    settings.queues = 1;
    settings.kernel = 0.15;
    settings.engines = 1;
    fake_reset(&settings);
    t->options.verify = 0;
    opened(t, STREAMS);
    while (t->collected < t->count) {
        fake_hold_operations(FAKE_KERNEL, 1);
        trial_submit(t);
        fake_hold_operations(FAKE_KERNEL, 0);
        trial_collect(t);
    }
    all_done(t);
    ck_assert_double_ge(1e-9 * (double)(t->last - t->ends[0].start), 0.15 * (TASKS - 4));
    closed(t);
}
END_TEST

/* Check that no memory call is made during a pipeline: such a call may wait for every running
 * kernel. */
START_TEST(nothing_waits_unseen)
{
    static const char *const list[] = {"dgemm:64", "dpotrf:64", NULL};
    fake_settings            settings = FAKE_SETTINGS;
    trial                   *t = trial_create(list, 20);
    double                   start;

    settings.hidden = 1;
    fake_reset(&settings);
    opened(t, _i);
    fake_hold_operations(FAKE_KERNEL, 1);
    start = now();
    trial_submit(t);
    ck_assert_uint_ge(t->submitted, 4);
    ck_assert_double_lt(now() - start, 5);
    fake_hold_operations(FAKE_KERNEL, 0);
    trial_run_pipeline(t);
    all_done(t);
    closed(t);
}
END_TEST

/* Check the NVTX ranges for Nsight: a range for each task or batch, and a range for each half of a
 * check. */
START_TEST(calls_have_names)
{
    static const char *const list[] = {"dgemm:30", NULL};
    trial                   *t = trial_create(list, 10);
    unsigned                 before;
    char                     name[32];
    int                      open;

    opened(t, _i);
    before = fake_range_count(name, &open);
    trial_submit(t);
    ck_assert_uint_eq(fake_range_count(name, &open), before + (_i == STREAMS ? t->submitted : 1));
    ck_assert_int_eq(open, 0);
    ck_assert_str_eq(name, _i == STREAMS ? "dgemm" : "batch");
    trial_run_pipeline(t);
    ck_assert_uint_eq(fake_range_count(name, &open), before + 2 + (_i == STREAMS ? t->count : 1));
    ck_assert_int_eq(open, 0);
    closed(t);
}
END_TEST

START_TEST(queues_are_asked_for)
{
    static const char *const list[] = {"dgemm:10", NULL};
    trial                   *t = trial_create(list, 1);

    ck_assert_str_eq(getenv("CUDA_DEVICE_MAX_CONNECTIONS"), "32");
    trial_free(t);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda limits");
    TCase *tcase = tcase_create("cuda");

    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_loop_test(tcase, a_kernel_that_hangs, 0, 2);
    tcase_add_loop_test(tcase, a_pipeline_that_hangs, 0, 2);
    tcase_add_test(tcase, a_kernel_that_takes_long);
    tcase_add_loop_test(tcase, handles_that_are_refused, 0, WAYS);
    tcase_add_loop_test(tcase, graphs_that_cannot_be_made, 0, 3);
    tcase_add_test(tcase, what_cannot_be_cancelled_is_not_cut);
    tcase_add_test(tcase, queues_that_are_shared);
    tcase_add_loop_test(tcase, nothing_waits_unseen, 0, WAYS);
    tcase_add_loop_test(tcase, calls_have_names, 0, 2);
    tcase_add_test(tcase, queues_are_asked_for);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
