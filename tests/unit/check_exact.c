/* SPDX-License-Identifier: BSD-3-Clause */

/* The proofs of `exact`, task by task and by kinds, without the hints of the configuration bound:
 * the linker sends hsi_configuration_open() to the test, which makes it fail. */

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include <hybridsched/hybridsched.h>

#include "bound/configuration/configuration.h"
#include "bound/grid.h"
#include "refine/exact/exact.h"
#include "support/random.h"

#include "small_optimum.h"
#include "suite.h"

enum { TASKS = 7, CPUS = 2, GPUS = 1, ROUNDS = 20 };

static hs_status failure; /* result of each call of hsi_configuration_open() */
static int       calls;

hs_status __wrap_hsi_configuration_open(const hsi_problem *pb, double from,
                                        hsi_configuration **out);

hs_status __wrap_hsi_configuration_open(const hsi_problem *pb, double from, hsi_configuration **out)
{
    (void)pb;
    (void)from;
    (void)out;
    calls++;
    return failure;
}

/* Prove an instance of integer times optimal by `search`, from a schedule of twice the optimum. */
static void prove(hs_status (*search)(hsi_exact *pf), uint64_t seed)
{
    double       cpu[TASKS], gpu[TASKS], optimum;
    uint32_t     worker[TASKS];
    uint64_t     worth[2][TASKS];
    hs_settings  settings;
    hs_instance *in = NULL;
    hsi_random   r;
    hsi_exact    pf = {.worker = worker, .worth = {worth[0], worth[1]}, .bound_name = "none"};

    hsi_random_seed(&r, seed, 0);
    for (size_t i = 0; i < TASKS; i++) {
        cpu[i] = 1 + (double)hsi_random_below(&r, 9);
        gpu[i] = 1 + (double)hsi_random_below(&r, 9);
    }
    hs_settings_init(&settings);
    settings.time_limit = INFINITY;
    ck_assert_int_eq(hs_instance_wrap(TASKS, cpu, gpu, NULL, CPUS, GPUS, &in), HS_OK);
    pf.in = in;
    pf.settings = &settings;
    pf.stop = hsi_stop_after(&settings, 0);
    pf.token = hsi_token_of(&settings);
    ck_assert_int_eq(hsi_problem_of_tasks(in, &pf.token, &pf.pb), HS_OK);
    optimum = optimum_of(&pf.pb);
    pf.grid = hsi_grid_of_times(&pf.pb);
    pf.longest = 2 * optimum;
    pf.bound = 1;
    ck_assert_int_eq(search(&pf), HS_OK);
    ck_assert(pf.longest == optimum);
    ck_assert(hsi_exact_is_proved(&pf));
    hs_schedule_free(pf.best);
    hsi_problem_close(&pf.pb);
    hs_instance_free(in);
}

static hs_status by_tasks(hsi_exact *pf)
{
    return hsi_exact_search_by_tasks(pf, UINT32_MAX);
}

START_TEST(exact_proves_without_hints)
{
    static const hs_status failures[] = {HS_ETOOBIG, HS_ESOLVER};

    failure = failures[_i];
    calls = 0;
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        prove(by_tasks, seed);
        prove(hsi_exact_search_by_kinds, seed);
    }
    ck_assert_int_eq(calls, 2 * ROUNDS);
}
END_TEST

/* Check that a lack of memory is reported, and not taken for missing hints. */
START_TEST(exact_reports_lack_of_memory)
{
    double    value[1] = {0};
    int       found = 1;
    hsi_exact pf = {.settings = &(hs_settings){.time_limit = 1}};

    failure = HS_ENOMEM;
    pf.stop = hsi_stop_after(pf.settings, 1);
    ck_assert_int_eq(hsi_exact_worths_by_configuration(&pf, value, &found), HS_ENOMEM);
    ck_assert_int_eq(found, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("exact");
    TCase *tc = tcase_create("exact");

    tcase_add_loop_test(tc, exact_proves_without_hints, 0, 2);
    tcase_add_test(tc, exact_reports_lack_of_memory);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
