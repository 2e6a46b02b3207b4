/* SPDX-License-Identifier: BSD-3-Clause */
/* Certified makespans: exact sums, rounded up to the next double. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include <hybridsched/hybridsched.h>

#include "common/certified.h"
#include "common/message.h"

#include "suite.h"

/* Return the certified makespan of a schedule that runs all tasks on one CPU. */
static double certified_sum(size_t n, const double *times)
{
    hs_instance *in = NULL;
    hs_schedule *s = NULL;
    double       sum;

    ck_assert_int_eq(hs_instance_wrap(n, times, times, NULL, 1, 0, &in), HS_OK);
    ck_assert_int_eq(hs_solve(hs_algorithm_find("lpt"), in, NULL, &s), HS_OK);
    sum = certified_makespan(in, s);
    hs_schedule_free(s);
    hs_instance_free(in);
    return sum;
}

#define SUM(...) certified_sum(sizeof((double[]){__VA_ARGS__}) / sizeof(double), \
                               (double[]){__VA_ARGS__})

START_TEST(makespan_is_exact_if_a_double_holds_the_sum)
{
    ck_assert_double_eq(SUM(1), 1);
    ck_assert_double_eq(SUM(1, 2, 4.5), 7.5);
    ck_assert_double_eq(SUM(0x1p53, 1, 1), 0x1p53 + 2);
    ck_assert_double_eq(SUM(1, 0x1p-53, 0x1p-53), 1 + 0x1p-52);
    ck_assert_double_eq(SUM(0x1p1000, 0x1p1000), 0x1p1001);
    ck_assert_double_eq(SUM(0x1p-1074, 0x1p-1074, 0x1p-1073), 0x1p-1072);
    ck_assert_double_eq(SUM(0x1.fffffffffffffp0, 0x1p-52), 2);
}
END_TEST

START_TEST(makespan_is_rounded_up_if_no_double_holds_the_sum)
{
    ck_assert_double_eq(SUM(1, 0x1p-53), nextafter(1, 2));
    ck_assert_double_eq(SUM(1, 0x1p-1074), nextafter(1, 2));
    ck_assert_double_eq(SUM(0x1p1000, 0x1p-1074), nextafter(0x1p1000, INFINITY));
    ck_assert_double_eq(SUM(0x1.fffffffffffffp0, 0x1p-60), 2);
    ck_assert_double_eq(SUM(0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1), nextafter(1, 2));
}
END_TEST

START_TEST(gap_is_zero_only_up_to_the_bound)
{
    const double time[] = {1, 0x1p-53}; /* the rounded makespan is 1, since ties go to even */
    hs_instance *in = NULL;
    hs_schedule *s = NULL;

    ck_assert_int_eq(hs_instance_wrap(2, time, time, NULL, 1, 0, &in), HS_OK);
    ck_assert_int_eq(hs_solve(hs_algorithm_find("lpt"), in, NULL, &s), HS_OK);
    ck_assert_double_eq(hs_schedule_makespan(s), 1);
    ck_assert_double_gt(certified_gap(in, s, 1), 0);
    ck_assert_double_eq(certified_gap(in, s, 1 + 0x1p-52), 0);
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

/* Accept a bound equal to the makespan, and refuse the next number above. */
START_TEST(bound_above_the_schedule_is_an_error)
{
    const double time[] = {1, 0x1p-53};
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_instance_wrap(2, time, time, NULL, 1, 0, &in), HS_OK);
    ck_assert_int_eq(certified_check_bound("a", in, 30.7, 2, "mip", 0), EXIT_OK);
    ck_assert_int_eq(certified_check_bound("a", in, 30.7, 2, "mip", 30.7), EXIT_OK);
    ck_assert_int_eq(certified_check_bound("a", in, 30.7, 2, "mip", nextafter(30.7, 31)), EXIT_WORK);
    ck_assert_int_eq(certified_check_bound("a", in, 30.7, 2, "mip", 256), EXIT_WORK);
    ck_assert_int_eq(certified_check_bound("a", in, 30.7, 2, "mip", INFINITY), EXIT_WORK);
    ck_assert_int_eq(certified_check_bound("a", in, 30.7, 2, "mip", NAN), EXIT_WORK);
    hs_instance_free(in);
}
END_TEST

/* Each end on a path is rounded, so a bound may exceed the makespan of a graph by the sum of the
 * roundings. */
START_TEST(rounded_ends_of_a_graph_are_tolerated)
{
    hs_builder  *builder = NULL;
    hs_instance *in = NULL;
    hs_task      task;

    hs_task_init(&task);
    task.cpu = 1;
    ck_assert_int_eq(hs_builder_create(&builder), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(builder, 1, 0), HS_OK);
    ck_assert_int_eq(hs_builder_add_row(builder, &task), HS_OK);
    ck_assert_int_eq(hs_builder_add_row(builder, &task), HS_OK);
    ck_assert_int_eq(hs_builder_add_predecessor(builder, 1, 0, 0, 0), HS_OK);
    ck_assert_int_eq(hs_builder_finish(builder, &in, NULL), HS_OK);
    ck_assert_int_eq(certified_check_bound("a", in, 2, 2, "paths", 2 * (1 + 3 * DBL_EPSILON)), EXIT_OK);
    ck_assert_int_eq(certified_check_bound("a", in, 2, 2, "paths", 2 * (1 + 4 * DBL_EPSILON)),
                     EXIT_WORK);
    hs_instance_free(in);
    hs_builder_free(builder);
}
END_TEST

START_TEST(empty_instance_is_certified)
{
    const double none[1] = {1};

    hs_instance *in = NULL;

    ck_assert_double_eq(certified_sum(0, none), 0);
    ck_assert_int_eq(hs_instance_wrap(0, none, none, NULL, 1, 0, &in), HS_OK);
    ck_assert_int_eq(certified_check_bound("a", in, 0, 0, "deadline", 0), EXIT_OK);
    ck_assert_int_eq(certified_check_bound("a", in, 0, 0, "deadline", 0x1p-1074), EXIT_WORK);
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("certify");
    TCase *tc = tcase_create("sums");

    tcase_add_test(tc, makespan_is_exact_if_a_double_holds_the_sum);
    tcase_add_test(tc, makespan_is_rounded_up_if_no_double_holds_the_sum);
    tcase_add_test(tc, gap_is_zero_only_up_to_the_bound);
    tcase_add_test(tc, bound_above_the_schedule_is_an_error);
    tcase_add_test(tc, rounded_ends_of_a_graph_are_tolerated);
    tcase_add_test(tc, empty_instance_is_certified);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
