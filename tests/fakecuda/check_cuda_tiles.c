/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Factorisations on tiles shared by CPUs and GPUs, on the computing fake. The fake detects races:
 * memory used by two unordered streams, sources that change before they are copied, and reads
 * before data has arrived. The run itself fails a task whose data differs from the order of the
 * rows.
 */
#include <stdlib.h>

#include "exec_fixture.h"
#include "factorisation.h"
#include "rounds.h"
#include "suite.h"
#include "tiles_fixture.h"
#include "trial.h"

/* Check every policy, with two runs each, in place and on copies, with room for every tile or for a
 * few. */
START_TEST(every_policy_factorises)
{
    const unsigned sizes[] = {1, 7, 32, 33, 48};
    unsigned       on_gpus = 0, between = 0, with_peers = 0;

    for (int round = 0; round < rounds(8); round++) {
        fake_settings settings = devices_of_tests();

        settings.peers = round % 2 == 0;
        fake_reset(&settings);
        for (size_t i = 0; i < hs_policy_count(); i++) {
            const hs_policy_kind *policy = hs_policy_at(i);
            hs_exec_settings      s = settings_of(hs_policy_name(policy));
            unsigned              n = sizes[roll(5)];

            if (!hs_policy_supports_graphs(policy))
                continue;
            s.fail.retries = roll(2);
            s.gpu.tile_memory = roll(2) ? (double)(fake_bytes_of_tile(_i, n) * (6 + roll(4))) : 0;
            on_gpus += run_tiles(altered(_i, 1 + roll(7), n, 1 + roll(3), 1 + roll(2),
                                         roll(2) ? LINKED : 0),
                                 "heft", &s, 2, 1)
                           .on_gpus;
            ck_assert_uint_eq(fake_pageable_copies(), 0);
            ck_assert_uint_eq(fake_default_workspaces(), 0);
            trial_assert_clean();
        }
        with_peers += settings.peers;
        between += fake_begun_count(FAKE_COPY_PEER);
        ck_assert(settings.peers || fake_begun_count(FAKE_COPY_PEER) == 0);
    }
    ck_assert_uint_gt(on_gpus, 50);
    ck_assert_uint_gt(between, 13 * with_peers);
}
END_TEST

/* Return the number of copies of tiles: smaller copies are not tiles. */
static unsigned copies(fake_kind kind)
{
    unsigned count = 0;
    size_t   i;

    for (i = 0; i < fake_record_count(); i++)
        count += fake_record_at(i).kind == kind && fake_record_at(i).bytes > 8192;
    return count;
}

/* Check that with room for every tile, each tile is copied to the GPU and back once; and that with
 * room for a single task's tiles, tiles are evicted and the memory used is as requested. */
START_TEST(a_gpu_that_is_full)
{
    const unsigned   n = 48, tiles = 6, least = _i == HS_QR ? 4 : 3;
    const unsigned   pieces = _i == HS_CHOLESKY ? 21 : 36;
    const unsigned   made = _i == HS_QR ? 6 + 21 : 0; /* the matrices V and T */
    hs_exec_settings s = settings_of("plan");
    fake_settings    settings = devices_of_tests();
    size_t           peak;

    fake_reset(&settings);
    run_tiles(tiled(_i, tiles, n, 1, 1), "gpu-only", &s, 1, 1);
    ck_assert_uint_eq(copies(FAKE_COPY_IN), pieces);
    ck_assert_uint_eq(copies(FAKE_COPY_OUT), pieces + made);
    peak = fake_memory_peak(0);
    fake_reset(&settings);
    s.gpu.tile_memory = least * (double)fake_bytes_of_tile(_i, n);
    run_tiles(tiled(_i, tiles, n, 1, 1), "gpu-only", &s, 1, 1);
    ck_assert_uint_gt(copies(FAKE_COPY_IN), pieces);
    ck_assert_uint_gt(copies(FAKE_COPY_OUT), pieces + made);
    ck_assert_uint_ge(peak - fake_memory_peak(0),
                      (pieces + made - least) * fake_bytes_of_tile(_i, n));
    trial_assert_clean();
    s.gpu.tile_memory = (least - 1.0) * (double)fake_bytes_of_tile(_i, n);
    ck_assert_int_eq(run_tiles(tiled(_i, tiles, n, 1, 1), "gpu-only", &s, 1, 0).status, HS_EINVAL);
}
END_TEST

/* Check that tiles go directly from GPU to GPU if peer access is possible. */
START_TEST(peers_do_without_the_host)
{
    hs_exec_settings s = settings_of("plan");
    fake_settings    settings = devices_of_tests();
    unsigned         in[2], between[2], with;

    for (with = 0; with < 2; with++) {
        settings.peers = (int)with;
        fake_reset(&settings);
        reseed_dice();
        s.run.matrix_seed = 1;
        run_tiles(tiled(_i, 6, 48, 1, 3), "heft", &s, 1, 1);
        in[with] = copies(FAKE_COPY_IN);
        between[with] = copies(FAKE_COPY_PEER);
        trial_assert_clean();
    }
    ck_assert_uint_eq(between[0], 0);
    ck_assert_uint_gt(between[1], 5);
    ck_assert_uint_eq(in[0], in[1] + between[1]);
}
END_TEST

