/* SPDX-License-Identifier: BSD-3-Clause */

/* Instances with random times: distributions, invalid arguments, and values fixed for ever. */

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

#include "suite.h"
#include "unit/times_hash.h"

static const hs_gamma a_gamma = {sizeof a_gamma, 300, 20, 4, 15, 0.2, 1, 1, 42};

static hs_instance *gamma_of(hs_gamma spec)
{
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_generate_gamma(&spec, &in, NULL), HS_OK);
    ck_assert_uint_eq(hs_instance_tasks(in), spec.tasks);
    ck_assert_uint_eq(hs_instance_cpus(in), spec.cpus);
    ck_assert_uint_eq(hs_instance_gpus(in), spec.gpus);
    return in;
}

/* Compare mean, variation and skewness of a sample with a gamma distribution (kurtosis 3 + 6cv^2,
 * skewness 2cv). Tolerances are six standard errors. */
static void check_moments(const hs_instance *in, hs_type type, double mean, double cv)
{
    double n = (double)hs_instance_tasks(in), sum = 0, square = 0, cube = 0, found;
    size_t i;

    for (i = 0; i < n; i++)
        sum += hs_instance_time(in, i, type);
    found = sum / n;
    for (i = 0; i < n; i++) {
        double off = hs_instance_time(in, i, type) - found;

        square += off * off;
        cube += off * off * off;
    }
    ck_assert_double_eq_tol(found / mean, 1, 6 * cv / sqrt(n));
    ck_assert_double_eq_tol(sqrt(square / n) / mean / cv, 1, 3 * sqrt((2 + 6 * cv * cv) / n) +
                                                             6 * cv / sqrt(n));
    if (cv <= 1)
        ck_assert_double_eq_tol(cube / n / pow(square / n, 1.5), 2 * cv, 0.05 + 0.1 * cv);
}

START_TEST(gamma_has_the_requested_moments)
{
    static const double cvs[][2] = {{0.2, 0.2}, {0.2, 1}, {1, 0.2}, {1, 1}, {2, 1e-3}, {0.7, 3}};
    const double       *cv = cvs[_i];
    hs_gamma            spec = {sizeof spec, 100000, 20, 4, 15, cv[0], 1, cv[1], (uint64_t)_i};
    hs_instance        *in = gamma_of(spec);

    check_moments(in, HS_CPU, 15, cv[0]);
    check_moments(in, HS_GPU, 1, cv[1]);
    hs_instance_free(in);
}
END_TEST

/* Verify that times with cv = 1 have an exponential distribution. */
START_TEST(gamma_of_variation_one_is_exponential)
{
    enum { DRAWS = 100000, LEVELS = 8 };
    hs_gamma     spec = {sizeof spec, DRAWS, 1, 1, 1, 1, 1, 1, 9};
    hs_instance *in = gamma_of(spec);
    int          level;

    for (level = 1; level <= LEVELS; level++) {
        double above = 0, expected = exp(-level / 2.0);
        size_t i;

        for (i = 0; i < DRAWS; i++)
            above += hs_instance_time(in, i, HS_CPU) > level / 2.0;
        ck_assert_double_eq_tol(above / DRAWS, expected, 5 * sqrt(expected / DRAWS));
    }
    hs_instance_free(in);
}
END_TEST

START_TEST(gamma_without_variation_is_constant)
{
    hs_gamma     spec = {sizeof spec, 10, 1, 1, 15, 0, 0.1, 0, 1};
    hs_instance *in = gamma_of(spec);
    size_t       i;

    for (i = 0; i < spec.tasks; i++) {
        ck_assert(hs_instance_time(in, i, HS_CPU) == 15);
        ck_assert(hs_instance_time(in, i, HS_GPU) == 0.1);
    }
    hs_instance_free(in);
}
END_TEST

START_TEST(gamma_accepts_any_variation)
{
    static const double cvs[] = {1e-300, 1e-9, 1e-5, 0.999, 1.001, 20, 1000};
    size_t              c, i;

    for (c = 0; c < sizeof cvs / sizeof *cvs; c++) {
        hs_gamma     spec = {sizeof spec, 1000, 1, 1, 15, cvs[c], 1, cvs[c], 1};
        hs_instance *in = gamma_of(spec);

        for (i = 0; i < spec.tasks; i++)
            ck_assert(isnormal(hs_instance_time(in, i, HS_CPU)));
        hs_instance_free(in);
    }
}
END_TEST

