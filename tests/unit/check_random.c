/* SPDX-License-Identifier: BSD-3-Clause */

/* Random numbers, and the library's own logarithm and exponential, compared with libm. */

#include <check.h>
#include <math.h>

#include "support/portable_math.h"
#include "support/random.h"

#include "suite.h"

START_TEST(random_numbers_are_those_published)
{
    hsi_random r;

    hsi_random_seed(&r, 1234567, 0);
    ck_assert_uint_eq(r.state[0], UINT64_C(6457827717110365317));
    ck_assert_uint_eq(r.state[1], UINT64_C(3203168211198807973));
    ck_assert_uint_eq(r.state[2], UINT64_C(9817491932198370423));
    ck_assert_uint_eq(r.state[3], UINT64_C(4593380528125082431));
    r = (hsi_random){{1, 2, 3, 4}};
    ck_assert_uint_eq(hsi_random_next(&r), 11520);
    ck_assert_uint_eq(hsi_random_next(&r), 0);
    ck_assert_uint_eq(hsi_random_next(&r), 1509978240);
    ck_assert_uint_eq(hsi_random_next(&r), UINT64_C(1215971899390074240));
}
END_TEST

START_TEST(streams_follow_each_other_in_the_sequence)
{
    hsi_random first, later;

    hsi_random_seed(&first, 7, 1);
    hsi_random_seed(&later, 7 + 4 * UINT64_C(0x9e3779b97f4a7c15), 0);
    ck_assert_mem_eq(&first, &later, sizeof first);
}
END_TEST

START_TEST(bounded_integers_are_evenly_spread)
{
    enum { BOUND = 12, DRAWS = 120000 };
    unsigned   met[BOUND] = {0};
    hsi_random r;
    int        i;

    hsi_random_seed(&r, 3, 0);
    for (i = 0; i < DRAWS; i++)
        met[hsi_random_below(&r, BOUND)]++;
    for (i = 0; i < BOUND; i++)
        ck_assert_double_eq_tol(met[i], DRAWS / BOUND, 5 * sqrt(DRAWS / BOUND));
    ck_assert_uint_eq(hsi_random_below(&r, 1), 0);
    for (i = 0; i < 1000; i++) /* rejects 3/8 of the random words */
        ck_assert_uint_lt(hsi_random_below(&r, UINT64_C(5) << 61), UINT64_C(5) << 61);
}
END_TEST

/* Return the error of a value in units of the last place. */
static double ulps(double value, long double truth)
{
    double nearest = fabs((double)truth);

    return (double)(fabsl(value - truth) / (nextafter(nearest, INFINITY) - nearest));
}

START_TEST(logarithm_and_exponential_are_within_two_ulp)
{
    hsi_random r;
    int        i;

    hsi_random_seed(&r, 5, 0);
    for (i = 0; i < 300000; i++) {
        double u = hsi_random_unit(&r);
        double near_one = 1 + ldexp(u - 0.5, -(int)hsi_random_below(&r, 40));
        double anywhere = ldexp(1 + u, (int)hsi_random_below(&r, 2000) - 1000);

        ck_assert_double_gt(u, 0);
        ck_assert_double_lt(u, 1);
        ck_assert_double_le(ulps(hsi_log(u), logl(u)), 2);
        ck_assert_double_le(ulps(hsi_log(anywhere), logl(anywhere)), 2);
        if (near_one != 1)
            ck_assert_double_le(ulps(hsi_log(near_one), logl(near_one)), 2);
        ck_assert_double_le(ulps(hsi_exp((u - 0.5) * 1400), expl((u - 0.5) * 1400)), 2);
        ck_assert_double_le(ulps(hsi_exp(near_one - 1), expl(near_one - 1)), 2);
    }
    ck_assert(hsi_log(1) == 0 && hsi_exp(0) == 1);
    ck_assert(hsi_exp(-INFINITY) == 0 && hsi_exp(-750) == 0 && isinf(hsi_exp(711)));
    ck_assert(!isinf(hsi_exp(709)));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("random");
    TCase *numbers = tcase_create("numbers");

    tcase_set_timeout(numbers, 120);
    tcase_add_test(numbers, random_numbers_are_those_published);
    tcase_add_test(numbers, streams_follow_each_other_in_the_sequence);
    tcase_add_test(numbers, bounded_integers_are_evenly_spread);
    tcase_add_test(numbers, logarithm_and_exponential_are_within_two_ulp);
    suite_add_tcase(suite, numbers);

    return run_suite(suite);
}
