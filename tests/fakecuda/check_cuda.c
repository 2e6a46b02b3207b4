/* SPDX-License-Identifier: BSD-3-Clause */
/* The CUDA module on the fake: what its worker computes, overlaps, cancels and survives. */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "suite.h"
#include "trial.h"

static const char *const kernels[] = {"dgemm",  "sgemm",  "dsyrk",  "dtrsm",
                                      "dpotrf", "dgetrf", "dgeqrf", "dormqr"};
static const int         sizes[] = {1, 2, 31, 100, 101, 200, 333};

enum { KERNELS = sizeof kernels / sizeof *kernels, SIZES = sizeof sizes / sizeof *sizes };

/* How tasks get to the GPU. */
enum { STREAMS, GRAPH, STREAMS_RESIDENT, GRAPH_RESIDENT, WAYS };

static void choose(trial *t, int way)
{
    t->options.gpu_mode = way == GRAPH || way == GRAPH_RESIDENT ? HS_GPU_GRAPH : HS_GPU_STREAMS;
    t->options.resident = way >= STREAMS_RESIDENT;
}

static void setup(void)
{
    fake_reset(&FAKE_SETTINGS);
}

static void opened(trial *t, int way)
{
    choose(t, way);
    ck_assert_msg(trial_open(t, 1), "%s", t->said);
}

static void closed(trial *t)
{
    trial_close(t);
    trial_free(t);
    trial_is_clean();
}

static void all_done(const trial *t)
{
    unsigned i;

    for (i = 0; i < t->count; i++)
        ck_assert_msg(t->ends[i].outcome == HS_OUTCOME_DONE, "task %u: %s; %u misuses: %s", i,
                      t->why[i], fake_misuses(), fake_misuse());
}

/* ---- results -----------------------------------------------------------------------------------
 */

START_TEST(each_kernel_is_right)
{
    char        names[SIZES][32];
    const char *list[SIZES + 1] = {NULL};
    trial      *t;
    unsigned    i;

    for (i = 0; i < SIZES; i++) {
        snprintf(names[i], sizeof names[i], "%s:%d", kernels[_i % KERNELS], sizes[i]);
        list[i] = names[i];
    }
    t = trial_create(list, 2);
    opened(t, _i / KERNELS);
    for (i = 0; i < t->count; i++)
        ck_assert_msg(trial_run(t, i) == HS_OUTCOME_DONE, "%s: %s", list[i % SIZES], t->why[i]);
    trial_pipeline(t);
    all_done(t);
    ck_assert_uint_eq(fake_pageable(), 0);
    ck_assert_uint_eq(fake_default_workspaces(), 0);
    closed(t);
}
END_TEST

/* Otherwise the test above would show nothing. */
START_TEST(a_wrong_result_is_noticed)
{
    char          name[32];
    const char   *list[] = {name, NULL};
    fake_settings settings = FAKE_SETTINGS;
    trial        *t;

    snprintf(name, sizeof name, "%s:200", kernels[_i % KERNELS]);
    t = trial_create(list, 1);
    opened(t, _i / KERNELS);
    settings.spoil_kernel = fake_begun(FAKE_KERNEL); /* those of the preparation */
    trial_pipeline(t);
    all_done(t);
    trial_close(t);
    trial_free(t);

    settings.spoil_kernel = fake_begun(FAKE_KERNEL); /* the last: of the task */
    fake_reset(&settings);
    t = trial_create(list, 1);
    opened(t, _i / KERNELS);
    trial_pipeline(t);
    ck_assert_int_eq(t->ends[0].outcome, HS_OUTCOME_FAILED);
    ck_assert_msg(strstr(t->why[0], "wrong result") != NULL, "%s", t->why[0]);
    closed(t);
}
END_TEST

/* Nothing on the way back but what says how it went. */
START_TEST(without_verification)
{
    static const char *const list[] = {"dgemm:64", "dpotrf:64", "dgetrf:150", NULL};
    trial                   *t = trial_create(list, 10);

    t->options.verify = 0;
    opened(t, _i);
    trial_pipeline(t);
    all_done(t);
    closed(t);
}
END_TEST

