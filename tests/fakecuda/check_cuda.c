/* SPDX-License-Identifier: BSD-3-Clause */
/* The CUDA module on the fake: computing, cancelling and refusing tasks. */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"
#include "ways.h"

static const char *const kernels[] = {"dgemm",  "sgemm",  "dsyrk",  "dtrsm",   "dpotrf", "dgetrf",
                                      "dgeqrf", "dormqr", "dtpqrt", "dtpmqrt", "ssyrk",  "strsm",
                                      "spotrf", "sgetrf", "sgeqrf", "sormqr",  "stpqrt", "stpmqrt"};
static const int         sizes[] = {1, 2, 31, 100, 101, 200, 333};

enum { KERNELS = sizeof kernels / sizeof *kernels, SIZES = sizeof sizes / sizeof *sizes };

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
    trial_run_pipeline(t);
    all_done(t);
    ck_assert_uint_eq(fake_pageable_copies(), 0);
    ck_assert_uint_eq(fake_default_workspaces(), 0);
    closed(t);
}
END_TEST

/* Check sizes for which the pool is no whole number of lines, together with captured addresses. */
START_TEST(odd_sizes_move_nothing)
{
    static const char *const list[] = {"dgemm:20", "dormqr:58", NULL};
    trial                   *t = trial_create(list, 6);

    opened(t, _i);
    trial_run_pipeline(t);
    all_done(t);
    closed(t);
}
END_TEST

/* Of the tasks of each size the first is verified: part 1 of the first size, part 2 of the next. */
START_TEST(parts_of_products_are_right)
{
    static const char *const list[] = {"dgemm:100/4", "dgemm:101/4", "sgemm:333/4", "dgemm:640/4",
                                       NULL};
    trial                   *t = trial_create(list, 4);

    opened(t, _i);
    trial_run_pipeline(t);
    all_done(t);
    closed(t);
}
END_TEST

/* the library call that computes each kernel */
static const char *const calls[KERNELS] = {
    "cublasDgemm",      "cublasSgemm",      "cublasDsyrk",      "cublasDtrsm",
    "cusolverDnDpotrf", "cusolverDnDgetrf", "cusolverDnDgeqrf", "cusolverDnDormqr",
    "cusolverDnDgeqrf", "cublasDtrmm",      "cublasSsyrk",      "cublasStrsm",
    "cusolverDnSpotrf", "cusolverDnSgetrf", "cusolverDnSgeqrf", "cusolverDnSormqr",
    "cusolverDnSgeqrf", "cublasStrmm"};

/* Return the sequence number of the latest library call of the kernel. */
static unsigned last_of(int kernel)
{
    unsigned number = fake_begun_count(FAKE_KERNEL);
    size_t   i;

    for (i = fake_record_count(); i-- > 0;) {
        fake_record r = fake_record_at(i);

        if (r.kind != FAKE_KERNEL)
            continue;
        if (strcmp(r.name, calls[kernel]) == 0)
            return number;
        number--;
    }
    ck_abort_msg("no %s", calls[kernel]);
    return 0;
}

/* Check that verification notices a spoilt result of each kernel: each_kernel_is_right relies on
 * it. */
START_TEST(a_wrong_result_is_noticed)
{
    char          name[32];
    const char   *list[] = {name, NULL};
    fake_settings settings = FAKE_SETTINGS;
    trial        *t;

    snprintf(name, sizeof name, "%s:200", kernels[_i % KERNELS]);
    t = trial_create(list, 1);
    opened(t, _i / KERNELS);
    trial_run_pipeline(t);
    all_done(t);
    trial_close_worker(t);
    trial_free(t);

    settings.spoil_kernel = last_of(_i % KERNELS);
    fake_reset(&settings);
    t = trial_create(list, 1);
    opened(t, _i / KERNELS);
    trial_run_pipeline(t);
    ck_assert_int_eq(t->ends[0].outcome, HS_OUTCOME_FAILED);
    ck_assert_msg(strstr(t->why[0], "wrong result") != NULL, "%s", t->why[0]);
    closed(t);
}
END_TEST

/* Check that, without verification, only status values are copied back to the host. */
START_TEST(without_verification)
{
    static const char *const list[] = {"dgemm:64", "dpotrf:64", "dgetrf:150", NULL};
    trial                   *t = trial_create(list, 10);

    t->options.verify = 0;
    opened(t, _i);
    trial_run_pipeline(t);
    all_done(t);
    closed(t);
}
END_TEST

/* Return the sequence number of the first kernel of that name after `before` kernels. */
static unsigned number_of(const char *name, unsigned before)
{
    unsigned number = 0;
    size_t   i;

    for (i = 0; i < fake_record_count(); i++)
        if (fake_record_at(i).kind == FAKE_KERNEL && ++number > before &&
            strcmp(fake_record_at(i).name, name) == 0)
            return number;
    ck_abort_msg("no %s", name);
    return 0;
}

