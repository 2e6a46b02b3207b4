/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated families of instances for P||Cmax have the documented ranges and optima. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include <hybridsched/hybridsched.h>

#include "suite.h"

static hs_instance *identical_of(hs_identical spec)
{
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_generate_identical(&spec, &in, NULL), HS_OK);
    ck_assert_uint_eq(hs_instance_tasks(in), spec.tasks);
    ck_assert_uint_eq(hs_instance_cpus(in), spec.cpus);
    ck_assert_uint_eq(hs_instance_gpus(in), 0);
    return in;
}

START_TEST(times_follow_the_family)
{
    static const struct {
        const char *family;
        double      low, high, mean; /* theoretical range and mean, for 20000 tasks */
    } laws[] = {
        {"e1", 1, 20, 10.5},           {"e2", 100, 800, 450},
        {"e3", 1, 100, 50.5},          {"e4", 20, 50, 35},
        {"franca", 1, 100, 50.5},      {"franca-ends", 1, 100, 0.98 * 95 + 0.02 * 10},
        {"class-1", 1, 100, 50.5},     {"class-2", 20, 100, 60},
        {"class-3", 50, 100, 75},      {"class-4", 1, 400, 102.8},
        {"class-5", 1, 200, 100},      {"class-6", 20000, 80000, 50000},
        {"class-7", 1, 200000, 80000}, {"planted", 1, 1000, 200},
        {"degrees", 4, 80000, 8},
    };
    double sum = 0;
    size_t i;

    ck_assert_str_eq(hs_identical_name((size_t)_i), laws[_i].family);
    ck_assert_ptr_null(hs_identical_name(sizeof laws / sizeof *laws));
    hs_instance *in = identical_of((hs_identical){.struct_size = sizeof(hs_identical),
                                                  .family = laws[_i].family,
                                                  .tasks = 20000,
                                                  .cpus = 4000});
    for (i = 0; i < 20000; i++) {
        double time = hs_instance_time(in, i, HS_CPU);

        ck_assert(time >= laws[_i].low && time <= laws[_i].high && floor(time) == time);
        ck_assert(isinf(hs_instance_time(in, i, HS_GPU)));
        sum += time;
    }
    ck_assert_double_eq_tol(sum / 20000 / laws[_i].mean, 1, 0.02);
    hs_instance_free(in);
}
END_TEST

/* Solve instances with a planted optimum: the optimal makespan is the planted value. */
START_TEST(planted_optimum_is_found)
{
    hs_identical spec = {sizeof spec, "planted",    3 + (size_t)_i % 8, 1 + (unsigned)_i % 3,
                         1 + _i % 2,  20 + _i % 90, (uint64_t)_i};
    hs_instance *in = identical_of(spec);
    hs_schedule *s = NULL;
    const char  *optimum = NULL;

    ck_assert_int_eq(hs_solve(hs_algorithm_find("exact"), in, NULL, &s), HS_OK);
    ck_assert_double_eq(hs_schedule_makespan(s), spec.high);
    ck_assert_str_eq(hs_instance_note(in, 1, &optimum), "optimum");
    ck_assert_double_eq(atof(optimum), spec.high);
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

START_TEST(invalid_settings_are_refused)
{
    static const hs_identical specs[] = {
        {sizeof(hs_identical), NULL, 10, 2, 0, 0, 0},
        {sizeof(hs_identical), "e5", 10, 2, 0, 0, 0},
        {sizeof(hs_identical), "e1", 10, 0, 0, 0, 0},
        {sizeof(hs_identical), "e1", 10, 2, 3, 2, 0},
        {sizeof(hs_identical), "e1", 10, 2, 1.5, 3, 0},
        {sizeof(hs_identical), "class-4", 10, 2, 1, 3, 0},
        {sizeof(hs_identical), "class-6", 10, 2, 1, 3, 0},
        {sizeof(hs_identical), "degrees", 10, 2, 1, 3, 0},
        {sizeof(hs_identical), "planted", 3, 4, 0, 0, 0},
        {sizeof(hs_identical), "planted", 9, 2, 2, 9, 0},
        {sizeof(hs_identical), "franca-ends", 9, 2, 9, 10, 0},
        {sizeof(hs_identical), "planted", 0, 1, 0, 0, 0},
    };
    hs_identical large = {sizeof large, "e1", HS_MAX_TASKS + 1, 2, 0, 0, 0};
    hs_instance *in = NULL;
    size_t       i;

    for (i = 0; i < sizeof specs / sizeof *specs; i++)
        ck_assert_int_eq(hs_generate_identical(&specs[i], &in, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_generate_identical(NULL, &in, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_generate_identical(&large, &in, NULL), HS_ETOOBIG);
    ck_assert_ptr_null(in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("identical");
    TCase *tc = tcase_create("families");

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, times_follow_the_family, 0, 15);
    tcase_add_loop_test(tc, planted_optimum_is_found, 0, 50);
    tcase_add_test(tc, invalid_settings_are_refused);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