/* The number of a kernel, among all so far, that is the first of a name after `before` others. */
static unsigned number_of(const char *name, unsigned before)
{
    unsigned number = 0;
    size_t   i;

    for (i = 0; i < fake_records(); i++)
        if (fake_record_at(i).kind == FAKE_KERNEL && ++number > before &&
            strcmp(fake_record_at(i).name, name) == 0)
            return number;
    ck_abort_msg("no %s", name);
    return 0;
}

/* A matrix that has no factor, since what was done to it before its second panel went wrong. */
START_TEST(what_cusolver_says_is_heard)
{
    static const char *const list[] = {"dpotrf:200", NULL};
    fake_settings            settings = FAKE_SETTINGS;
    trial                   *t;
    int                      again;

    for (again = 0; again < 2; again++) {
        unsigned before;

        t = trial_create(list, 1);
        t->options.verify = 0;
        opened(t, _i);
        before = fake_begun(FAKE_KERNEL);
        trial_pipeline(t);
        if (again) {
            ck_assert_int_eq(t->ends[0].outcome, HS_OUTCOME_FAILED);
            ck_assert_msg(strstr(t->why[0], "info") != NULL, "%s", t->why[0]);
        } else {
            all_done(t);
            settings.spoil_kernel = number_of("cublasDsyrk", before);
        }
        closed(t);
        fake_reset(&settings);
    }
}
END_TEST

/* ---- overlap
 * ------------------------------------------------------------------------------------- */

static void wait_for(fake_kind kind, unsigned begun, unsigned ended)
{
    const struct timespec nap = {0, 200000};

    while (fake_begun(kind) < begun || fake_ended(kind) < ended)
        nanosleep(&nap, NULL);
}

/* With the first kernel at work, the inputs of the next tasks come in. If they did not, this
 * would wait for ever. */
START_TEST(copies_in_overlap_kernels)
{
    static const char *const list[] = {"dgemm:64", NULL};
    trial                   *t = trial_create(list, 12);
    unsigned                 copies, computed;

    opened(t, STREAMS);
    ck_assert_uint_gt(t->module->depth(t->worker), 1);
    copies = fake_ended(FAKE_COPY_IN);
    computed = fake_ended(FAKE_KERNEL);
    fake_hold(FAKE_KERNEL, 1);
    trial_submit(t);
    wait_for(FAKE_KERNEL, computed + 1, 0);
    wait_for(FAKE_COPY_IN, 0, copies + 3 * 2); /* three matrices each */
    ck_assert_uint_eq(fake_ended(FAKE_KERNEL), computed);
    fake_hold(FAKE_KERNEL, 0);
    trial_pipeline(t);
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
    computed = fake_ended(FAKE_KERNEL);
    back = fake_ended(FAKE_COPY_OUT);
    fake_hold(FAKE_COPY_OUT, 1);
    trial_submit(t);
    wait_for(FAKE_COPY_OUT, back + 1, 0);
    wait_for(FAKE_KERNEL, 0, computed + 2);
    ck_assert_uint_eq(fake_ended(FAKE_COPY_OUT), back);
    ck_assert_int_eq(t->module->collect(t->worker, 0, &end), 0);
    fake_hold(FAKE_COPY_OUT, 0);
    trial_pipeline(t);
    all_done(t);
    closed(t);
}
END_TEST

/*
 * Calls for a task of a pipeline whose lanes are all over when they are looked at. The least of
 * some rounds: in the first some things are asked for that are then known, and now and then the
 * clock of the GPU is held against the host's.
 */
static unsigned calls_a_task(const char *kernel, int way)
{
    const char *list[] = {kernel, NULL};
    trial      *t = trial_create(list, 40);
    unsigned    least = UINT_MAX;

    t->options.verify = 0;
    opened(t, way);
    while (t->collected < t->count) {
        unsigned recorded = fake_ended(FAKE_RECORD), before = fake_calls(), first = t->submitted;
        unsigned calls;

        trial_submit(t);
        wait_for(FAKE_RECORD, 0, recorded + t->submitted - first);
        while (t->collected < t->submitted)
            trial_collect(t);
        calls = (fake_calls() - before) / (t->submitted - first);
        least = calls < least ? calls : least;
    }
    all_done(t);
    closed(t);
    return least;
}

