/* SPDX-License-Identifier: BSD-3-Clause */

/* Test the worst cases: their witnesses, exact times, and the ratios of the algorithms. */

#include <check.h>
#include <math.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

#include "suite.h"

/*
 * Make a worst case and assert that its witness is a valid schedule of length `expected`. The
 * caller owns *in.
 */
static void make_worst(const char *name, unsigned argument, double expected, hs_instance **in)
{
    hs_schedule *witness = NULL, *bad = NULL;
    hs_error     why;

    ck_assert_int_eq(hs_generate_worst(hs_worst_find(name), argument, in, &witness, &bad, NULL),
                     HS_OK);
    ck_assert_msg(hs_schedule_check(*in, witness, &why) == HS_OK, "%s %u: %s", name, argument,
                  why.why);
    ck_assert(hs_schedule_makespan(witness) == expected);
    hs_schedule_free(witness);
    if (strcmp(name, "list") != 0) {
        ck_assert_ptr_null(bad);
        return;
    }
    ck_assert_int_eq(hs_schedule_check(*in, bad, NULL), HS_OK);
    ck_assert(hs_schedule_makespan(bad) == 2 * expected - 1);
    hs_schedule_free(bad);
}

static double makespan_of(const char *algorithm, const hs_instance *in)
{
    hs_schedule *s = NULL;
    double       makespan;

    ck_assert_int_eq(hs_solve(hs_algorithm_find(algorithm), in, NULL, &s), HS_OK);
    makespan = hs_schedule_makespan(s);
    hs_schedule_free(s);
    return makespan;
}

static double fibonacci(unsigned index)
{
    double now = 0, next = 1;

    while (index--) {
        double sum = now + next;

        now = next;
        next = sum;
    }
    return now;
}

START_TEST(hp_1_1_has_the_ratio_of_the_paper)
{
    unsigned j;

    for (j = 3; j <= 75; j += 2) {
        hs_instance *in = NULL;

        make_worst("hp-1-1", j, fibonacci(j), &in);
        ck_assert(makespan_of("heteroprio", in) == fibonacci(j + 1));
        hs_instance_free(in);
    }
}
END_TEST

START_TEST(hp_m_1_has_the_ratio_of_the_paper)
{
    static const struct {
        unsigned m;
        double   ratio;
    } known[] = {{4, 2.0816}, {32, 2.5306}, {128, 2.5958}};
    unsigned     m;
    size_t       i;
    hs_instance *in;

    for (m = 2; m < 40; m++) {
        in = NULL;
        make_worst("hp-m-1", m, 4.0 * m * 10946, &in);
        hs_instance_free(in);
    }
    for (i = 0; i < sizeof known / sizeof *known; i++) {
        double span = 4.0 * known[i].m * 10946;

        in = NULL;
        make_worst("hp-m-1", known[i].m, span, &in);
        ck_assert_double_eq_tol(makespan_of("heteroprio", in) / span, known[i].ratio, 5e-5);
        hs_instance_free(in);
    }
}
END_TEST

START_TEST(hp_m_n_has_the_ratio_of_the_paper)
{
    /* Ratios for K = 1 .. 8; 0: not tested. */
    static const double ratio[] = {2.3333, 0, 0, 2.8240, 0, 0, 0, 2.9683};
    unsigned            k;

    for (k = 1; k <= 8; k++) {
        hs_instance *in = NULL;
        hs_task      row;
        double       span, makespan;

        ck_assert_int_eq(hs_generate_worst(hs_worst_find("hp-m-n"), k, &in, NULL, NULL, NULL),
                         HS_OK);
        hs_instance_row(in, 0, &row); /* a task of T1 takes n units on a CPU, like the witness */
        span = row.cpu;
        hs_instance_free(in);
        in = NULL;
        make_worst("hp-m-n", k, span, &in);
        if (ratio[k - 1] > 0) {
            makespan = makespan_of("heteroprio", in);
            ck_assert_double_eq_tol(makespan / span, ratio[k - 1], 5e-5);
        }
        hs_instance_free(in);
    }
}
END_TEST

