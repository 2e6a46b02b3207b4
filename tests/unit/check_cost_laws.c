/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics and fits of the cost models, against direct formulas and generated laws. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cost/log_linear.h"
#include "cost/power_law.h"
#include "cost/statistics.h"
#include "suite.h"
#include "support/random.h"

static hsi_random random_state;

static double uniform(double low, double high)
{
    return low + (high - low) * hsi_random_unit(&random_state);
}

static void direct_moments(const double *x, size_t n, double *mean, double *m2)
{
    *mean = *m2 = 0;
    for (size_t i = 0; i < n; i++)
        *mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        *m2 += (x[i] - *mean) * (x[i] - *mean);
}

START_TEST(statistics_equal_the_direct_formulas)
{
    for (int round = 0; round < 200; round++) {
        double         x[HSI_MOST_RUNS], mean, m2;
        size_t         n = 2 + hsi_random_below(&random_state, HSI_MOST_RUNS - 1);
        hsi_statistics s = {0};

        for (size_t i = 0; i < n; i++) {
            x[i] = uniform(1, 2);
            ck_assert_int_eq(hsi_statistics_observe(&s, x[i], (int64_t)i), HSI_OBSERVED_ADDED);
        }
        direct_moments(x, n, &mean, &m2);
        ck_assert_double_eq_tol(s.mean, mean, 1e-12);
        ck_assert_double_eq_tol(s.m2, m2, 1e-10);
        ck_assert_double_eq(s.runs, (double)n);
        ck_assert_int_eq(s.last, (int64_t)n - 1);
        ck_assert_double_eq_tol(hsi_statistics_spread(&s), sqrt(m2 / (double)(n - 1)) / mean,
                                1e-10);
    }
}
END_TEST

START_TEST(merged_parts_equal_the_whole)
{
    for (int round = 0; round < 200; round++) {
        size_t         n = 2 + hsi_random_below(&random_state, HSI_MOST_RUNS - 1);
        size_t         first = hsi_random_below(&random_state, n + 1);
        hsi_statistics whole = {0}, part[2] = {{0}}, reversed;

        for (size_t i = 0; i < n; i++) {
            double x = uniform(1, 2);

            hsi_statistics_add(&whole, x, 0);
            hsi_statistics_add(&part[i >= first], x, 0);
        }
        reversed = part[1];
        hsi_statistics_merge(&reversed, &part[0]);
        hsi_statistics_merge(&part[0], &part[1]);
        for (int i = 0; i < 2; i++) {
            const hsi_statistics *merged = i ? &reversed : &part[0];

            ck_assert_double_eq_tol(merged->mean, whole.mean, 1e-12);
            ck_assert_double_eq_tol(merged->m2, whole.m2, 1e-10);
            ck_assert_double_eq(merged->runs, whole.runs);
            ck_assert_double_eq(merged->least, whole.least);
        }
    }
}
END_TEST

/* Beyond 64 executions the mean is an exponential average with the weight 1/64. */
START_TEST(old_executions_fade)
{
    hsi_statistics s = {0};

    for (int i = 0; i < 64; i++)
        hsi_statistics_add(&s, 1, 0);
    for (int i = 0; i < 100; i++)
        hsi_statistics_add(&s, 2, 0);
    ck_assert_double_eq(s.runs, 64);
    ck_assert_double_eq_tol(s.mean, 2 - pow(63.0 / 64, 100), 1e-12);
}
END_TEST

START_TEST(strange_executions_are_left_out_until_they_are_many)
{
    hsi_statistics s = {0};

    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(hsi_statistics_observe(&s, i == 1 ? 9 : 1, 0), HSI_OBSERVED_ADDED);
    s = (hsi_statistics){0};
    for (int i = 0; i < 4; i++)
        hsi_statistics_observe(&s, 1, 0);
    ck_assert_int_eq(hsi_statistics_observe(&s, 3, 0), HSI_OBSERVED_ADDED);
    s = (hsi_statistics){0};
    for (int i = 0; i < 40; i++)
        hsi_statistics_observe(&s, 1, 0);
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(hsi_statistics_observe(&s, i % 5 ? i % 2 ? 3.1 : 0.3 : 1, 0),
                         i % 5 ? HSI_OBSERVED_STRANGE : HSI_OBSERVED_ADDED);
    ck_assert_double_eq(s.mean, 1);
    ck_assert_uint_eq(s.strange, 4);
    ck_assert_int_eq(hsi_statistics_observe(&s, 5, 7), HSI_OBSERVED_RESTARTED);
    ck_assert_double_eq(s.mean, 5);
    ck_assert_double_eq(s.runs, 1);
    ck_assert_uint_eq(s.strange, 0);
}
END_TEST

