/* SPDX-License-Identifier: BSD-3-Clause */
/* The CUDA module on the fake: overlapping operations and their order. */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "suite.h"
#include "ways.h"

/* Check that the next tasks' inputs are copied while a kernel runs. Without overlap the test would
 * hang. */
START_TEST(copies_in_overlap_kernels)
{
    static const char *const list[] = {"dgemm:64", NULL};
    trial                   *t = trial_create(list, 12);
    unsigned                 copies, computed;

    opened(t, STREAMS);
    ck_assert_uint_gt(t->module->depth(t->worker), 1);
    copies = fake_ended_count(FAKE_COPY_IN);
    computed = fake_ended_count(FAKE_KERNEL);
    fake_hold_operations(FAKE_KERNEL, 1);
    trial_submit(t);
    wait_for(FAKE_KERNEL, computed + 1, 0);
    wait_for(FAKE_COPY_IN, 0, copies + 3 * 2); /* three matrices for each task */
    ck_assert_uint_eq(fake_ended_count(FAKE_KERNEL), computed);
    fake_hold_operations(FAKE_KERNEL, 0);
    trial_run_pipeline(t);
    all_done(t);
    closed(t);
}
END_TEST

START_TEST(kernels_overlap_copies_out)
{
    static const char *const list[] = {"dgemm:64", NULL};
    trial                   *t = trial_create(list, 12);
    unsigned                 computed, back;
    hs_completion            end;

    opened(t, STREAMS);
    computed = fake_ended_count(FAKE_KERNEL);
    back = fake_ended_count(FAKE_COPY_OUT);
    fake_hold_operations(FAKE_COPY_OUT, 1);
    trial_submit(t);
    wait_for(FAKE_COPY_OUT, back + 1, 0);
    wait_for(FAKE_KERNEL, 0, computed + 2);
    ck_assert_uint_eq(fake_ended_count(FAKE_COPY_OUT), back);
    ck_assert_int_eq(t->module->collect(t->worker, 0, &end), 0);
    fake_hold_operations(FAKE_COPY_OUT, 0);
    trial_run_pipeline(t);
    all_done(t);
    closed(t);
}
END_TEST

/*
 * Return the number of calls for each task of a pipeline whose stream contexts have ended when
 * collected: the minimum over rounds, because the first round fills caches and a later round may
 * synchronise the GPU's clock.
 */
static unsigned calls_a_task(const char *kernel, int way)
{
    const char *list[] = {kernel, NULL};
    trial      *t = trial_create(list, 40);
    unsigned    least = UINT_MAX;

    t->options.verify = 0;
    opened(t, way);
    while (t->collected < t->count) {
        unsigned recorded = fake_ended_count(FAKE_RECORD), before = fake_call_count(),
                 first = t->submitted;
        unsigned calls;

        trial_submit(t);
        wait_for(FAKE_RECORD, 0, recorded + t->submitted - first);
        while (t->collected < t->submitted)
            trial_collect(t);
        calls = (fake_call_count() - before) / (t->submitted - first);
        least = calls < least ? calls : least;
    }
    all_done(t);
    closed(t);
    return least;
}

/* Check that the number of calls for a task does not grow: each call costs the host up to some
 * microseconds. */
START_TEST(calls_for_a_task)
{
    static const struct {
        const char *kernel;
        int         way;
        unsigned    calls;
    } wanted[] = {{"dgemm:32", STREAMS_RESIDENT, 5}, /* copy within, product, event record; event
                                                        query, event time */
                  {"dgemm:32", STREAMS, 8},          /* also three matrices to the GPU and a matrix
                                                        back */
                  {"dpotrf:32", STREAMS_RESIDENT, 9},
                  {"dpotrf:32", STREAMS, 10},
                  {"dgeqrf:333", STREAMS_RESIDENT, 27}}; /* 6 panels, 15 pieces */
    const int which = _i;

    ck_assert_uint_eq(calls_a_task(wanted[which].kernel, wanted[which].way), wanted[which].calls);
}
END_TEST

/* Return the start of the latest first kernel of a stream, among the records from `before` on. */
static int64_t latest_beginning(size_t before)
{
    int64_t latest = 0;
    size_t  i, j;

    for (i = before; i < fake_record_count(); i++) {
        fake_record r = fake_record_at(i);

        for (j = before; j < i; j++)
            if (fake_record_at(j).kind == FAKE_KERNEL && fake_record_at(j).stream == r.stream)
                break;
        if (r.kind == FAKE_KERNEL && j == i && r.start > latest)
            latest = r.start;
    }
    return latest;
}

/* Check that a task ends after its results have arrived, and that its time covers its operations.
 * The first collected task need not be the first launched. */