START_TEST(balanced_has_the_ratio_of_the_paper)
{
    unsigned k;

    for (k = 2; k <= 100; k++) {
        hs_instance *in = NULL;
        double       s = 2.0 * (k - 1);

        make_worst("balanced", k, k * s, &in);
        ck_assert(makespan_of("balanced-estimate", in) == (2.0 * k - 2) * s);
        ck_assert(makespan_of("balanced-makespan", in) == (2.0 * k - 2) * s);
        hs_instance_free(in);
    }
}
END_TEST

START_TEST(list_witness_and_bad_plan_are_valid)
{
    unsigned k;

    for (k = 1; k <= 60; k++) {
        hs_instance *in = NULL;

        make_worst("list", k, 6.0 * k, &in);
        /* ties are broken by index, because all accelerations are equal */
        ck_assert(makespan_of("heteroprio-ns", in) == 12.0 * k - 1);
        hs_instance_free(in);
    }
}
END_TEST

/* With the largest argument of a family, times are still whole numbers that add up exactly. */
START_TEST(worst_cases_are_exact_at_the_largest_argument)
{
    const hs_worst *family = hs_worst_at((size_t)_i);
    hs_instance    *in = NULL;
    double          cpu = 0, gpu = 0;
    size_t          i;

    ck_assert_int_eq(
        hs_generate_worst(family, hs_worst_most_argument(family), &in, NULL, NULL, NULL), HS_OK);
    for (i = 0; i < hs_instance_rows(in); i++) {
        hs_task row;

        hs_instance_row(in, i, &row);
        ck_assert(isinf(row.cpu) || floor(row.cpu) == row.cpu);
        ck_assert(isinf(row.gpu) || floor(row.gpu) == row.gpu);
        cpu += isinf(row.cpu) ? 0 : row.cpu * row.count;
        gpu += isinf(row.gpu) ? 0 : row.gpu * row.count;
    }
    ck_assert(cpu < 0x1p53 && gpu < 0x1p53);
    hs_instance_free(in);
}
END_TEST

START_TEST(worst_cases_refuse_invalid_arguments)
{
    const hs_worst *family = hs_worst_at((size_t)_i);
    hs_instance    *in = NULL;
    hs_schedule    *witness = NULL;

    ck_assert_ptr_eq(hs_worst_find(hs_worst_name(family)), family);
    ck_assert_int_eq(
        hs_generate_worst(family, hs_worst_least_argument(family) - 1, &in, &witness, NULL, NULL),
        HS_EINVAL);
    ck_assert_int_eq(
        hs_generate_worst(family, hs_worst_most_argument(family) + 1, &in, &witness, NULL, NULL),
        HS_EINVAL);
    ck_assert_int_eq(hs_generate_worst(hs_worst_find("hp-1-1"), 4, &in, &witness, NULL, NULL),
                     HS_EINVAL);
    ck_assert_ptr_null(in);
    ck_assert_ptr_null(witness);
    ck_assert_ptr_null(hs_worst_at(hs_worst_count()));
    ck_assert_ptr_null(hs_worst_find("no-such-case"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("worst");
    TCase *worst = tcase_create("worst");

    tcase_set_timeout(worst, 300);
    tcase_add_test(worst, hp_1_1_has_the_ratio_of_the_paper);
    tcase_add_test(worst, hp_m_1_has_the_ratio_of_the_paper);
    tcase_add_test(worst, hp_m_n_has_the_ratio_of_the_paper);
    tcase_add_test(worst, balanced_has_the_ratio_of_the_paper);
    tcase_add_test(worst, list_witness_and_bad_plan_are_valid);
    tcase_add_loop_test(worst, worst_cases_are_exact_at_the_largest_argument, 0,
                        (int)hs_worst_count());
    tcase_add_loop_test(worst, worst_cases_refuse_invalid_arguments, 0, (int)hs_worst_count());
    suite_add_tcase(suite, worst);

    return run_suite(suite);
}
