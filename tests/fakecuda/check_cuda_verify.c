/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Verification of results by the host in its own memory, on the fake: results that were not
 * computed, not copied or changed on the way are noticed.
 */
#include <stdio.h>
#include <string.h>

#include "suite.h"
#include "ways.h"

static const char *const kernels[] = {"dgemm",  "sgemm",  "dsyrk",  "dtrsm",  "dpotrf",
                                      "dgetrf", "dgeqrf", "dormqr", "dtpqrt", "dtpmqrt", "ssyrk", "strsm", "spotrf", "sgetrf", "sgeqrf", "sormqr", "stpqrt", "stpmqrt"};

enum { KERNELS = sizeof kernels / sizeof *kernels, N = 200 };

/* kinds of operations that the fake skips; copies only from this size in bytes */
static const struct {
    unsigned kinds;
    size_t   from;
} faults[] = {{1U << FAKE_KERNEL, 0},
              {1U << FAKE_COPY_OUT, 0},
              {1U << FAKE_COPY_OUT, N *N * sizeof(float)},
              {1U << FAKE_COPY_IN, 0},
              {1U << FAKE_COPY_IN, N *N * sizeof(float)},
              {1U << FAKE_COPY_IN | 1U << FAKE_COPY_OUT | 1U << FAKE_KERNEL, 0}};

enum { FAULTS = sizeof faults / sizeof *faults };

static void has_failed(hs_outcome outcome, const char *why, int fault)
{
    ck_assert_msg(outcome == HS_OUTCOME_FAILED, "%s, fault %d: outcome %d", why, fault,
                  (int)outcome);
    ck_assert_msg(strstr(why, "wrong result") || strstr(why, "gave up (info "), "%s", why);
}

static trial *tasks_of(int kernel, unsigned times)
{
    char        name[32];
    const char *list[] = {name, NULL};

    snprintf(name, sizeof name, "%s:%d", kernels[kernel], N);
    return trial_create(list, times);
}

/* Check that skipped kernels, skipped copies to the host and skipped copies to the GPU are noticed.
 * */
START_TEST(nothing_done_is_noticed)
{
    fake_settings settings = FAKE_SETTINGS;
    int           way, fault;

    for (fault = 0; fault < FAULTS; fault++)
        for (way = 0; way < WAYS; way++) {
            trial *t = tasks_of(_i, 1);

            settings.skip = faults[fault].kinds;
            settings.skip_from = faults[fault].from;
            fake_reset(&settings);
            opened(t, way);
            trial_run_pipeline(t);
            has_failed(t->ends[0].outcome, t->why[0], fault);
            closed(t);
            t = tasks_of(_i, 1);
            opened(t, way);
            has_failed(trial_run(t, 0), t->why[0], fault);
            closed(t);
        }
}
END_TEST

/* Positions of a number in a copy to the host that is part of the result, so outside unused
 * triangles. Pivots follow the factors. */
static const struct {
    int      kernel;
    unsigned copy;
    size_t   at;
} spots[] = {{0, 1, 8 * (30 * N + 150)},
             {1, 1, 4 * (30 * N + 150)},
             {2, 1, 8 * (30 * N + 150)},
             {3, 1, 8 * (150 * N + 30)},
             {4, 1, 8 * (30 * N + 150)},
             {5, 1, 8 * (30 * N + 150)},
             {5, 1, 8 * (150 * N + 30)},
             {5, 2, 1792 + 4 * 100},
             {6, 1, 8 * (30 * N + 150)},
             {6, 1, 8 * (150 * N + 30)},
             {6, 2, 8 * 100},
             {7, 1, 8 * (30 * N + 150)},
             {8, 1, 8 * (150 * N + 30)},
             {8, 2, 8 * (150 * N + 30)},
             {8, 3, 8 * (37 * 32 + 3)},
             {9, 1, 8 * (N * N - 1)},
             {9, 2, 8 * (30 * N + 150)}};

enum { SPOTS = sizeof spots / sizeof *spots };

START_TEST(a_wrong_number_is_noticed)
{
    fake_settings settings = FAKE_SETTINGS;
    trial        *t = tasks_of(spots[_i].kernel, 1);

    settings.spoil_copy = spots[_i].copy;
    settings.spoil_at = spots[_i].at;
    fake_reset(&settings);
    opened(t, STREAMS);
    trial_run_pipeline(t);
    has_failed(t->ends[0].outcome, t->why[0], _i);
    closed(t);
}
END_TEST