static int is_copy(fake_kind kind, int to_host)
{
    return to_host ? kind == FAKE_COPY_OUT : kind == FAKE_COPY_IN || kind == FAKE_COPY_PEER;
}

/* Set the bytes and the seconds of tile copies into or out of GPUs, over the records from `since`
 * on. */
static void copied(size_t since, int to_host, double *bytes, double *seconds)
{
    *bytes = *seconds = 0;
    for (size_t i = since; i < fake_record_count(); i++) {
        fake_record r = fake_record_at(i);

        if (!is_copy(r.kind, to_host) || r.bytes <= 8192)
            continue;
        *bytes += (double)r.bytes;
        *seconds += 1e-9 * (double)(r.end - r.start);
    }
}

/*
 * Check hs_exec_transfers() against the fake's records: number and bytes are equal, the duration is
 * nearly equal, and no transfer starts before the run or before a transfer that it cannot overlap.
 */
START_TEST(copies_on_record)
{
    fake_settings settings = devices_of_tests();

    settings.peers = _i % 2;
    settings.bandwidth = 1e8;
    for (int times = 1; times <= 2; times++) {
        hs_exec_settings   s = settings_of("plan");
        hs_instance       *in = tiled(_i, 5, 48, 1, 2);
        hs_schedule       *plan = solved(in, "heft");
        hs_exec           *exec = NULL;
        hs_exec_report     report;
        double             bytes[2], seconds[2], told[2] = {0}, took[2] = {0};
        size_t             count, since = 0;
        const hs_transfer *t;

        s.keep.transfers = times == 2;
        fake_reset(&settings);
        hs_exec_report_init(&report);
        ck_assert_int_eq(hs_exec_create(in, plan, &s, &exec, NULL), HS_OK);
        for (int run = 0; run < times; run++) { /* each run has only its own transfers */
            since = fake_record_count();
            ck_assert_int_eq(hs_exec_run(exec, &report, NULL), HS_OK);
        }
        t = hs_exec_transfers(exec, &count);
        ck_assert_int_eq(count > 0, s.keep.transfers);
        for (size_t i = 0; i < count; i++) {
            int home = t[i].to == 0;

            ck_assert(t[i].start >= 0 && t[i].start < t[i].end);
            ck_assert(i == 0 || t[i].to > t[i - 1].to || t[i].start >= t[i - 1].start);
            ck_assert(i == 0 || home || t[i].to > t[i - 1].to || t[i].start >= t[i - 1].end - 1e-5);
            ck_assert_ptr_nonnull(hs_instance_handle_name(in, t[i].data));
            ck_assert(t[i].from != t[i].to && t[i].from < 3 && t[i].to < 3);
            told[home] += t[i].bytes;
            took[home] += t[i].end - t[i].start;
        }
        for (int home = 0; s.keep.transfers && home < 2; home++) {
            copied(since, home, &bytes[home], &seconds[home]);
            ck_assert_double_eq(told[home], bytes[home]);
            ck_assert_double_ge(took[home], 0.9 * seconds[home]);
        }
        hs_exec_free(exec);
        hs_schedule_free(plan);
        hs_instance_free(in);
        trial_assert_clean();
    }
}
END_TEST

/* Check that the host's verification notices a GPU that skips kernels, copies to the host or copies
 * to the GPU. */
START_TEST(nothing_done_is_noticed)
{
    static const unsigned skipped[] = {1U << FAKE_KERNEL, 1U << FAKE_COPY_OUT, 1U << FAKE_COPY_IN};
    unsigned              i;

    for (i = 0; i < sizeof skipped / sizeof *skipped; i++) {
        fake_settings    settings = devices_of_tests();
        hs_exec_settings s = settings_of("plan");
        result           r;

        settings.skip = skipped[i];
        fake_reset(&settings);
        r = run_tiles(tiled(_i, 4, 16, 1, 1), "gpu-only", &s, 1, 0);
        ck_assert_int_eq(r.status, HS_EFAILED);
        trial_assert_clean();
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda tiles");
    TCase *cases = tcase_create("tiles");

    setenv("HWLOC_COMPONENTS", "-opencl,-gl", 0); /* leaky components, no device */
    tcase_set_timeout(cases, 600);
    tcase_add_checked_fixture(cases, tiles_setup, NULL);
    tcase_add_loop_test(cases, every_policy_factorises, 0, ALL_FACTORISATIONS);
    tcase_add_loop_test(cases, nothing_done_is_noticed, 0, ALL_FACTORISATIONS);
    tcase_add_loop_test(cases, a_gpu_that_is_full, HS_CHOLESKY, HS_QR + 1);
    tcase_add_loop_test(cases, peers_do_without_the_host, HS_CHOLESKY, HS_QR + 1);
    tcase_add_loop_test(cases, copies_on_record, HS_CHOLESKY, HS_QR + 1);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