/* Cold first executions are replaced; an execution that is only short beside the mean is added. */
START_TEST(cold_first_executions_are_replaced)
{
    static const double times[] = {10, 8, 9, 30};
    hsi_statistics      s, group = {0};

    for (int cold = 1; cold <= 4; cold++) {
        s = (hsi_statistics){0};
        for (int i = 0; i < cold; i++)
            hsi_statistics_observe(&s, times[i], 1);
        ck_assert_int_eq(hsi_statistics_observe(&s, 2.5, 2),
                         cold < 4 ? HSI_OBSERVED_WARM : HSI_OBSERVED_STRANGE);
        ck_assert_double_eq(s.runs, cold < 4 ? 1 : 4);
        ck_assert_double_eq(s.least, cold < 4 ? 2.5 : 8);
    }
    s = (hsi_statistics){0};
    hsi_statistics_observe(&s, 1, 0);
    ck_assert_int_eq(hsi_statistics_observe(&s, 9, 0), HSI_OBSERVED_ADDED);
    ck_assert_int_eq(hsi_statistics_observe(&s, 0.5, 0), HSI_OBSERVED_ADDED);
    ck_assert_double_eq(s.runs, 3);
    s = (hsi_statistics){0};
    hsi_statistics_observe(&s, 10, 0);
    hsi_statistics_add(&group, 2, 0);
    hsi_statistics_add(&group, 3, 0);
    hsi_statistics_append(&s, &group);
    ck_assert_double_eq(s.runs, 2);
    ck_assert_double_eq(s.mean, 2.5);
}
END_TEST

/* Observations that arrive in groups are strange like single ones. */
START_TEST(strange_groups_are_left_out_until_they_are_many)
{
    hsi_statistics s = {0}, group = {0};

    for (int i = 0; i < 3; i++)
        hsi_statistics_observe(&s, 1, 0);
    hsi_statistics_add(&group, 4, 0);
    hsi_statistics_append(&s, &group);
    ck_assert_double_eq(s.runs, 4);
    s.mean = 1;
    for (int i = 1; i <= 4; i++) {
        hsi_statistics_append(&s, &group);
        ck_assert_double_eq(s.mean, 1);
        ck_assert_uint_eq(s.strange, i);
    }
    group.mean = 1;
    hsi_statistics_append(&s, &group);
    ck_assert_double_eq(s.runs, 5);
    ck_assert_uint_eq(s.strange, 0);
    group = (hsi_statistics){0};
    for (int i = 0; i < 5; i++)
        hsi_statistics_add(&group, 4 + i, 0);
    hsi_statistics_append(&s, &group);
    ck_assert_double_eq(s.runs, 5);
    ck_assert_double_eq(s.mean, 6);
    ck_assert_uint_eq(s.strange, 0);
}
END_TEST

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

enum { LAWS = 200, SIZES = 6, RUNS = 5 };

/* Return a sample of a law with 5% noise: the mean of RUNS executions. */
static hsi_sample noisy(double a, double b, double c, double size)
{
    hsi_sample s = {.size = size, .weight = RUNS};

    for (int i = 0; i < RUNS; i++)
        s.seconds += (a * pow(size, b) + c) * (1 + 0.05 * hsi_random_normal(&random_state)) / RUNS;
    return s;
}

static double relative_error(const hs_power_law *law, double a, double b, double c, double size)
{
    double truth = a * pow(size, b) + c;

    return fabs(hsi_power_law_time(law, size) - truth) / truth;
}

START_TEST(power_laws_are_found_in_noise)
{
    double inside[LAWS], beyond[LAWS];

    for (int i = 0; i < LAWS; i++) {
        double       a = uniform(1, 10), b = uniform(0.5, 3.5), c;
        hsi_sample   s[SIZES];
        hs_power_law law;

        c = uniform(0, 1) * a * pow(256, b);
        for (int j = 0; j < SIZES; j++)
            s[j] = noisy(a, b, c, 128 * (1 + j));
        ck_assert(hsi_fit_power_law(s, SIZES, &law));
        inside[i] = relative_error(&law, a, b, c, 450);
        beyond[i] = relative_error(&law, a, b, c, 2 * 128 * SIZES);
        ck_assert_double_eq(hsi_power_law_time(&law, 63), 0);
        ck_assert_double_eq(hsi_power_law_time(&law, 2 * 128 * SIZES + 1), 0);
    }
    qsort(inside, LAWS, sizeof *inside, compare);
    qsort(beyond, LAWS, sizeof *beyond, compare);
    printf("power laws: inside %.4f and %.4f, at twice the largest size %.4f and %.4f\n",
           inside[LAWS / 2], inside[LAWS * 95 / 100], beyond[LAWS / 2], beyond[LAWS * 95 / 100]);
    ck_assert_double_le(inside[LAWS / 2], 0.02);
    ck_assert_double_le(inside[LAWS * 95 / 100], 0.05);
}
END_TEST

static double error_of(const hsi_sample *s, size_t n, double a, double b, double c)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        double e = (a * pow(s[i].size, b) + c) / s[i].seconds - 1;

        sum += s[i].weight * e * e;
    }
    return sum;
}

