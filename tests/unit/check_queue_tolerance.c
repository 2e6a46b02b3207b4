/* SPDX-License-Identifier: BSD-3-Clause */

/* Tolerance of ratios, in the ready queue and in policies: ratios that differ by less count as
 * equal, and priorities decide. */

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include <hybridsched/hybridsched.h>

#include "property/dice.h"

#include "suite.h"
#include "unit/plan_digest.h"

/* Two kernels with clearly different ratios, and times with noise of one part in a million. */
START_TEST(noise_does_not_hide_priorities)
{
    enum { KERNELS = 4, EACH = 50 };
    static const double ratio[KERNELS] = {29, 26, 11, 2};
    hs_queue_settings   settings;
    hs_queue           *q = NULL;
    hs_queue_task            task;
    dice                d = {7};
    size_t              i;

    hs_queue_settings_init(&settings);
    settings.tolerance = 1e-2;
    ck_assert_int_eq(hs_queue_create_with(1, 1, 0, &settings, &q), HS_OK);
    for (i = 0; i < KERNELS * EACH; i++) {
        task = (hs_queue_task){i % KERNELS, ratio[i % KERNELS] * (1 + 1e-6 * dice_unit(&d)), 1,
                          (int64_t)(i / KERNELS * 37 % EACH)};
        ck_assert_int_eq(hs_queue_push(q, &task, NULL), HS_OK);
    }
    for (i = 0; i < KERNELS * EACH; i++) {
        ck_assert_int_eq(hs_queue_take(q, HS_GPU, &task), 1);
        ck_assert_uint_eq(task.tag, i / EACH);
        ck_assert_int_eq(task.priority, EACH - 1 - (int64_t)(i % EACH));
    }
    hs_queue_free(q);
}
END_TEST

static hs_schedule *simulate_heteroprio(const hs_instance *estimates, const hs_instance *truth,
                                        double tolerance)
{
    const hs_policy_kind *kind = hs_policy_find("heteroprio-ns");
    hs_policy_settings    settings;
    hs_schedule          *s = NULL;

    hs_policy_settings_init(&settings);
    settings.parameters.ratio_tolerance = tolerance;
    ck_assert_int_eq(hs_policy_simulate(kind, estimates, NULL, truth, &settings, &s, NULL), HS_OK);
    return s;
}

/* With a tolerance, a policy gives the same schedule for estimates with and without noise. */
START_TEST(policy_tolerance_hides_noise)
{
    enum { TASKS = 200 };
    static const double ratio[] = {29, 26, 11, 2};
    double              cpu[2][TASKS], gpu[TASKS];
    int64_t             priority[TASKS];
    hs_instance        *truth = NULL, *noisy = NULL;
    hs_schedule        *s[3];
    hs_policy_settings  settings;
    dice                d = {11};
    size_t              i;

    for (i = 0; i < TASKS; i++) {
        gpu[i] = 1 + (double)(i % 4);
        cpu[0][i] = ratio[i % 4] * gpu[i];
        cpu[1][i] = cpu[0][i] * (1 + 1e-6 * dice_unit(&d));
        priority[i] = dice_below(&d, 1000);
    }
    ck_assert_int_eq(hs_instance_wrap(TASKS, cpu[0], gpu, priority, 4, 2, &truth), HS_OK);
    ck_assert_int_eq(hs_instance_wrap(TASKS, cpu[1], gpu, priority, 4, 2, &noisy), HS_OK);
    s[0] = simulate_heteroprio(truth, truth, 0);
    s[1] = simulate_heteroprio(noisy, truth, 1e-2);
    s[2] = simulate_heteroprio(noisy, truth, 0);
    ck_assert(digest_plan(s[0]) == digest_plan(s[1]));
    ck_assert(digest_plan(s[0]) != digest_plan(s[2]));
    hs_policy_settings_init(&settings);
    settings.parameters.ratio_tolerance = 2;
    ck_assert_int_eq(
        hs_policy_simulate(hs_policy_find("heteroprio"), truth, NULL, truth, &settings, &s[0], NULL),
        HS_EINVAL);
    for (i = 0; i < 3; i++)
        hs_schedule_free(s[i]);
    hs_instance_free(truth);
    hs_instance_free(noisy);
}
END_TEST

/* The ratio 1 is the border of a cell: below it, however near, CPUs take the higher priority
 * first. */
START_TEST(ratio_1_is_a_cell_border)
{
    static const double   below = 0x1.fffffffffffffp-1;
    static const hs_queue_task tasks[] = {{0, below, 1, 1},
                                     {1, below, 1, 2},
                                     {2, 1, 1, 1},
                                     {3, 1, 1, 2},
                                     {4, 0x1.fffffffffffffp52, 0x1p53, 3}};
    static const uint64_t order[] = {3, 2, 0, 1, 4};
    hs_queue_settings     settings;
    hs_queue             *q = NULL;
    hs_queue_task              task;

    hs_queue_settings_init(&settings);
    settings.tolerance = 0.5;
    ck_assert_int_eq(hs_queue_create_with(1, 1, 0, &settings, &q), HS_OK);
    for (size_t i = 0; i < 5; i++)
        ck_assert_int_eq(hs_queue_push(q, &tasks[i], NULL), HS_OK);
    for (size_t i = 0; i < 5; i++) {
        ck_assert_int_eq(hs_queue_take(q, HS_GPU, &task), 1);
        ck_assert_uint_eq(task.tag, order[i]);
    }
    hs_queue_free(q);
    settings.tolerance = 1.5;
    ck_assert_int_eq(hs_queue_create_with(1, 1, 0, &settings, &q), HS_EINVAL);
    settings.tolerance = -1;
    ck_assert_int_eq(hs_queue_create_with(1, 1, 0, &settings, &q), HS_EINVAL);
    settings.tolerance = NAN;
    ck_assert_int_eq(hs_queue_create_with(1, 1, 0, &settings, &q), HS_EINVAL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("queue tolerance");
    TCase *cases = tcase_create("tolerance");

    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, noise_does_not_hide_priorities);
    tcase_add_test(cases, policy_tolerance_hides_noise);
    tcase_add_test(cases, ratio_1_is_a_cell_border);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