/* Check that cuSOLVER's info fails a task: an earlier spoilt update leaves the second panel without
 * a factor. */
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
        before = fake_begun_count(FAKE_KERNEL);
        trial_run_pipeline(t);
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
    prepared = fake_begun_count(FAKE_KERNEL);
    ck_assert_int_eq(trial_run(t, 0), HS_OUTCOME_DONE);
    all = fake_begun_count(FAKE_KERNEL) - prepared;
    ck_assert_uint_ge(all, 10);
    fake_hold_operations(FAKE_KERNEL, 1);
    ck_assert_int_eq(pthread_create(&thread, NULL, run_first, t), 0);
    wait_for(FAKE_KERNEL, prepared + all + 1, 0);
    __atomic_store_n(&t->cancel[0], 1, __ATOMIC_RELEASE);
    fake_hold_operations(FAKE_KERNEL, 0);
    pthread_join(thread, &outcome);
    ck_assert_int_eq(*(int *)outcome, HS_OUTCOME_ABORTED);
    ck_assert_uint_lt(fake_begun_count(FAKE_KERNEL) - prepared - all, all);
    ck_assert_uint_eq(fake_begun_count(FAKE_KERNEL),
                      fake_ended_count(FAKE_KERNEL)); /* no kernel runs */
    ck_assert_int_eq(trial_run(t, 1), HS_OUTCOME_DONE);
    t->cancel[0] = 0;
    ck_assert_int_eq(trial_run(t, 0), HS_OUTCOME_DONE);
    closed(t);
}
END_TEST

/* Check that large factorisations are split into cuSOLVER panels of at most 512 columns. Kernels do
 * not compute here. */
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
        before = fake_record_count();
        trial_run(t, 0); /* info stays 0 without computation */
        ck_assert_msg(count_kernels_named(large[i].panel, before) == large[i].panels,
                      "%s: %u panels", large[i].kernel,
                      count_kernels_named(large[i].panel, before));
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

START_TEST(what_cannot_fit_is_refused)
{
    static const char *const list[] = {"dgemm:1000", NULL};
    trial                   *t = trial_create(list, 1);

    t->options.device_memory = 20e6; /* three matrices take 24 million bytes */
    ck_assert(!trial_open_worker(t, 1));
    ck_assert_int_eq(t->status, HS_ERESOURCE);
    ck_assert_msg(strstr(t->error.why, "dgemm:1000") && strstr(t->error.why, "memory"), "%s",
                  t->error.why);
    closed(t);
}
END_TEST

/* Check that matrices are refused when an index of an element exceeds an int. */
START_TEST(sizes_beyond_an_int_are_refused)
{
    static const char *const list[] = {"dgemm:46340", "sgemm:46341", "dormqr:65536", NULL};
    trial                   *t = trial_create(list, 1);
    hs_task                  row;
    unsigned                 i;

    for (i = 0; list[i]; i++) {
        hs_status st;

        hs_instance_row(t->in, i, &row);
        st = t->module->body_create(&t->options, &row, HS_GPU, &t->bodies[i], &t->error);
        ck_assert_int_eq(st, i ? HS_ERESOURCE : HS_OK);
        if (i)
            ck_assert_msg(strstr(t->error.why, list[i]) && strstr(t->error.why, "46340"), "%s",
                          t->error.why);
    }
    closed(t);
}
END_TEST

/* Check that the module uses fewer stream contexts if memory is short, and refuses if no stream
 * context fits. */
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
        if (trial_open_worker(t, 1)) {
            trial_run_pipeline(t);
            all_done(t);
            served++;
        } else {
            ck_assert_int_eq(t->status, HS_ERESOURCE);
            ck_assert_msg(strstr(t->error.why, "emory") != NULL, "%s", t->error.why);
            refused++;
        }
        ck_assert_uint_le(fake_memory_peak(0), memory);
        closed(t);
    }
    ck_assert_uint_gt(served, 0);
    ck_assert_uint_gt(refused, 0);
}
END_TEST

/* Copies to, from and between GPUs take at least their bytes over the bandwidth. */
START_TEST(copies_are_timed)
{
    static const unsigned paths[][2] = {{HS_NONE, 0}, {1, HS_NONE}, {0, 1}};
    static const char *const list[] = {"dgemm:10", NULL};
    fake_settings         settings = FAKE_SETTINGS;
    hs_copy_sample        samples[] = {{.bytes = 1000}, {.bytes = 100000}};
    hs_error              error = {0};
    trial                *t = trial_create(list, 1);
    unsigned              copies = 0;

    settings.devices = 2;
    settings.bandwidth = 1e8;
    settings.peers = 1;
    fake_reset(&settings);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(t->module->time_copies(paths[i][0], paths[i][1], samples, 2, &error),
                         HS_OK);
        ck_assert_double_ge(samples[0].seconds, 0.9e-5);
        ck_assert_double_ge(samples[1].seconds, 0.9e-3);
        ck_assert_double_eq(samples[1].bytes, 100000);
    }
    ck_assert_uint_eq(fake_live_objects(), 0);
    for (size_t i = 0; i < fake_record_count(); i++) {
        fake_kind kind = fake_record_at(i).kind;

        copies += kind == FAKE_COPY_IN || kind == FAKE_COPY_OUT || kind == FAKE_COPY_PEER;
        ck_assert_int_ne(kind, FAKE_COPY_WITHIN);
    }
    ck_assert_uint_eq(copies, 3 * 2 * 12);
    trial_free(t);
}
END_TEST