START_TEST(a_law_changes_neither_the_other_type_nor_earlier_tasks)
{
    hs_gamma     other = a_gamma;
    hs_instance *in = gamma_of(a_gamma), *in_other;
    size_t       i;

    other.tasks = 100;
    other.gpu_cv = 0.5;
    in_other = gamma_of(other);
    for (i = 0; i < other.tasks; i++)
        ck_assert(hs_instance_time(in, i, HS_CPU) == hs_instance_time(in_other, i, HS_CPU));
    hs_instance_free(in);
    hs_instance_free(in_other);
}
END_TEST

static hs_instance *similar_of(size_t kernels, double cv)
{
    hs_similar   spec = {sizeof spec, a_gamma, kernels, cv};
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_generate_similar(&spec, &in, NULL), HS_OK);
    return in;
}

/* Without variation, a kernel's times are those of a gamma task; with it, they vary around them. */
START_TEST(similar_tasks_vary_around_the_means_of_kernels)
{
    hs_instance *gamma = gamma_of(a_gamma), *means = similar_of(7, 0), *in = similar_of(7, 0.2);
    double       sum = 0, squares = 0;

    for (size_t i = 0; i < a_gamma.tasks; i++)
        for (int type = HS_CPU; type <= HS_GPU; type++) {
            double mean = hs_instance_time(means, i, (hs_type)type);
            double ratio = hs_instance_time(in, i, (hs_type)type) / mean;

            ck_assert_double_eq_tol(mean, hs_instance_time(gamma, i % 7, (hs_type)type),
                                    1e-12 * mean);
            sum += ratio;
            squares += ratio * ratio;
        }
    sum /= 2.0 * (double)a_gamma.tasks;
    squares /= 2.0 * (double)a_gamma.tasks;
    ck_assert_double_eq_tol(sum, 1, 0.05);
    ck_assert_double_eq_tol(sqrt(squares - sum * sum), 0.2, 0.03);
    for (size_t i = 0; i < 14; i++) {
        hs_task task;
        char    name[8];

        hs_instance_row(in, i, &task);
        snprintf(name, sizeof name, "k%zu", i % 7 + 1);
        ck_assert_str_eq(task.kernel, name);
    }
    hs_instance_free(gamma);
    hs_instance_free(means);
    hs_instance_free(in);
}
END_TEST

START_TEST(similar_refuses_invalid_arguments)
{
    hs_similar   spec = {sizeof spec, a_gamma, 0, 0.2};
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_generate_similar(&spec, &in, NULL), HS_EINVAL);
    spec.kernels = 1;
    spec.cv = -1;
    ck_assert_int_eq(hs_generate_similar(&spec, &in, NULL), HS_EINVAL);
    spec.cv = 0;
    spec.means.gpu_mean = 0;
    ck_assert_int_eq(hs_generate_similar(&spec, &in, NULL), HS_EINVAL);
    spec.means = a_gamma;
    spec.means.tasks = (size_t)HS_MAX_TASKS + 1;
    ck_assert_int_eq(hs_generate_similar(&spec, &in, NULL), HS_ETOOBIG);
    ck_assert_ptr_null(in);
}
END_TEST

static void refuse_gamma(hs_gamma spec, hs_status expected)
{
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_generate_gamma(&spec, &in, NULL), expected);
    ck_assert_ptr_null(in);
}

START_TEST(gamma_refuses_invalid_arguments)
{
    hs_gamma spec = a_gamma;

    spec.cpu_mean = 0;
    refuse_gamma(spec, HS_EINVAL);
    spec.cpu_mean = NAN;
    refuse_gamma(spec, HS_EINVAL);
    spec = a_gamma;
    spec.gpu_cv = -1;
    refuse_gamma(spec, HS_EINVAL);
    spec.gpu_cv = INFINITY;
    refuse_gamma(spec, HS_EINVAL);
    spec = a_gamma;
    spec.cpus = spec.gpus = 0;
    refuse_gamma(spec, HS_EINVAL);
    spec = a_gamma;
    spec.tasks = HS_MAX_TASKS + 1;
    refuse_gamma(spec, HS_ETOOBIG);
    spec = a_gamma;
    spec.cpu_mean = 1e308;
    spec.cpu_cv = 1;
    refuse_gamma(spec, HS_EOVERFLOW);
    spec.cpu_mean = 1;
    spec.cpu_cv = 1e200; /* the square is infinite */
    refuse_gamma(spec, HS_EOVERFLOW);
}
END_TEST

