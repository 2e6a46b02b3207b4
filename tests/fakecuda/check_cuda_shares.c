/* SPDX-License-Identifier: BSD-3-Clause */
/* Two concurrent runs on a GPU, each with a share of its memory; and NVTX ranges. */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "exec_fixture.h"
#include "suite.h"
#include "tiles_fixture.h"
#include "trial.h"

enum { MEMORY = 32 << 20, TILE = 128, TILES = 14 }; /* 14 MiB of tiles, and 4 for cuBLAS */

typedef struct one_run {
    pthread_t    thread;
    hs_instance *in;
    hs_exec     *exec;
    hs_status    status;
    hs_error     error;
} one_run;

static one_run prepared(double share)
{
    hs_exec_settings s = settings_of("heteroprio");
    one_run          r = {.in = altered(HS_CHOLESKY, TILES, TILE, 1, 1, ON_GPUS)};

    s.gpu.tile_share = share;
    ck_assert_int_eq(hs_exec_create(r.in, NULL, &s, &r.exec, &r.error), HS_OK);
    return r;
}

static void *run(void *data)
{
    one_run *r = data;

    r->status = hs_exec_run(r->exec, NULL, &r->error);
    return NULL;
}

static void begin(one_run *r)
{
    ck_assert_int_eq(pthread_create(&r->thread, NULL, run, r), 0);
}

static void end(one_run *r)
{
    hs_exec_factorisation f;

    ck_assert_int_eq(pthread_join(r->thread, NULL), 0);
    ck_assert_msg(r->status == HS_OK, "%s", r->error.why);
    hs_exec_factorisation_init(&f);
    ck_assert_int_eq(hs_exec_describe_factorisation(r->exec, &f), 1);
    ck_assert_int_eq(f.wrong, 0);
}

static void dispose(one_run *r)
{
    hs_exec_free(r->exec);
    hs_instance_free(r->in);
}

static void small_device(void)
{
    fake_settings settings = FAKE_SETTINGS;

    settings.memory = MEMORY;
    fake_reset(&settings);
    fake_hold_operations(FAKE_COPY_IN, 1); /* runs stop after allocating their tiles */
}

static void wait_for_tiles(unsigned runs)
{
    while (fake_memory_used(0) < runs * (size_t)MEMORY * 3 / 8)
        sched_yield();
}

/* Check that two runs allocate their shares at the same time and give correct factors. */
START_TEST(shares_that_fit)
{
    one_run one, other;

    small_device();
    one = prepared(0.3);
    other = prepared(0.3);
    begin(&one);
    begin(&other);
    wait_for_tiles(2);
    fake_hold_operations(FAKE_COPY_IN, 0);
    end(&one);
    end(&other);
    dispose(&one);
    dispose(&other);
    ck_assert_uint_lt(fake_memory_peak(0), 2 * (size_t)MEMORY * 3 / 10 + 9 * (1U << 20));
    trial_assert_clean();
}
END_TEST

/* Check that a run is refused, with an explanation, if another run holds the memory of its share.
 * */
START_TEST(shares_that_do_not_fit)
{
    const double share = _i ? 0.5 : 0;
    one_run      one, other;

    small_device();
    one = prepared(share);
    other = prepared(share);
    begin(&one);
    wait_for_tiles(1);
    run(&other);
    ck_assert_int_eq(other.status, HS_ERESOURCE);
    ck_assert_msg(strstr(other.error.why,
                         " of its 32 MiB are free and the data take 14: other processes "
                         "hold the rest; wait for them, or set a smaller "
                         "settings.gpu.tile_memory"),
                  "%s", other.error.why);
    fake_hold_operations(FAKE_COPY_IN, 0);
    end(&one);
    begin(&other);
    end(&other); /* the first run has freed its memory */
    dispose(&one);
    dispose(&other);
    trial_assert_clean();
}
END_TEST

/* Check that a share too small for a task, or outside 0 .. 1, is refused. */
START_TEST(shares_of_nothing)
{
    const double     wrong[] = {-0.1, 1.1, NAN};
    hs_exec_settings s = settings_of("heteroprio");
    hs_instance     *in = tiled(HS_QR, 2, TILE, 1, 1);
    hs_exec         *exec = NULL;
    hs_error         error;
    result           r;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        s.gpu.tile_share = wrong[i];
        ck_assert_int_eq(hs_exec_create(in, NULL, &s, &exec, &error), HS_EINVAL);
    }
    s.gpu.tile_share = 1e-4;
    r = run_tiles(in, NULL, &s, 1, 0);
    ck_assert_int_eq(r.status, HS_ERESOURCE);
    ck_assert_ptr_nonnull(strstr(r.error.why, "too few for the "));
    trial_assert_clean();
}
END_TEST