/* No law near the fit, and no law of a coarse grid, has a smaller error. */
START_TEST(fitted_power_laws_are_least_squares)
{
    for (int round = 0; round < 50; round++) {
        hsi_sample   s[5];
        hs_power_law law;
        double       own;

        for (int i = 0; i < 5; i++)
            s[i] = (hsi_sample){.size = i + 1, .seconds = uniform(1, 10), .weight = 1 + i};
        ck_assert(hsi_fit_power_law(s, 5, &law));
        own = error_of(s, 5, law.a, law.b, law.c);
        ck_assert(law.a >= 0 && law.c >= 0);
        ck_assert_double_eq_tol(law.spread, sqrt(own / 15), 1e-9);
        for (int i = 0; i < 2000; i++) {
            bool   is_near = i % 2;
            double a = is_near ? law.a * uniform(0.9, 1.1) : uniform(0, 5);
            double b = is_near ? law.b : (double)(1 + i % 32) / 8;
            double c = is_near ? law.c * uniform(0.9, 1.1) : uniform(0, 10);

            ck_assert_double_ge(error_of(s, 5, a, b, c), own * (1 - 1e-9));
        }
    }
}
END_TEST

START_TEST(power_laws_need_three_sizes)
{
    hsi_sample   s[] = {{.size = 1, .seconds = 1, .weight = 9}, {.size = 2, .seconds = 2, .weight = 9},
                        {.size = 2, .seconds = 3, .weight = 9}, {.seconds = 3, .weight = 9}};
    hs_power_law law;

    ck_assert(!hsi_fit_power_law(s, 4, &law));
}
END_TEST

START_TEST(regressions_find_their_own_law)
{
    for (int round = 0; round < 100; round++) {
        double         t[4] = {uniform(-3, 3), uniform(0, 1), uniform(0, 1), uniform(0, 1)};
        hsi_sample     s[12];
        hsi_log_linear fit;

        for (int i = 0; i < 12; i++) {
            s[i] = (hsi_sample){.flops = exp(uniform(5, 15)), .bytes_in = exp(uniform(5, 15)),
                                .bytes_out = exp(uniform(5, 15)), .weight = 1};
            s[i].seconds = exp(t[0] + t[1] * log1p(s[i].flops) + t[2] * log1p(s[i].bytes_in) +
                               t[3] * log1p(s[i].bytes_out));
        }
        ck_assert(hsi_fit_log_linear(s, 12, &fit));
        ck_assert_double_le(fit.spread, 1e-4);
        for (int i = 0; i < 12; i++)
            ck_assert_double_eq_tol(hsi_log_linear_time(&fit, &s[i]) / s[i].seconds, 1, 1e-3);
        s[0].flops *= 1e12;
        ck_assert_double_eq(hsi_log_linear_time(&fit, &s[0]), 0);
    }
}
END_TEST

START_TEST(regressions_need_executions_and_tuples)
{
    hsi_sample     s[4];
    hsi_log_linear fit;

    for (int i = 0; i < 4; i++)
        s[i] = (hsi_sample){.flops = i + 1, .seconds = i + 1, .weight = 2};
    ck_assert(hsi_fit_log_linear(s, 4, &fit));
    s[3].weight = 1;
    ck_assert(!hsi_fit_log_linear(s, 4, &fit));
    s[3] = (hsi_sample){.flops = 1, .seconds = 4, .weight = 9};
    ck_assert(!hsi_fit_log_linear(s, 4, &fit));
}
END_TEST

START_TEST(links_are_fitted)
{
    hs_copy_sample exact[] = {{1e3, 1e-5 + 1e-6}, {1e6, 1e-5 + 1e-3}, {1e6, 1e-5 + 1e-3}};
    hs_copy_sample faster[] = {{1e3, 2}, {1e6, 1}};
    hs_copy_sample no_latency[] = {{1e3, 1}, {2e3, 4}};
    double         latency, bandwidth;

    ck_assert(hs_fit_link(exact, 3, &latency, &bandwidth));
    ck_assert_double_eq_tol(latency, 1e-5, 1e-12);
    ck_assert_double_eq_tol(bandwidth, 1e9, 1);
    ck_assert(!hs_fit_link(exact + 1, 2, &latency, &bandwidth));
    ck_assert(!hs_fit_link(faster, 2, &latency, &bandwidth));
    ck_assert(!hs_fit_link(exact, 0, &latency, &bandwidth));
    ck_assert(hs_fit_link(no_latency, 2, &latency, &bandwidth));
    ck_assert_double_eq(latency, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cost laws");
    TCase *cases = tcase_create("laws");

    hsi_random_seed(&random_state, 1, 0);
    tcase_add_test(cases, statistics_equal_the_direct_formulas);
    tcase_add_test(cases, merged_parts_equal_the_whole);
    tcase_add_test(cases, old_executions_fade);
    tcase_add_test(cases, strange_executions_are_left_out_until_they_are_many);
    tcase_add_test(cases, strange_groups_are_left_out_until_they_are_many);
    tcase_add_test(cases, cold_first_executions_are_replaced);
    tcase_add_test(cases, power_laws_are_found_in_noise);
    tcase_add_test(cases, fitted_power_laws_are_least_squares);
    tcase_add_test(cases, power_laws_need_three_sizes);
    tcase_add_test(cases, regressions_find_their_own_law);
    tcase_add_test(cases, regressions_need_executions_and_tuples);
    tcase_add_test(cases, links_are_fitted);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