/* Check that the first task of each kernel and size, and every 16th task after it, is verified. */
START_TEST(a_sample_is_checked)
{
    static const char *const list[] = {"dgemm:20", "dgemm:21", "dsyrk:20", NULL};
    trial                   *t = trial_create(list, 34);
    unsigned                 i;

    opened(t, _i);
    trial_run_pipeline(t);
    all_done(t);
    for (i = 0; i < t->count; i++)
        ck_assert_msg(t->attempts[i].verification ==
                          (i / 3 % 16 == 0 ? HS_VERIFICATION_PASSED : HS_VERIFICATION_SKIPPED),
                      "task %u: %d", i, (int)t->attempts[i].verification);
    closed(t);
}
END_TEST

START_TEST(nothing_is_checked_unless_it_is_to_be)
{
    fake_settings settings = FAKE_SETTINGS;
    trial        *t = tasks_of(0, 2);

    settings.skip = 1U << FAKE_KERNEL;
    fake_reset(&settings);
    t->options.verify = 0;
    opened(t, _i);
    trial_run_pipeline(t);
    all_done(t);
    ck_assert_int_eq(t->attempts[0].verification, HS_VERIFICATION_SKIPPED);
    closed(t);
}
END_TEST

/* Check that if a task chosen for verification is cancelled, the next task is verified. */
START_TEST(the_next_one_is_checked_instead)
{
    trial *t = tasks_of(0, 3);

    opened(t, STREAMS);
    t->cancel[0] = 1;
    ck_assert_int_eq(trial_run(t, 0), HS_OUTCOME_ABORTED);
    ck_assert_int_eq(trial_run(t, 1), HS_OUTCOME_DONE);
    ck_assert_int_eq(t->attempts[1].verification, HS_VERIFICATION_PASSED);
    ck_assert_int_eq(trial_run(t, 2), HS_OUTCOME_DONE);
    ck_assert_int_eq(t->attempts[2].verification, HS_VERIFICATION_SKIPPED);
    closed(t);
}
END_TEST

/* Check that a task cancelled while its results are copied back is not verified and counts as
 * aborted. */
START_TEST(cancelled_before_it_is_verified)
{
    trial *t = tasks_of(_i, 2);

    opened(t, STREAMS);
    fake_hold_operations(FAKE_COPY_OUT, 1);
    trial_submit(t);
    t->cancel[0] = 1;
    fake_hold_operations(FAKE_COPY_OUT, 0);
    trial_run_pipeline(t);
    ck_assert_int_eq(t->ends[0].outcome, HS_OUTCOME_ABORTED);
    ck_assert_int_eq(t->ends[1].outcome, HS_OUTCOME_DONE);
    closed(t);
}
END_TEST

/* Check that no library function is first launched in a capture, because the first launch loads it.
 * */
START_TEST(nothing_is_loaded_in_a_capture)
{
    static const char *const list[] = {"dgemm:40", "dsyrk:30", "sgemm:50", "dtrsm:20", NULL};
    fake_settings            settings = FAKE_SETTINGS;
    trial                   *t = trial_create(list, 8);

    settings.lazy = 1e-4;
    fake_reset(&settings);
    opened(t, _i ? GRAPH_RESIDENT : GRAPH);
    trial_run_pipeline(t);
    all_done(t);
    closed(t);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda verify");
    TCase *tcase = tcase_create("cuda verify");

    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_loop_test(tcase, nothing_done_is_noticed, 0, KERNELS);
    tcase_add_loop_test(tcase, a_wrong_number_is_noticed, 0, SPOTS);
    tcase_add_loop_test(tcase, a_sample_is_checked, 0, WAYS);
    tcase_add_loop_test(tcase, nothing_is_checked_unless_it_is_to_be, 0, WAYS);
    tcase_add_test(tcase, the_next_one_is_checked_instead);
    tcase_add_loop_test(tcase, cancelled_before_it_is_verified, 0, KERNELS);
    tcase_add_loop_test(tcase, nothing_is_loaded_in_a_capture, 0, 2);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