static int is_kernel_name(const char *range)
{
    static const char *const names[] = {"dpotrf", "dtrsm",  "dsyrk",  "dgemm", "dgetrf",
                                        "dgeqrf", "dormqr", "dtpqrt", "dtpmqrt"};
    size_t                   i;

    for (i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(range, names[i]) == 0)
            return 1;
    return 0;
}

/* Check that steps have ranges with their kernels' names, that copies of tiles have named ranges,
 * and that each range ends. */
START_TEST(steps_and_copies_have_names)
{
    const unsigned   n = 48;
    hs_exec_settings s = settings_of("heteroprio");
    fake_settings    settings = devices_of_tests();
    unsigned         named[3] = {0, 0, 0}, warm = 0, kernels = 0, peers = 0, count;
    char             last[FAKE_RANGE];
    int              open;
    result           r;

    settings.peers = 1;
    fake_reset(&settings);
    r = run_tiles(altered(_i, 5, n, 1, 2, ON_GPUS), NULL, &s, 1, 1);
    for (size_t i = 0; i < fake_record_count(); i++) {
        fake_record record = fake_record_at(i);
        int         tile = record.bytes >= 8 * (size_t)n * 32;

        kernels += is_kernel_name(record.range);
        warm += strcmp(record.range, "warm-up") == 0;
        peers += record.kind == FAKE_COPY_PEER;
        if (record.kind == FAKE_KERNEL)
            ck_assert_msg(is_kernel_name(record.range) || strcmp(record.range, "warm-up") == 0,
                          "%s is under '%s'", record.name, record.range);
        if ((record.kind == FAKE_COPY_IN || record.kind == FAKE_COPY_OUT) && tile)
            ck_assert_str_eq(record.range,
                             record.kind == FAKE_COPY_IN ? "tile to GPU" : "tile to host");
        if (record.kind == FAKE_COPY_PEER)
            ck_assert_str_eq(record.range, "tile from peer");
        named[0] += record.kind == FAKE_COPY_IN && tile;
        named[1] += record.kind == FAKE_COPY_OUT && tile;
    }
    named[2] = r.on_gpus;
    count = fake_range_count(last, &open);
    ck_assert_int_eq(open, 0);
    ck_assert_uint_eq(count, named[0] + named[1] + named[2] + peers + 2 * 4 /* warm-ups */);
    ck_assert_uint_gt(kernels, r.on_gpus);
    ck_assert_uint_gt(warm, 8);
    ck_assert_uint_gt(peers, 0);
    trial_assert_clean();
}
END_TEST

/* Check that no range stays open after a failing call or in a graph. */
START_TEST(ranges_end_at_failures)
{
    hs_exec_settings s = settings_of("plan");
    fake_settings    settings = devices_of_tests();
    char             last[FAKE_RANGE];
    unsigned         failures = 0;
    int              open;

    s.gpu.mode = HS_GPU_GRAPH;
    for (settings.fail_call = 1; failures < 1000; settings.fail_call += 7) {
        fake_reset(&settings);
        run_tiles(tiled(_i, 3, 16, 1, 1), "gpu-only", &s, 1, 0);
        fake_range_count(last, &open);
        ck_assert_int_eq(open, 0);
        trial_assert_clean();
        if (!fake_name_of_failed_call())
            break;
        failures++;
    }
    ck_assert_uint_gt(failures, 20);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda shares");
    TCase *cases = tcase_create("shares");

    setenv("HWLOC_COMPONENTS", "-opencl,-gl", 0); /* leaky components, no device */
    tcase_set_timeout(cases, 600);
    tcase_add_checked_fixture(cases, tiles_setup, NULL);
    tcase_add_test(cases, shares_that_fit);
    tcase_add_loop_test(cases, shares_that_do_not_fit, 0, 2);
    tcase_add_test(cases, shares_of_nothing);
    tcase_add_loop_test(cases, steps_and_copies_have_names, HS_CHOLESKY, HS_QR + 1);
    tcase_add_loop_test(cases, ranges_end_at_failures, HS_CHOLESKY, HS_QR + 1);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
