/* SPDX-License-Identifier: BSD-3-Clause */
/* The algorithms best and exact on instances with few kinds of tasks, for example factorisations.
 * */
#include <check.h>
#include <math.h>

#include <hybridsched/hybridsched.h>

#include "suite.h"
#include "unit/solve_best.h"

/* Three tasks of 3 on two workers take 6; the search by kinds proves this above the area bound of
 * 4.5. */
START_TEST(few_kinds_are_proved)
{
    static const double cpu[] = {3, 3, 3}, gpu[] = {30, 30, 30};
    hs_instance        *in = NULL;
    hs_report           report;
    hs_schedule        *s;

    ck_assert_int_eq(hs_instance_wrap(3, cpu, gpu, NULL, 2, 0, &in), HS_OK);
    s = solve_best(in, &(hs_settings){.struct_size = sizeof(hs_settings), .iterations = 1000},
                   &report);
    ck_assert(report.bound == 6 && hs_schedule_makespan(s) == 6 && report.proved);
    ck_assert_str_eq(report.bound_name, "exact");
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

/*
 * The search by kinds proves each schedule optimal. Since makespans are rounded sums, the bound may
 * be one double below the makespan.
 */
START_TEST(factorisations_are_proved)
{
    static const struct {
        hs_factorisation kind;
        const char      *kernels;
    } of[] = {{HS_CHOLESKY, "mirage-960"},
              {HS_CHOLESKY, "k40m-960"},
              {HS_LU, "mirage-960"},
              {HS_QR, "v100-1600"}};
    unsigned tiles;

    for (tiles = 2; tiles <= 8; tiles++) {
        const hs_kernel_table *kernels = hs_kernel_table_find(of[_i].kernels);
        hs_tiled     spec = {sizeof spec, of[_i].kind, tiles, kernels->cpus, kernels->gpus, 0,
                             0,           kernels,     0};
        hs_settings  settings;
        hs_instance *in = NULL;
        hs_report    report;
        hs_schedule *s;

        hs_settings_init(&settings);
        settings.iterations = 4000000;
        ck_assert_int_eq(hs_generate_tiled(&spec, &in, NULL), HS_OK);
        s = solve_best(in, &settings, &report);
        ck_assert_int_eq(hs_schedule_check(in, s, NULL), HS_OK);
        ck_assert(report.proved);
        ck_assert_double_le(report.bound, report.certified);
        ck_assert_double_le(report.certified, nextafter(report.bound, INFINITY));
        hs_schedule_free(s);
        hs_instance_free(in);
    }
}
END_TEST

/* exact uses the searches of best: it proves the optimum proved by best, with the same makespan. */
START_TEST(exact_proves_factorisations)
{
    const hs_kernel_table *kernels = hs_kernel_table_find("mirage-960");
    hs_tiled spec = {sizeof spec, HS_LU, 8, kernels->cpus, kernels->gpus, 0, 0, kernels, 0};
    hs_settings            settings;
    hs_instance           *in = NULL;
    hs_report              report, known;
    hs_schedule           *s = NULL;

    hs_settings_init(&settings);
    settings.iterations = 4000000;
    ck_assert_int_eq(hs_generate_tiled(&spec, &in, NULL), HS_OK);
    hs_schedule_free(solve_best(in, &settings, &known));
    settings.iterations = 0;
    settings.time_limit = INFINITY;
    hs_report_init(&report);
    ck_assert_int_eq(hs_solve_reported(hs_algorithm_find("exact"), in, &settings, &s, &report),
                     HS_OK);
    ck_assert_int_eq(hs_schedule_check(in, s, NULL), HS_OK);
    ck_assert(report.proved && !report.limit_reached);
    ck_assert_double_eq(report.certified, known.certified);
    ck_assert_str_eq(report.bound_name, "exact");
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

/* Check that the algorithm `best` comes within 0.01% of the bound for thousands of tasks of few
 * kinds. */
START_TEST(thousands_of_tasks_come_near_the_bound)
{
    const hs_kernel_table *mirage = hs_kernel_table_find("mirage-960");
    hs_tiled spec = {sizeof spec, HS_CHOLESKY, 24 + 4 * (unsigned)_i, 9, 3, 0, 0, mirage, 0};
    hs_instance           *in = NULL;
    hs_settings            settings;
    hs_report              report;

    ck_assert_int_eq(hs_generate_tiled(&spec, &in, NULL), HS_OK);
    hs_settings_init(&settings);
    settings.iterations = 20000000;
    hs_schedule_free(solve_best(in, &settings, &report));
    ck_assert_double_le(report.certified, 1.0001 * report.bound);
    hs_instance_free(in);
}
END_TEST

START_TEST(identical_tasks_are_proved)
{
    const hs_kernel_table *table = hs_kernel_table_find("mirage-960");
    hs_tiled spec = {sizeof spec, HS_CHOLESKY, (unsigned)(2 + 4 * _i), 9, 3, _i % 2, 0, table, 0};
    hs_instance           *in = NULL;
    hs_settings            settings;
    hs_report              report;

    hs_settings_init(&settings);
    settings.iterations = 200000;
    ck_assert_int_eq(hs_generate_tiled(&spec, &in, NULL), HS_OK);
    hs_schedule_free(solve_best(in, &settings, &report));
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("best of few kinds");
    TCase *tc = tcase_create("best");

    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, few_kinds_are_proved);
    tcase_add_loop_test(tc, factorisations_are_proved, 0, 4);
    tcase_add_test(tc, exact_proves_factorisations);
    tcase_add_loop_test(tc, thousands_of_tasks_come_near_the_bound, 0, 2);
    tcase_add_loop_test(tc, identical_tasks_are_proved, 0, 4);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