/* Each call may fail; everything is freed, and the fault is named. */
START_TEST(timing_of_copies_fails_cleanly)
{
    static const char *const list[] = {"dgemm:10", NULL};
    trial                   *t = trial_create(list, 1);
    fake_settings            settings = FAKE_SETTINGS;
    hs_status                st = HS_ERESOURCE;

    settings.devices = 2;
    for (unsigned call = 1; st != HS_OK; call++) {
        hs_copy_sample sample = {.bytes = 1000};
        hs_error       error = {0};

        settings.fail_call = call;
        fake_reset(&settings);
        st = t->module->time_copies(_i == 0 ? HS_NONE : 0, 1, &sample, 1, &error);
        ck_assert(st == HS_OK || (st == HS_ERESOURCE && strstr(error.why, " failed: ")));
        ck_assert_msg(call < 1000, "%s", error.why);
        if (st == HS_OK && fake_name_of_failed_call())
            st = HS_ERESOURCE; /* a call whose failure does not matter */
        ck_assert_uint_eq(fake_live_objects(), 0);
    }
    trial_free(t);
}
END_TEST

START_TEST(devices_are_listed)
{
    static const char *const list[] = {"dgemm:10", NULL};
    fake_settings            settings = FAKE_SETTINGS;
    hs_backend_device        devices[4];
    unsigned                 count = 0;
    hs_error                 error = {0};
    trial                   *t = trial_create(list, 1);

    settings.devices = 2;
    fake_reset(&settings);
    ck_assert_int_eq(t->module->devices(devices, 1, &count, &error), HS_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert_int_eq(t->module->devices(devices, 4, &count, &error), HS_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(devices[0].name, "Fake GPU");
    ck_assert_str_eq(devices[1].uuid, "GPU-11111111-1111-1111-1111-111111111111");
    ck_assert_str_eq(devices[1].pci, "0000:41:00.0");
    ck_assert_uint_eq(devices[0].memory, (uint64_t)1 << 30);
    t->info.device_index = 1;
    opened(t, STREAMS);
    ck_assert_uint_eq(fake_memory_used(0), 0);
    ck_assert_uint_gt(fake_memory_used(1), 0);
    trial_run_pipeline(t);
    all_done(t);
    closed(t);
}
END_TEST

/* Check that a MIG instance has the UUID form that CUDA_VISIBLE_DEVICES requires. */
START_TEST(an_instance_of_a_divided_gpu)
{
    static const char *const list[] = {"dgemm:10", NULL};
    fake_settings            settings = FAKE_SETTINGS;
    hs_backend_device        device;
    unsigned                 count = 0;
    hs_error                 error = {0};
    trial                   *t = trial_create(list, 1);

    settings.mig = 1;
    fake_reset(&settings);
    ck_assert_int_eq(t->module->devices(&device, 1, &count, &error), HS_OK);
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
    hs_error                 error = {0};
    trial                   *t = trial_create(list, 1);

    settings.devices = _i - 1;
    fake_reset(&settings);
    ck_assert_int_eq(t->module->devices(devices, 4, &count, &error), HS_ERESOURCE);
    ck_assert_uint_eq(count, 0);
    ck_assert_msg(strstr(error.why, _i ? "cudaErrorNoDevice" : "cudaErrorInsufficientDriver") !=
                      NULL,
                  "%s", error.why);
    ck_assert(!trial_open_worker(t, 1));
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
    tcase_add_loop_test(tcase, odd_sizes_move_nothing, 0, WAYS);
    tcase_add_loop_test(tcase, parts_of_products_are_right, 0, WAYS);
    tcase_add_loop_test(tcase, a_wrong_result_is_noticed, 0, KERNELS * WAYS);
    tcase_add_loop_test(tcase, without_verification, 0, WAYS);
    tcase_add_loop_test(tcase, what_cusolver_says_is_heard, 0, WAYS);
    tcase_add_loop_test(tcase, cancelled_between_panels, 0, KERNELS);
    tcase_add_test(tcase, large_factorisations_are_cut);
    tcase_add_loop_test(tcase, cancelled_before_it_begins, 0, 2);
    tcase_add_test(tcase, what_cannot_fit_is_refused);
    tcase_add_test(tcase, sizes_beyond_an_int_are_refused);
    tcase_add_loop_test(tcase, little_memory, 0, WAYS);
    tcase_add_test(tcase, copies_are_timed);
    tcase_add_loop_test(tcase, timing_of_copies_fails_cleanly, 0, 2);
    tcase_add_test(tcase, devices_are_listed);
    tcase_add_test(tcase, an_instance_of_a_divided_gpu);
    tcase_add_loop_test(tcase, no_devices, 0, 2);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
