/* SPDX-License-Identifier: BSD-3-Clause */
/* Detection of leaks: growth_median_step() returns the median change between measurements. */
#include <check.h>

#include "growth.h"
#include "suite.h"

static const struct {
    long looks[GROWTH_LOOKS];
    long by_step;
} looked[] = {
    {{7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}, 0},
    {{7, 7, 7, 9000, 9000, 9000, 9000, 9000, 9000, 9000, 9000},
     0}, /* measurements of a program that
            allocates one large block once */
    {{0, 800, 1000, 1100, 1150, 1160, 1160, 1160, 1160, 1160, 1160}, 0},
    {{50, 61, 43, 55, 48, 60, 41, 57, 49, 62, 50}, -7}, /* alternating */
    {{0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100}, 10},
    {{0, 10, 20, 30, 40, 50, 60, 60, 60, 60, 60}, 10}, /* measurements with a leak in the first
                                                          six steps */
    {{5, 6, 6, 7, 8, 8, 9, 10, 10, 11, 11}, 1},        /* measurements with a leak in some steps */
    {{90, 80, 70, 60, 50, 40, 30, 20, 10, 0, 0}, -10},
};

START_TEST(growth_is_the_median_of_the_steps)
{
    ck_assert_int_eq(growth_median_step(looked[_i].looks), looked[_i].by_step);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("growth");
    TCase *tcase = tcase_create("growth");

    tcase_add_loop_test(tcase, growth_is_the_median_of_the_steps, 0, sizeof looked / sizeof *looked);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