START_TEST(a_task_has_its_time)
{
    static const char *const list[] = {"dgemm:64", "dpotrf:64", NULL};
    fake_settings            settings = FAKE_SETTINGS;
    trial                   *t = trial_create(list, 20);
    size_t                   before, i;
    int64_t                  first = INT64_MAX, last = 0, begun = INT64_MAX;

    settings.kernel = 0.004;
    fake_reset(&settings);
    opened(t, _i);
    before = fake_record_count();
    trial_run_pipeline(t);
    all_done(t);
    for (i = before; i < fake_record_count(); i++)
        if (fake_record_at(i).kind == FAKE_KERNEL) {
            first = fake_record_at(i).start < first ? fake_record_at(i).start : first;
            last = fake_record_at(i).end > last ? fake_record_at(i).end : last;
        }
    for (i = 0; i < t->count; i++)
        begun = t->ends[i].start < begun ? t->ends[i].start : begun;
    ck_assert_int_le(begun, latest_beginning(before));
    ck_assert_int_ge(t->last - begun, (last - first) / 4);
    closed(t);
}
END_TEST

/* Check that resident inputs are not copied to the GPU for each task. */
START_TEST(resident_inputs_are_not_copied)
{
    static const char *const list[] = {"dgemm:64", "sgemm:70", "dgetrf:120", NULL};
    trial                   *t = trial_create(list, 5);
    size_t                   before, i;

    opened(t, STREAMS_RESIDENT + _i);
    before = fake_record_count();
    trial_run_pipeline(t);
    all_done(t);
    for (i = before; i < fake_record_count(); i++)
        ck_assert(fake_record_at(i).kind != FAKE_COPY_IN || fake_record_at(i).bytes < 64 * 64 * 8);
    closed(t);
}
END_TEST

/* Check that, for resident tasks, only vectors, info values and the matrices of verified tasks are
 * copied back; here the first task of each kernel is verified. */
START_TEST(checked_results_come_home)
{
    enum { SIZE = 100 };
    static const char *const list[] = {"dgemm:100",  "sgemm:100",   "dsyrk:100",  "dtrsm:100",
                                       "dpotrf:100", "dgetrf:100",  "dgeqrf:100", "dormqr:100",
                                       "dtpqrt:100", "dtpmqrt:100", NULL};
    trial                   *t = trial_create(list, 5);
    unsigned                 matrices = 0;
    size_t                   before, i;

    opened(t, STREAMS_RESIDENT + _i);
    before = fake_record_count();
    trial_run_pipeline(t);
    all_done(t);
    for (i = before; i < fake_record_count(); i++)
        matrices += fake_record_at(i).kind == FAKE_COPY_OUT &&
                    fake_record_at(i).bytes >= SIZE * SIZE * sizeof(float);
    ck_assert_uint_eq(matrices, 12); /* two kernels have two matrices */
    closed(t);
}
END_TEST

/* Run a task whose resident result is copied for verification in `seconds` when its kernel has
 * ended. Return true if the end of the task is before the end of the copy. */
static bool ends_before_the_copy(bool pipelined, double seconds)
{
    enum { BYTES = 64 * 64 * sizeof(double) };
    static const char *const list[] = {"dgemm:64", NULL};
    fake_settings            settings = FAKE_SETTINGS;
    trial                   *t = trial_create(list, 1);
    int64_t                  home = 0;
    size_t                   before, i;
    bool                     early;

    settings.bandwidth = BYTES / seconds;
    fake_reset(&settings);
    opened(t, STREAMS_RESIDENT);
    before = fake_record_count();
    if (pipelined)
        trial_run_pipeline(t);
    else
        ck_assert_int_eq(trial_run(t, 0), HS_OUTCOME_DONE);
    for (i = before; i < fake_record_count(); i++)
        if (fake_record_at(i).kind == FAKE_COPY_OUT && fake_record_at(i).bytes == BYTES)
            home = fake_record_at(i).end;
    ck_assert_int_gt(home, 0);
    ck_assert_int_eq(t->attempts[0].verification, HS_VERIFICATION_PASSED);
    early = (pipelined ? t->ends[0].end : t->attempts[0].end) < home;
    closed(t);
    return early;
}

/* Check that the copy of a resident result for verification does not count as time of the task. A
 * busy machine needs a longer copy. */
START_TEST(checks_are_counted_apart)
{
    double seconds = 0.05;

    while (!ends_before_the_copy(!_i, seconds) && seconds < 10)
        seconds *= 10;
    ck_assert_double_lt(seconds, 10);
}
END_TEST

/* Tell whether a kernel of this name ran in the stream among the first `before` operations. */
static int has_gone_through(int stream, const char *name, size_t before)
{
    size_t i;

    for (i = 0; i < before; i++) {
        fake_record r = fake_record_at(i);

        if (r.kind == FAKE_KERNEL && r.stream == stream && strcmp(r.name, name) == 0)
            return 1;
    }
    return 0;
}

/* Check that each stream context has launched every library function before the tasks start,
 * because the first launch of a function is slow. */