/* Each costs the host some microseconds at most: there are to be no more than these. */
START_TEST(calls_for_a_task)
{
    static const struct {
        const char *kernel;
        int         way;
        unsigned    calls;
    } wanted[] = {{"dgemm:32", STREAMS_RESIDENT, 5}, /* copy within, product, event; asked, dated */
                  {"dgemm:32", STREAMS, 8},          /* and three matrices there, one back */
                  {"dpotrf:32", STREAMS_RESIDENT, 9},
                  {"dpotrf:32", STREAMS, 10},
                  {"dgeqrf:333", STREAMS_RESIDENT, 27}}; /* 6 panels, 15 pieces */
    const int which = _i;

    ck_assert_uint_eq(calls_a_task(wanted[which].kernel, wanted[which].way), wanted[which].calls);
}
END_TEST

/* A task is told to be over only when its results are there, and its time holds its operations. */
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
    before = fake_records();
    trial_pipeline(t);
    all_done(t);
    for (i = before; i < fake_records(); i++)
        if (fake_record_at(i).kind == FAKE_KERNEL) {
            first = fake_record_at(i).start < first ? fake_record_at(i).start : first;
            last = fake_record_at(i).end > last ? fake_record_at(i).end : last;
        }
    for (i = 0; i < t->count; i++)
        begun = t->ends[i].start < begun ? t->ends[i].start : begun;
    ck_assert_int_le(begun, first);
    ck_assert_int_ge(t->last - begun, (last - first) / 4);
    closed(t);
}
END_TEST

/* Copies out, and everything of what is resident, are not the task's. */
START_TEST(resident_inputs_are_not_copied)
{
    static const char *const list[] = {"dgemm:64", "sgemm:70", "dgetrf:120", NULL};
    trial                   *t = trial_create(list, 5);
    size_t                   before, i;

    opened(t, STREAMS_RESIDENT + _i);
    before = fake_records();
    trial_pipeline(t);
    all_done(t);
    for (i = before; i < fake_records(); i++)
        ck_assert(fake_record_at(i).kind != FAKE_COPY_IN || fake_record_at(i).bytes < 64 * 64 * 8);
    closed(t);
}
END_TEST

/* Has a kernel of this name gone through the stream, among the first so many operations? */
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