START_TEST(uniform_times_lie_in_the_range)
{
    int integer;

    for (integer = 0; integer < 2; integer++) {
        hs_uniform   spec = {sizeof spec, 20000, 2, 1, 3, 7, 2, 2, integer, 11};
        hs_instance *in = NULL;
        double       sum = 0;
        size_t       i;

        ck_assert_int_eq(hs_generate_uniform(&spec, &in, NULL), HS_OK);
        for (i = 0; i < spec.tasks; i++) {
            double cpu = hs_instance_time(in, i, HS_CPU);

            ck_assert(cpu >= 3 && cpu <= 7 && (!integer || floor(cpu) == cpu));
            ck_assert(hs_instance_time(in, i, HS_GPU) == 2);
            sum += cpu;
        }
        ck_assert_double_eq_tol(sum / (double)spec.tasks, 5, 0.06);
        hs_instance_free(in);
    }
}
END_TEST

START_TEST(uniform_refuses_invalid_arguments)
{
    static const hs_uniform specs[] = {
        {sizeof(hs_uniform), 1, 1, 1, 0, 7, 1, 2, 0, 0},
        {sizeof(hs_uniform), 1, 1, 1, 7, 3, 1, 2, 0, 0},
        {sizeof(hs_uniform), 1, 1, 1, 1, INFINITY, 1, 2, 0, 0},
        {sizeof(hs_uniform), 1, 1, 1, 1, 2, NAN, 2, 0, 0},
        {sizeof(hs_uniform), 1, 1, 1, 1.5, 2, 1, 2, 1, 0},
        {sizeof(hs_uniform), 1, 1, 1, 1, 2, 1, 0x1p54, 1, 0},
        {sizeof(hs_uniform), 1, 0, 0, 1, 2, 1, 2, 0, 0},
    };
    hs_instance *in = NULL;
    size_t       i;

    for (i = 0; i < sizeof specs / sizeof *specs; i++)
        ck_assert_int_eq(hs_generate_uniform(&specs[i], &in, NULL), HS_EINVAL);
    ck_assert_ptr_null(in);
}
END_TEST

/* Keep generated times unchanged on every machine and with every compiler: published results depend
 * on them. */
START_TEST(generated_instances_never_change)
{
    hs_gamma     wide = {sizeof wide, 1000, 20, 4, 15, 3, 1, 0.5, UINT64_MAX};
    hs_uniform   uniform = {sizeof uniform, 1000, 20, 4, 1, 100, 0.1, 10, 0, 42};
    hs_instance *in = NULL;

    check_golden(gamma_of(a_gamma), UINT64_C(1208122161380233805));
    check_golden(gamma_of(wide), UINT64_C(14798912498654133515));
    ck_assert_int_eq(hs_generate_uniform(&uniform, &in, NULL), HS_OK);
    check_golden(in, UINT64_C(5171093623417921557));
    uniform.integer = 1;
    uniform.gpu_low = 1;
    ck_assert_int_eq(hs_generate_uniform(&uniform, &in, NULL), HS_OK);
    check_golden(in, UINT64_C(4585677610054129186));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("generate");
    TCase *laws = tcase_create("laws");

    tcase_set_timeout(laws, 120);
    tcase_add_loop_test(laws, gamma_has_the_requested_moments, 0, 6);
    tcase_add_test(laws, gamma_of_variation_one_is_exponential);
    tcase_add_test(laws, gamma_without_variation_is_constant);
    tcase_add_test(laws, gamma_accepts_any_variation);
    tcase_add_test(laws, a_law_changes_neither_the_other_type_nor_earlier_tasks);
    tcase_add_test(laws, gamma_refuses_invalid_arguments);
    tcase_add_test(laws, similar_tasks_vary_around_the_means_of_kernels);
    tcase_add_test(laws, similar_refuses_invalid_arguments);
    tcase_add_test(laws, uniform_times_lie_in_the_range);
    tcase_add_test(laws, uniform_refuses_invalid_arguments);
    tcase_add_test(laws, generated_instances_never_change);
    suite_add_tcase(suite, laws);

    return run_suite(suite);
}
