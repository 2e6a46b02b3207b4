/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Segments of a plan as CUDA graphs, on tiles shared by CPUs and GPUs. The fake runs the nodes of a
 * graph in any order that the capture allows: the last node first, or branches concurrently. Events
 * in a graph are pending from the launch on, or (late events) from the run of their node on; both
 * must work.
 */
#include <stdlib.h>

#include "factorisation.h"
#include "rounds.h"
#include "suite.h"
#include "tiles_fixture.h"
#include "trial.h"

static hs_exec_settings in_graphs(void)
{
    hs_exec_settings s = settings_of("plan");

    s.gpu.mode = HS_GPU_GRAPH;
    return s;
}

/* Return the number of kernels on tiles of 16 x 16, in graphs or outside. */
static unsigned kernels(int in_graph)
{
    int64_t  begun = time_of_first_tile_copy(16);
    unsigned count = 0;
    size_t   i;

    for (i = 0; i < fake_record_count(); i++) {
        fake_record r = fake_record_at(i);

        count += r.kind == FAKE_KERNEL && r.in_graph == in_graph && (in_graph || r.asked >= begun);
    }
    return count;
}

/* Check that random plans give correct factors and no race, in two runs each. */
START_TEST(any_plan)
{
    enum { FEW = 10 };
    const unsigned sizes[] = {1, 7, 32, 33, 48};
    unsigned       graphs = 0;

    for (int round = 0; round < rounds(30); round++) {
        fake_settings    settings = devices_of_tests();
        hs_exec_settings s = in_graphs();

        settings.peers = round % 2;
        settings.overlap = round / 2 % 2;
        settings.kernel = roll(2) ? 0.0002 : 0;
        fake_reset(&settings);
        run_tiles(altered(_i, 1 + roll(8), sizes[roll(5)], 1 + roll(3), 1 + roll(3),
                          roll(2) ? LINKED : 0),
                  "heft", &s, 2, 1);
        graphs += fake_begun_count(FAKE_GRAPH);
        trial_assert_clean();
    }
    ck_assert(graphs > (unsigned)rounds(30) || rounds(30) < FEW); /* a few plans may be too small
                                                                     for graphs */
}
END_TEST

/* Check that a single GPU runs every task in graphs of at most 16 tasks, except tasks that call
 * cuSOLVER. */
START_TEST(all_that_can_be)
{
    enum { TILES = 12, MOST = 16 };
    hs_exec_settings s = in_graphs();
    unsigned         alone, together, launched;

    run_tiles(tiled(_i, TILES, 16, 1, 1), "gpu-only", &s, 1, 1);
    alone = kernels(0);
    together = kernels(1);
    launched = fake_begun_count(FAKE_GRAPH);
    trial_assert_clean();
    ck_assert_uint_gt(together, alone);
    if (_i == HS_QR) /* a QR task has many kernels */
        return;
    ck_assert_uint_le(alone, 2 * TILES);
    ck_assert_uint_ge(MOST * launched, together);
    ck_assert_uint_le(launched, together / MOST + TILES);
}
END_TEST

/* Check that library functions are loaded before tasks start and before captures: loading during a
 * capture is a misuse. */
START_TEST(nothing_is_loaded_late)
{
    fake_settings    settings = devices_of_tests();
    hs_exec_settings s = in_graphs();
    unsigned         first = 0;
    int64_t          begun;
    size_t           i;

    settings.lazy = 1e-4;
    fake_reset(&settings);
    s.gpu.mode = _i / 3 ? HS_GPU_GRAPH : HS_GPU_STREAMS;
    run_tiles(tiled(_i % 3, 6, 16, 1, 2), "heft", &s, 1, 1);
    begun = time_of_first_tile_copy(16);
    ck_assert_int_lt(begun, INT64_MAX);
    for (i = 0; i < fake_record_count(); i++) {
        fake_record r = fake_record_at(i);

        if (r.kind != FAKE_KERNEL || !r.first)
            continue;
        first++;
        ck_assert_msg(!r.in_graph && r.asked < begun, "%s in stream %d", r.name, r.stream);
    }
    ck_assert_uint_gt(first, 0);
    trial_assert_clean();
}
END_TEST