/* What libraries put off to the first call through a handle is not left to the first tasks. */
START_TEST(each_lane_is_warm)
{
    static const char *const list[] = {"dgemm:80",  "dgemm:40", "dtrsm:40", "dpotrf:30",
                                       "dgetrf:30", "sgemm:20", NULL};
    trial                   *t = trial_create(list, 10);
    size_t                   before, i;
    int                      stream, streams = 0;

    opened(t, _i ? STREAMS_RESIDENT : STREAMS);
    before = fake_records();
    trial_pipeline(t);
    all_done(t);
    for (i = before; i < fake_records(); i++) {
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

/* All the data are in place before the first address is captured. */
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
    trial_pipeline(t);
    all_done(t);
    closed(t);
}
END_TEST

START_TEST(graphs_are_used)
{
    static const char *const list[] = {"dgemm:40", "dsyrk:30", "sgemm:50", "dtrsm:20", NULL};
    trial                   *t = trial_create(list, 40); /* more than a batch */
    size_t                   i, in_graph = 0, alone = 0;

    opened(t, _i ? GRAPH_RESIDENT : GRAPH);
    for (i = 0; i < fake_records(); i++)
        ck_assert(!fake_record_at(i).in_graph);
    trial_pipeline(t);
    all_done(t);
    ck_assert_uint_gt(fake_ended(FAKE_GRAPH), 1);
    for (i = 0; i < fake_records(); i++)
        if (fake_record_at(i).kind == FAKE_KERNEL)
            (*(fake_record_at(i).in_graph ? &in_graph : &alone))++;
    ck_assert_uint_eq(in_graph, t->count);
    ck_assert_uint_lt(alone, t->count); /* to warm up */
    closed(t);
}
END_TEST

/* Factorisations in between, which no graph takes. */
START_TEST(graphs_with_gaps)
{
    static const char *const list[] = {"dgemm:40", "dpotrf:30", "dsyrk:30",
                                       "dtrsm:50", "dgetrf:20", NULL};
    trial                   *t = trial_create(list, 20);

    opened(t, _i);
    trial_pipeline(t);
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

/* The worker's list turns out otherwise: one comes too early, and one never. */
START_TEST(a_list_with_a_hole)
{
    static const char *const list[] = {"dgemm:40", "dsyrk:30", NULL};
    trial                   *t = trial_create(list, 50);

    opened(t, _i);
    swap(t, 20, --t->count);
    trial_pipeline(t);
    all_done(t);
    t->count++;
    closed(t);
}
END_TEST

/* ---- cancellation
 * --------------------------------------------------------------------------------- */

static void *run_first(void *context)
{
    trial     *t = context;
    static int outcome;

    outcome = (int)trial_run(t, 0);
    return &outcome;
}

START_TEST(cancelled_between_panels)
{
    char        name[32];
    const char *list[] = {name, NULL};
    trial      *t;
    pthread_t   thread;
    unsigned    prepared, all;
    void       *outcome;

    snprintf(name, sizeof name, "%s:640", kernels[_i]);
    t = trial_create(list, 2);
    opened(t, STREAMS);
    prepared = fake_begun(FAKE_KERNEL);
    ck_assert_int_eq(trial_run(t, 0), HS_OUTCOME_DONE);
    all = fake_begun(FAKE_KERNEL) - prepared;
    ck_assert_uint_ge(all, 10);
    fake_hold(FAKE_KERNEL, 1);
    ck_assert_int_eq(pthread_create(&thread, NULL, run_first, t), 0);
    wait_for(FAKE_KERNEL, prepared + all + 1, 0);
    __atomic_store_n(&t->cancel[0], 1, __ATOMIC_RELEASE);
    fake_hold(FAKE_KERNEL, 0);
    pthread_join(thread, &outcome);
    ck_assert_int_eq(*(int *)outcome, HS_OUTCOME_ABORTED);
    ck_assert_uint_lt(fake_begun(FAKE_KERNEL) - prepared - all, all);
    ck_assert_uint_eq(fake_begun(FAKE_KERNEL), fake_ended(FAKE_KERNEL)); /* nothing of it runs */
    ck_assert_int_eq(trial_run(t, 1), HS_OUTCOME_DONE);
    t->cancel[0] = 0;
    ck_assert_int_eq(trial_run(t, 0), HS_OUTCOME_DONE);
    closed(t);
}
END_TEST

static unsigned kernels_named(const char *name, size_t from)
{
    unsigned found = 0;

    for (; from < fake_records(); from++)
        found += fake_record_at(from).kind == FAKE_KERNEL &&
                 strcmp(fake_record_at(from).name, name) == 0;
    return found;
}

/* As it is on a GPU: no panel of cuSOLVER's has more than 512 columns. (Nothing is computed.) */
START_TEST(large_factorisations_are_cut)
{
    static const struct {
        const char *kernel, *panel;
        unsigned    panels;
    } large[] = {{"dpotrf:1024", "cusolverDnDpotrf", 1}, {"dpotrf:2048", "cusolverDnDpotrf", 4},
                 {"dgetrf:1024", "cusolverDnDgetrf", 1}, {"dgetrf:2048", "cusolverDnDgetrf", 4},
                 {"dgeqrf:1024", "cusolverDnDgeqrf", 1}, {"dgeqrf:2048", "cusolverDnDgeqrf", 4},
                 {"dgetrf:1100", "cusolverDnDgetrf", 3}, {"dgeqrf:1100", "cusolverDnDgeqrf", 3}};
    fake_settings settings = FAKE_SETTINGS;
    unsigned      i;

    settings.compute = 0;
    for (i = 0; i < sizeof large / sizeof *large; i++) {
        const char *list[] = {large[i].kernel, NULL};
        trial      *t = trial_create(list, 1);
        size_t      before;

        fake_reset(&settings);
        t->options.verify = 0;
        opened(t, STREAMS);
        before = fake_records();
        trial_pipeline(t);
        ck_assert_msg(kernels_named(large[i].panel, before) == large[i].panels, "%s: %u panels",
                      large[i].kernel, kernels_named(large[i].panel, before));
        closed(t);
    }
}
END_TEST

START_TEST(cancelled_before_it_begins)
{
    static const char *const list[] = {"dgemm:200", "dgetrf:200", NULL};
    trial                   *t = trial_create(list, 1);

    opened(t, STREAMS);
    t->cancel[_i] = 1;
    ck_assert_int_eq(trial_run(t, (unsigned)_i), HS_OUTCOME_ABORTED);
    ck_assert_int_eq(trial_run(t, 1 - (unsigned)_i), HS_OUTCOME_DONE);
    closed(t);
}
END_TEST

/* ---- failures
 * ---------------------------------------------------------------------------------------- */

static const char *const mixed[] = {"dgemm:40",  "sgemm:24",  "dsyrk:33",  "dtrsm:20", "dpotrf:110",
                                    "dgetrf:30", "dgeqrf:25", "dormqr:20", NULL};

/* Everything that a worker does, come what may: the outcome of each attempt. */
static void live_through(trial *t)
{
    hs_backend_device devices[4];
    unsigned          count = 0, i;

    t->status = t->module->devices(devices, 4, &count, t->said);
    if (t->status != HS_OK || !trial_open(t, 1))
        return;
    trial_pipeline(t);
    for (i = 0; i < t->count && i < 4; i++) {
        hs_outcome outcome = trial_run(t, 2 * i % t->count);

        if (outcome != HS_OUTCOME_DONE)
            t->ends[2 * i % t->count].outcome = outcome;
    }
}

/* The first that says anything. */
static const char *complaint(const trial *t)
{
    unsigned i;

    if (t->status != HS_OK)
        return t->said;
    for (i = 0; i < t->collected; i++)
        if (t->ends[i].outcome != HS_OUTCOME_DONE)
            return t->why[i];
    return NULL;
}

static void bears_it(const trial *t, const char *call, int sticky, unsigned number)
{
    const char *said = complaint(t);
    unsigned    i, lost = 0;

    ck_assert(t->status == HS_OK || t->status == HS_ERESOURCE);
    if (said)
        ck_assert_msg(trial_names(said, call, sticky), "call %u: '%s' does not name %s", number,
                      said, call);
    for (i = 0; i < t->collected && t->status == HS_OK; i++) {
        ck_assert_msg(t->ends[i].outcome != HS_OUTCOME_ABORTED, "call %u, %s", number, call);
        ck_assert_msg(t->ends[i].outcome == HS_OUTCOME_DONE || t->why[i][0], "call %u, %s", number,
                      call);
        lost += t->ends[i].outcome == HS_OUTCOME_LOST;
    }
    if (sticky && said && t->status == HS_OK)
        ck_assert_msg(lost > 0, "call %u, %s: %s", number, call, said);
}

/* Each call fails, each time another one, until there are no more of them. */
START_TEST(every_call_fails_once)
{
    int           way = _i / 2, sticky = _i % 2;
    fake_settings settings = FAKE_SETTINGS;
    unsigned      number;
    char          name[64] = "", text[256];
    trial        *t;

    settings.sticky = sticky;
    for (number = 1;; number += trial_stride()) {
        settings.fail_call = number;
        fake_reset(&settings);
        t = trial_create(mixed, 2);
        choose(t, way);
        live_through(t);
        if (fake_failed())
            snprintf(name, sizeof name, "%s", fake_failed());
        trial_close(t);
        if (!fake_failed())
            break;
        snprintf(name, sizeof name, "%s", fake_failed());
        fake_live_text(text, sizeof text);
        ck_assert_msg(fake_live() == 0, "call %u, %s: left: %s", number, name, text);
        ck_assert_msg(fake_misuses() == 0, "call %u, %s: %s", number, name, fake_misuse());
        bears_it(t, name, sticky, number);
        trial_free(t);
    }
    ck_assert_ptr_null(complaint(t));
    trial_free(t);
    ck_assert_uint_gt(number, 100);
}
END_TEST

/* Each copy and kernel breaks the GPU as it runs. */
START_TEST(every_operation_breaks_the_gpu)
{
    fake_settings settings = FAKE_SETTINGS;
    unsigned      number, i;
    char          text[256];
    trial        *t;

    for (number = 1;; number += trial_stride()) {
        settings.fail_operation = number;
        settings.error = 700;
        fake_reset(&settings);
        t = trial_create(mixed, 2);
        choose(t, _i);
        live_through(t);
        trial_close(t);
        if (!fake_failed())
            break;
        fake_live_text(text, sizeof text);
        ck_assert_msg(fake_live() == 0, "operation %u: left: %s", number, text);
        ck_assert_msg(fake_misuses() == 0, "operation %u: %s", number, fake_misuse());
        if (complaint(t))
            ck_assert_msg(strstr(complaint(t), "cudaErrorIllegalAddress") ||
                              strstr(complaint(t), "CUBLAS") || strstr(complaint(t), "cuSOLVER"),
                          "operation %u: %s", number, complaint(t));
        for (i = 0; t->status == HS_OK && i < t->collected; i++)
            ck_assert(t->ends[i].outcome == HS_OUTCOME_DONE ||
                      t->ends[i].outcome == HS_OUTCOME_LOST);
        trial_free(t);
    }
    ck_assert_ptr_null(complaint(t));
    trial_free(t);
    ck_assert_uint_gt(number, 20);
}
END_TEST

/* ---- memory
 * ------------------------------------------------------------------------------------------- */

START_TEST(what_cannot_fit_is_refused)
{
    static const char *const list[] = {"dgemm:1000", NULL};
    trial                   *t = trial_create(list, 1);

    t->options.device_memory = 20e6; /* three matrices are 24 million bytes */
    ck_assert(!trial_open(t, 1));
    ck_assert_int_eq(t->status, HS_ERESOURCE);
    ck_assert_msg(strstr(t->said, "dgemm:1000") && strstr(t->said, "memory"), "%s", t->said);
    closed(t);
}
END_TEST

/* Places of elements are ints in some of the calls. */
START_TEST(sizes_beyond_an_int_are_refused)
{
    static const char *const list[] = {"dgemm:46340", "sgemm:46341", "dormqr:65536", NULL};
    trial                   *t = trial_create(list, 1);
    hs_task                  row;
    unsigned                 i;

    for (i = 0; list[i]; i++) {
        hs_status st;

        hs_instance_row(t->in, i, &row);
        st = t->module->body_create(&t->options, &row, HS_GPU, &t->bodies[i], t->said);
        ck_assert_int_eq(st, i ? HS_ERESOURCE : HS_OK);
        if (i)
            ck_assert_msg(strstr(t->said, list[i]) && strstr(t->said, "46340"), "%s", t->said);
    }
    closed(t);
}
END_TEST

/* Not for all lanes at once; then with fewer of them. And not at all. */
START_TEST(little_memory)
{
    static const char *const list[] = {"dgemm:300", "dgeqrf:300", "sgemm:200", NULL};
    fake_settings            settings = FAKE_SETTINGS;
    trial                   *t;
    unsigned                 served = 0, refused = 0;
    size_t                   memory;

    for (memory = (size_t)1 << 20; memory < (size_t)64 << 20; memory += memory / 4) {
        settings.memory = memory;
        fake_reset(&settings);
        t = trial_create(list, 4);
        t->options.device_memory = (double)memory;
        choose(t, _i);
        if (trial_open(t, 1)) {
            trial_pipeline(t);
            all_done(t);
            served++;
        } else {
            ck_assert_int_eq(t->status, HS_ERESOURCE);
            ck_assert_msg(strstr(t->said, "emory") != NULL, "%s", t->said);
            refused++;
        }
        ck_assert_uint_le(fake_memory_peak(0), memory);
        closed(t);
    }
    ck_assert_uint_gt(served, 0);
    ck_assert_uint_gt(refused, 0);
}
END_TEST

/* ---- devices
 * -------------------------------------------------------------------------------------------- */

START_TEST(devices_are_listed)
{
    static const char *const list[] = {"dgemm:10", NULL};
    fake_settings            settings = FAKE_SETTINGS;
    hs_backend_device        devices[4];
    unsigned                 count = 0;
    char                     why[HS_WHY] = "";
    trial                   *t = trial_create(list, 1);

    settings.devices = 2;
    fake_reset(&settings);
    ck_assert_int_eq(t->module->devices(devices, 1, &count, why), HS_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert_int_eq(t->module->devices(devices, 4, &count, why), HS_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(devices[0].name, "Fake GPU");
    ck_assert_str_eq(devices[1].uuid, "GPU-11111111-1111-1111-1111-111111111111");
    ck_assert_str_eq(devices[1].pci, "0000:41:00.0");
    ck_assert_uint_eq(devices[0].memory, (uint64_t)1 << 30);
    t->info.device_index = 1;
    opened(t, STREAMS);
    ck_assert_uint_eq(fake_memory_used(0), 0);
    ck_assert_uint_gt(fake_memory_used(1), 0);
    trial_pipeline(t);
    all_done(t);
    closed(t);
}
END_TEST

/* As CUDA_VISIBLE_DEVICES has to name it. */
START_TEST(an_instance_of_a_divided_gpu)
{
    static const char *const list[] = {"dgemm:10", NULL};
    fake_settings            settings = FAKE_SETTINGS;
    hs_backend_device        device;
    unsigned                 count = 0;
    char                     why[HS_WHY] = "";
    trial                   *t = trial_create(list, 1);

    settings.mig = 1;
    fake_reset(&settings);
    ck_assert_int_eq(t->module->devices(&device, 1, &count, why), HS_OK);
    ck_assert_str_eq(device.uuid, "MIG-10101010-1010-1010-1010-101010101010");
    closed(t);
}
END_TEST

START_TEST(no_devices)
{
    static const char *const list[] = {"dgemm:10", NULL};
    fake_settings            settings = FAKE_SETTINGS;
    hs_backend_device        devices[4];
    unsigned                 count = 7;
    char                     why[HS_WHY] = "";
    trial                   *t = trial_create(list, 1);

    settings.devices = _i - 1;
    fake_reset(&settings);
    ck_assert_int_eq(t->module->devices(devices, 4, &count, why), HS_ERESOURCE);
    ck_assert_uint_eq(count, 0);
    ck_assert_msg(strstr(why, _i ? "cudaErrorNoDevice" : "cudaErrorInsufficientDriver") != NULL,
                  "%s", why);
    ck_assert(!trial_open(t, 1));
    ck_assert_int_eq(t->status, HS_ERESOURCE);
    closed(t);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda");
    TCase *tcase = tcase_create("cuda");

    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_loop_test(tcase, each_kernel_is_right, 0, KERNELS * WAYS);
    tcase_add_loop_test(tcase, a_wrong_result_is_noticed, 0, KERNELS * WAYS);
    tcase_add_loop_test(tcase, without_verification, 0, WAYS);
    tcase_add_loop_test(tcase, what_cusolver_says_is_heard, 0, WAYS);
    tcase_add_test(tcase, copies_in_overlap_kernels);
    tcase_add_test(tcase, kernels_overlap_copies_out);
    tcase_add_loop_test(tcase, calls_for_a_task, 0, 5);
    tcase_add_loop_test(tcase, a_task_has_its_time, 0, WAYS);
    tcase_add_loop_test(tcase, resident_inputs_are_not_copied, 0, 2);
    tcase_add_loop_test(tcase, each_lane_is_warm, 0, 2);
    tcase_add_loop_test(tcase, many_kinds_of_tasks, 0, WAYS);
    tcase_add_loop_test(tcase, graphs_are_used, 0, 2);
    tcase_add_loop_test(tcase, graphs_with_gaps, 0, WAYS);
    tcase_add_loop_test(tcase, a_list_with_a_hole, 0, WAYS);
    tcase_add_loop_test(tcase, cancelled_between_panels, 0, KERNELS);
    tcase_add_test(tcase, large_factorisations_are_cut);
    tcase_add_loop_test(tcase, cancelled_before_it_begins, 0, 2);
    tcase_add_loop_test(tcase, every_call_fails_once, 0, 2 * WAYS);
    tcase_add_loop_test(tcase, every_operation_breaks_the_gpu, 0, WAYS);
    tcase_add_test(tcase, what_cannot_fit_is_refused);
    tcase_add_test(tcase, sizes_beyond_an_int_are_refused);
    tcase_add_loop_test(tcase, little_memory, 0, WAYS);
    tcase_add_test(tcase, devices_are_listed);
    tcase_add_test(tcase, an_instance_of_a_divided_gpu);
    tcase_add_loop_test(tcase, no_devices, 0, 2);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