START_TEST(each_context_is_warm)
{
    static const char *const list[] = {"dgemm:80",  "dgemm:40", "dtrsm:40", "dpotrf:30",
                                       "dgetrf:30", "sgemm:20", NULL};
    trial                   *t = trial_create(list, 10);
    size_t                   before, i;
    int                      stream, streams = 0;

    opened(t, _i ? STREAMS_RESIDENT : STREAMS);
    before = fake_record_count();
    trial_run_pipeline(t);
    all_done(t);
    for (i = before; i < fake_record_count(); i++) {
        fake_record r = fake_record_at(i);

        if (r.kind == FAKE_KERNEL)
            ck_assert_msg(has_gone_through(r.stream, r.name, before), "%s is new to stream %d",
                          r.name, r.stream);
    }
    for (stream = 0; stream < 64; stream++)
        streams += has_gone_through(stream, "cublasDgemm", before);
    ck_assert_uint_eq((unsigned)streams, t->module->depth(t->worker));
    closed(t);
}
END_TEST

/* Check that data is in place before the first address is captured, with many kinds of tasks. */
START_TEST(many_kinds_of_tasks)
{
    enum { MANY = 300 };
    static char names[MANY][24];
    const char *list[MANY + 1] = {NULL};
    trial      *t;
    int         i;

    for (i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "%s:%d", i % 2 ? "dsyrk" : "dgemm", i + 1);
        list[i] = names[i];
    }
    t = trial_create(list, 1);
    opened(t, _i);
    trial_run_pipeline(t);
    all_done(t);
    closed(t);
}
END_TEST

START_TEST(graphs_are_used)
{
    static const char *const list[] = {"dgemm:40", "dsyrk:30", "sgemm:50", "dtrsm:20", NULL};
    trial                   *t = trial_create(list, 40); /* more tasks than a batch holds */
    size_t                   i, in_graph = 0, alone = 0;

    t->options.verify = 0;
    opened(t, _i ? GRAPH_RESIDENT : GRAPH);
    for (i = 0; i < fake_record_count(); i++)
        ck_assert(!fake_record_at(i).in_graph);
    trial_run_pipeline(t);
    all_done(t);
    ck_assert_uint_gt(fake_ended_count(FAKE_GRAPH), 1);
    for (i = 0; i < fake_record_count(); i++)
        if (fake_record_at(i).kind == FAKE_KERNEL)
            (*(fake_record_at(i).in_graph ? &in_graph : &alone))++;
    ck_assert_uint_eq(in_graph, t->count);
    ck_assert_uint_lt(alone, t->count); /* launches that warm up */
    closed(t);
}
END_TEST

/* Check batches interrupted by factorisations, which graphs cannot hold. */
START_TEST(graphs_with_gaps)
{
    static const char *const list[] = {"dgemm:40", "dpotrf:30", "dsyrk:30",
                                       "dtrsm:50", "dgetrf:20", NULL};
    trial                   *t = trial_create(list, 20);

    opened(t, _i);
    trial_run_pipeline(t);
    all_done(t);
    closed(t);
}
END_TEST

static void swap(trial *t, unsigned a, unsigned b)
{
    hs_body   *body = t->bodies[a];
    hs_attempt attempt = t->attempts[a];

    t->bodies[a] = t->bodies[b];
    t->attempts[a] = t->attempts[b];
    t->bodies[b] = body;
    t->attempts[b] = attempt;
}

/* Check a worker's list that differs from the announced order: a task comes too early, and another
 * never. */
START_TEST(a_list_with_a_hole)
{
    static const char *const list[] = {"dgemm:40", "dsyrk:30", NULL};
    trial                   *t = trial_create(list, 50);

    opened(t, _i);
    swap(t, 20, --t->count);
    trial_run_pipeline(t);
    all_done(t);
    t->count++;
    closed(t);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda overlap");
    TCase *tcase = tcase_create("cuda");

    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, copies_in_overlap_kernels);
    tcase_add_test(tcase, kernels_overlap_copies_out);
    tcase_add_loop_test(tcase, calls_for_a_task, 0, 5);
    tcase_add_loop_test(tcase, a_task_has_its_time, 0, WAYS);
    tcase_add_loop_test(tcase, resident_inputs_are_not_copied, 0, 2);
    tcase_add_loop_test(tcase, checked_results_come_home, 0, 2);
    tcase_add_loop_test(tcase, checks_are_counted_apart, 0, 2);
    tcase_add_loop_test(tcase, each_context_is_warm, 0, 2);
    tcase_add_loop_test(tcase, many_kinds_of_tasks, 0, WAYS);
    tcase_add_loop_test(tcase, graphs_are_used, 0, 2);
    tcase_add_loop_test(tcase, graphs_with_gaps, 0, WAYS);
    tcase_add_loop_test(tcase, a_list_with_a_hole, 0, WAYS);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
