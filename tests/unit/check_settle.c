/* SPDX-License-Identifier: BSD-3-Clause */
/* Test of hsched-calibrate: decide when the measured times of a kernel have settled. */
#include <check.h>
#include <math.h>

#include "calibrate/settled_times.h"
#include "common/granted_core_share.h"

#include "suite.h"

#define NEAR(x, y) ck_assert_double_eq_tol((x), (y), 1e-6)

START_TEST(quartiles_lie_between_their_neighbours)
{
    double    odd[] = {5, 1, 4, 2, 3}, two[] = {2, 1}, one[] = {7};
    quartiles q = quartiles_of(odd, 5);

    ck_assert(q.low == 2 && q.median == 3 && q.high == 4);
    q = quartiles_of(two, 2);
    ck_assert(q.low == 1.25 && q.median == 1.5 && q.high == 1.75);
    q = quartiles_of(one, 1);
    ck_assert(q.low == 7 && q.median == 7 && q.high == 7);
}
END_TEST

/* Quartiles of four sorted runs, numbered from 0, are interpolated at 0.75, 1.5 and 2.25. */
static const struct {
    const char *what;
    double      times[9];
    size_t      runs;
    double      differ;
    int         agree;
} halves[] = {
    {"all the same", {2, 2, 2, 2, 2, 2, 2, 2}, 8, 0, 1},
    {"in another order", {1, 2, 3, 4, 4, 3, 2, 1}, 8, 0, 1},
    {"a tenth longer", {1, 1, 1, 1, 1.0999, 1.0999, 1.0999, 1.0999}, 8, 0.0999, 1},
    {"a little more", {1, 1, 1, 1, 1.11, 1.11, 1.11, 1.11}, 8, 0.11, 0},
    {"faster", {3, 3, 3, 3, 2, 2, 2, 2}, 8, 0.5, 0},
    {"the run in the middle counts not", {1, 1, 1, 1, 9, 1, 1, 1, 1}, 9, 0, 1},
    {"one of four is no quartile of another", {1, 1, 1, 1, 1, 1, 1, 3}, 8, 0.5, 0},
    {"the median alone", {1, 1, 3, 3, 1, 1, 1, 3}, 8, 1, 0},
    {"few runs do not tell", {1, 1, 1, 5, 5, 5, 5}, 7, 0, 1},
    {"what the clock cannot tell", {1e-8, 1e-8, 1e-8, 1e-8, 9e-8, 9e-8, 9e-8, 9e-8}, 8, 0, 1},
};

START_TEST(settled_if_halves_agree)
{
    double         differ = halves_differ(halves[_i].times, 1, halves[_i].runs);
    hs_exec_report alone = {.core_seconds = 1, .busy = 1};
    char           why[SETTLE_WHY] = "";
    bool           agree = settle(halves[_i].times, 1, halves[_i].runs, &alone, why);

    ck_assert_msg(fabs(differ - halves[_i].differ) < 1e-6, "%s: %g", halves[_i].what, differ);
    ck_assert_msg(agree == halves[_i].agree, "%s: %s", halves[_i].what, why);
}
END_TEST

/* Compare the halves of each worker: a slow worker makes no difference, a slowing worker does. */
START_TEST(halves_are_compared_for_each_worker)
{
    double steady[] = {1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3};
    double second[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3};
    double slower[] = {1, 1, 1, 1, 3, 3, 3, 3, 1, 1, 1, 1, 3, 3, 3, 3};

    NEAR(halves_differ(steady, 2, 8), 0);
    NEAR(halves_differ(slower, 2, 8), 2);
    NEAR(halves_differ(second, 2, 8), 2);
}
END_TEST

/* Reject steady times if tasks got only half of their cores; ignore a report with unknown waits. */
START_TEST(busy_machine_does_not_settle)
{
    const double   steady[] = {1, 1, 1, 1, 1, 1, 1, 1};
    hs_exec_report shared = {.core_seconds = 4, .core_wait = 4, .busy = 8};
    hs_exec_report unknown = {.core_seconds = 4, .core_wait = NAN, .busy = 8};
    char           why[SETTLE_WHY];

    ck_assert_int_eq(settle(steady, 1, 8, &shared, why), 0);
    ck_assert_str_eq(why, "this machine was busy: the kernel got 50% of its cores");
    ck_assert_int_eq(settle(steady, 1, 7, &shared, why), 1);
    ck_assert_int_eq(settle(steady, 1, 8, &unknown, why), 1);
    ck_assert_int_eq(settle(halves[4].times, 1, 8, &shared, why), 0);
    ck_assert_str_eq(why, "the quartiles of the two halves of its runs differ by 50%");
}
END_TEST

START_TEST(rounds_are_limited)
{
    ck_assert_int_eq(may_repeat(1, 4, 0.1, 0.1), 1);
    ck_assert_int_eq(may_repeat(3, 4, 0.7, 0.4), 1);
    ck_assert_int_eq(may_repeat(4, 4, 1.5, 0.8), 0);
    ck_assert_int_eq(may_repeat(1, 1, 0.1, 0.1), 0);
    ck_assert_int_eq(may_repeat(1, 4, 10, 10), 1); /* limit of 30 s for all rounds together */
    ck_assert_int_eq(may_repeat(1, 4, 10.1, 10.1), 0);
    ck_assert_int_eq(may_repeat(2, 4, 15, 10), 0);
}
END_TEST

static hs_exec_report report_of(double used, double waited, double busy)
{
    return (hs_exec_report){.core_seconds = used, .core_wait = waited, .busy = busy};
}

START_TEST(share_of_cores_is_reported_if_relevant)
{
    hs_exec_report half = report_of(2, 2, 4), most = report_of(92, 8, 100);
    hs_exec_report asleep = report_of(0.001, 0.01, 2), unknown = report_of(2, NAN, 4);
    hs_exec_report nothing = report_of(0, 0, 0), rather = report_of(8.999, 1.001, 10);
    hs_exec_report no_task = report_of(0.001, 0.009, 0);
    char           percent[8];

    ck_assert_double_eq(granted_core_share(&half), 0.5);
    ck_assert_int_eq(core_share_is_low(&half, percent), 1);
    ck_assert_str_eq(percent, "50%");
    ck_assert_int_eq(core_share_is_low(&rather, percent), 1);
    ck_assert_str_eq(percent, "89%");
    ck_assert_int_eq(core_share_is_low(&most, NULL), 0);
    ck_assert_int_eq(core_share_is_low(&asleep, NULL), 0); /* tasks mostly slept */
    ck_assert(granted_core_share(&asleep) < 0.1);
    ck_assert(isnan(granted_core_share(&unknown)) && isnan(granted_core_share(&nothing)));
    ck_assert_int_eq(core_share_is_low(&unknown, NULL), 0);
    ck_assert_int_eq(core_share_is_low(&nothing, NULL), 0);
    ck_assert_int_eq(core_share_is_low(&no_task, NULL), 0); /* waits of a worker that has no
                                                               tasks */
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("settle");
    TCase *tc = tcase_create("settle");

    tcase_add_test(tc, quartiles_lie_between_their_neighbours);
    tcase_add_loop_test(tc, settled_if_halves_agree, 0, (int)(sizeof halves / sizeof *halves));
    tcase_add_test(tc, halves_are_compared_for_each_worker);
    tcase_add_test(tc, busy_machine_does_not_settle);
    tcase_add_test(tc, rounds_are_limited);
    tcase_add_test(tc, share_of_cores_is_reported_if_relevant);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