/*
 * Check that a segment ends before a task that waits for a task of another worker which in turn
 * waits for the segment: here, for the factors of the next tile. The run is repeated with longer
 * kernels if the other worker was late on a busy machine. With late events, many segments are
 * launched task by task, because an event of the preceding segment is not yet pending.
 */
START_TEST(none_waits_for_itself)
{
    fake_settings settings = devices_of_tests();
    unsigned      at_least = settings.late ? 1 : 9; /* kernels in graphs for each kernel outside */
    int           tries = 10;

    settings.kernel = 0.002;
    do {
        hs_exec_settings s = in_graphs();

        settings.kernel *= 1.5;
        fake_reset(&settings);
        run_tiles(altered(_i, 8, 16, 1, 1, FACTORS_AT_HOME), "heft", &s, 1, 1);
        trial_assert_clean();
    } while (kernels(1) <= at_least * kernels(0) && --tries > 0);
    ck_assert_int_gt(tries, 0);
}
END_TEST

/* Return the number of tiles copied home before the kernels of the first graph end. */
static unsigned sent_during_the_first_graph(double kernel)
{
    enum { N = 16, IN_THE_FIRST = 16 };
    hs_exec_settings s = in_graphs();
    fake_settings    settings = devices_of_tests();
    unsigned         sent = 0, nodes = 0;
    int64_t          end = 0;
    size_t           i;

    settings.bandwidth = 1e9; /* slow enough for the module to see a pending event when it tests for
                                 late events */
    settings.kernel = kernel;
    fake_reset(&settings);
    run_tiles(tiled(HS_CHOLESKY, 6, N, 1, 1), "gpu-only", &s, 1, 1);
    for (i = 0; i < fake_record_count() && nodes < IN_THE_FIRST; i++)
        if (fake_record_at(i).kind == FAKE_KERNEL && fake_record_at(i).in_graph) {
            nodes++;
            end = fake_record_at(i).end;
        }
    ck_assert_uint_eq(nodes, IN_THE_FIRST);
    for (i = 0; i < fake_record_count(); i++)
        sent += fake_record_at(i).kind == FAKE_COPY_OUT &&
                fake_record_at(i).bytes == N * N * sizeof(double) && fake_record_at(i).start < end;
    trial_assert_clean();
    return sent;
}

/*
 * Check that tiles made in a graph are copied home while the graph runs: the results of dtrsm for
 * the first column leave before the last kernels of the first graph end. A busy machine needs
 * longer kernels. With late events the copies wait.
 */
START_TEST(sent_home_meanwhile)
{
    const bool late = devices_of_tests().late;
    double     kernel = 0.003;
    unsigned   sent = sent_during_the_first_graph(kernel);

    for (; !late && sent <= 2 && kernel < 0.2; kernel *= 4)
        sent = sent_during_the_first_graph(4 * kernel);
    ck_assert_msg((sent > 2) == !late, "%u sent", sent); /* a single copy is dpotrf's */
}
END_TEST

/* Check that no graph is used if workers or tiles of tasks are unknown before the start. */
START_TEST(none_where_it_cannot_be)
{
    for (int why = 0; why < 5; why++) {
        hs_exec_settings s = in_graphs();

        s.fail.retries = why == 0;
        s.fail.timeout = why == 1 ? 100 : 0;
        s.fail.halt = why == 2 ? HS_HALT_NEVER : s.fail.halt;
        s.gpu.tile_memory = why == 3 ? 8 * (double)fake_bytes_of_tile(_i, 16) : 0;
        if (why == 4)
            s.decide.policy = hs_policy_find("plan+steal");
        tiles_setup();
        run_tiles(tiled(_i, 5, 16, 1, 1), "gpu-only", &s, 1, 1);
        ck_assert_uint_eq(fake_begun_count(FAKE_GRAPH), 0);
        trial_assert_clean();
    }
}
END_TEST

