/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Test the statistics of paired comparisons. The expected numbers are those of SciPy 1.17 (t.ppf,
 * t.interval, wilcoxon), and of the enumeration of all signs where there are ties.
 */
#include <check.h>
#include <math.h>
#include <stdbool.h>

#include "bench/compare/inference.h"

#include "suite.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

START_TEST(bounds_of_students_t)
{
    static const struct {
        size_t freedom;
        double bound;
    } known[] = {{1, 12.706204736174694},    {2, 4.302652729749462},     {3, 3.1824463052837078},
                 {4, 2.7764451051977934},    {5, 2.5705818356363146},    {9, 2.262157162798205},
                 {10, 2.228138851986274},    {29, 2.045229642132703},    {30, 2.0422724563012378},
                 {99, 1.9842169515864174},   {1000, 1.9623390808264083}, {100001, 1.9599877072973786}};

    for (size_t i = 0; i < COUNT(known); i++)
        ck_assert_double_eq_tol(student_bound(known[i].freedom), known[i].bound, 1e-9);
}
END_TEST

START_TEST(interval_of_a_geometric_mean)
{
    static const double few[] = {0.9, 0.95, 1.1, 0.8, 1.3, 0.97, 0.85};
    static const double odd[] = {2, INFINITY, 8, 0, NAN};
    interval            of = geometric_interval(few, COUNT(few));

    ck_assert_uint_eq(of.count, 7);
    ck_assert_double_eq_tol(of.mean, 0.9697386061367358, 1e-12);
    ck_assert_double_eq_tol(of.low, 0.8329529506743631, 1e-9);
    ck_assert_double_eq_tol(of.high, 1.1289868935222236, 1e-9);
    of = geometric_interval(odd, COUNT(odd)); /* 2 and 8: log 2 and 3 log 2, standard error log 2 */
    ck_assert_uint_eq(of.count, 2);
    ck_assert_double_eq_tol(of.mean, 4, 1e-12);
    ck_assert_double_eq_tol(of.high, 4 * pow(2, 12.706204736174694), 1e-3);
    of = geometric_interval(few, 1);
    ck_assert_uint_eq(of.count, 1);
    ck_assert_double_eq_tol(of.mean, 0.9, 1e-12);
    ck_assert(isnan(of.low) && isnan(of.high));
    of = geometric_interval(few, 0);
    ck_assert(of.count == 0 && isnan(of.mean) && isnan(of.low));
}
END_TEST

START_TEST(exact_test_without_ties)
{
    static const double few[] = {0.9, 0.95, 1.1, 0.8, 1.3, 0.97, 0.85}, less[] = {0.5, 0.6, 0.7};
    double              many[150];

    ck_assert_double_eq_tol(wilcoxon_p(few, COUNT(few)), 0.578125, 1e-15);
    ck_assert_double_eq_tol(wilcoxon_p(less, 3), 2.0 / 8, 1e-15); /* one of 8 signs, two sides */
    ck_assert_double_eq_tol(wilcoxon_p(less, 1), 1, 1e-15);
    for (unsigned i = 0; i < COUNT(many); i++)
        many[i] = exp(((i * i * 7919 % 10007) / 10007.0 - 0.45) / 10);
    ck_assert_double_eq_tol(wilcoxon_p(many, COUNT(many)), 0.17364579661105095, 1e-12);
}
END_TEST

/* The magnitudes are 2, 1.25 and 4; two quotients are 1. */
START_TEST(exact_test_with_ties)
{
    static const double tied[] = {0.5, 2, 0.5, 0.8, 1.25, 0.8, 1, 1, 0.25, 0.5};
    static const double noisy[] = {0.5,      2,  0.5 * (1 + 1e-13), 0.8, 1.25, 0.8, 1 + 1e-13,
                                   1 - 1e-13, 0.25, 0.5 * (1 - 1e-13)};
    static const double missing[] = {INFINITY, INFINITY, 2, 1.1, 0.9, 0}, equal[] = {1, 1, 1};

    ck_assert_double_eq_tol(wilcoxon_p(tied, COUNT(tied)), 0.1875, 1e-15);
    ck_assert_double_eq_tol(wilcoxon_p(noisy, COUNT(noisy)), 0.1875, 1e-15);
    ck_assert_double_eq_tol(wilcoxon_p(missing, COUNT(missing)), 0.53125, 1e-15);
    ck_assert_double_eq(wilcoxon_p(equal, 3), 1);
    ck_assert_double_eq(wilcoxon_p(equal, 0), 1);
}
END_TEST

START_TEST(normal_approximation_with_ties)
{
    double many[250];

    for (int i = 0; i < 250; i++)
        many[i] = exp((i * 37 % 101 - 40) / 100.0);
    ck_assert_double_eq_tol(wilcoxon_p(many, COUNT(many)), 1.6045710815109183e-06, 1e-12);
}
END_TEST

START_TEST(wins_count_equal_values)
{
    static const double quotient[] = {0.5, 1 - 1e-12, 1, 1 + 1e-12, 1 + 1e-6, INFINITY, 0};
    win_count           wins = count_wins(quotient, COUNT(quotient));

    ck_assert_uint_eq(wins.less, 2);
    ck_assert_uint_eq(wins.equal, 3);
    ck_assert_uint_eq(wins.more, 2);
}
END_TEST

/* Holm's method by hand: 4 * 0.005, 3 * 0.01, 2 * 0.03, and 0.04 raised to the value before. */
START_TEST(p_values_are_adjusted)
{
    double p[] = {0.01, 0.04, NAN, 0.03, 0.005}, large[] = {0.6, 0.7};

    holm_adjust(p, COUNT(p));
    ck_assert_double_eq_tol(p[0], 0.03, 1e-15);
    ck_assert_double_eq_tol(p[1], 0.06, 1e-15);
    ck_assert(isnan(p[2]));
    ck_assert_double_eq_tol(p[3], 0.06, 1e-15);
    ck_assert_double_eq_tol(p[4], 0.02, 1e-15);
    holm_adjust(large, 2);
    ck_assert(large[0] == 1 && large[1] == 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("inference");
    TCase *cases = tcase_create("statistics");

    tcase_add_test(cases, bounds_of_students_t);
    tcase_add_test(cases, interval_of_a_geometric_mean);
    tcase_add_test(cases, exact_test_without_ties);
    tcase_add_test(cases, exact_test_with_ties);
    tcase_add_test(cases, normal_approximation_with_ties);
    tcase_add_test(cases, wins_count_equal_values);
    tcase_add_test(cases, p_values_are_adjusted);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