/* Return the number of copies requested before the second task's kernel. */
static unsigned fetched_at_first(hs_gpu_mode mode)
{
    hs_exec_settings s = settings_of("plan");
    unsigned         kernels = 0, copies = 0;
    int64_t          second = 0;
    size_t           i;

    s.gpu.mode = mode;
    s.fail.halt = HS_HALT_NEVER; /* disables queueing of tasks; only inputs are prefetched */
    tiles_setup();
    run_tiles(tiled(HS_LU, 8, 16, 1, 1), "gpu-only", &s, 1, 1);
    for (i = 0; kernels < 2; i++)
        if (fake_record_at(i).kind == FAKE_KERNEL) {
            kernels++;
            second = fake_record_at(i).asked;
        }
    for (i = 0; i < fake_record_count(); i++)
        copies += fake_record_at(i).kind == FAKE_COPY_IN && fake_record_at(i).asked < second;
    trial_assert_clean();
    return copies;
}

/* Check that the first task of a run without segments prefetches no more with graphs than with
 * streams: early copies would take the room of tiles needed sooner. */
START_TEST(none_fetched_for_them)
{
    ck_assert_uint_eq(fetched_at_first(HS_GPU_GRAPH), fetched_at_first(HS_GPU_STREAMS));
}
END_TEST

/* Check that a run succeeds without graphs if graphs do not fit into memory. */
START_TEST(no_memory_for_them)
{
    static const char *const calls[] = {"cudaGraphInstantiate", "cudaGraphUpload",
                                        "cudaGraphLaunch"};

    for (unsigned spared = 0; spared < 3; spared++) {
        fake_settings    settings = devices_of_tests();
        hs_exec_settings s = in_graphs();

        settings.fail_name = calls[_i];
        settings.error = 2; /* cudaErrorMemoryAllocation */
        settings.spared = spared;
        fake_reset(&settings);
        run_tiles(tiled(HS_LU, 6, 16, 1, 1), "gpu-only", &s, 1, 1);
        ck_assert_ptr_nonnull(fake_name_of_failed_call());
        trial_assert_clean();
    }
}
END_TEST

START_TEST(every_call_fails_once)
{
    hs_exec_settings s = in_graphs();
    fake_settings    settings = devices_of_tests();

    settings.sticky = _i / 3;
    fail_each_call(settings, &s, _i % 3, 0);
}
END_TEST

static void pending_setup(void)
{
    set_events_late(0);
    tiles_setup();
}

static void late_setup(void)
{
    set_events_late(1);
    tiles_setup();
}

static TCase *cases_of(const char *name, SFun setup)
{
    TCase *cases = tcase_create(name);

    tcase_set_timeout(cases, 600);
    tcase_add_checked_fixture(cases, setup, NULL);
    tcase_add_loop_test(cases, any_plan, 0, ALL_FACTORISATIONS);
    tcase_add_loop_test(cases, all_that_can_be, HS_CHOLESKY, HS_QR + 1);
    tcase_add_loop_test(cases, nothing_is_loaded_late, 0, 6);
    tcase_add_loop_test(cases, none_waits_for_itself, HS_CHOLESKY, HS_LU + 1);
    tcase_add_test(cases, sent_home_meanwhile);
    tcase_add_loop_test(cases, none_where_it_cannot_be, HS_CHOLESKY, HS_QR + 1);
    tcase_add_test(cases, none_fetched_for_them);
    tcase_add_loop_test(cases, no_memory_for_them, 0, 3);
    tcase_add_loop_test(cases, every_call_fails_once, 0, 6);
    return cases;
}

int main(void)
{
    Suite *suite = suite_create("cuda segments");

    setenv("HWLOC_COMPONENTS", "-opencl,-gl", 0); /* leaky components, no device */
    suite_add_tcase(suite, cases_of("pending", pending_setup));
    suite_add_tcase(suite, cases_of("late", late_setup));
    return run_suite(suite);
}
