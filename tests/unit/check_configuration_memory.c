/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Failing allocations in the configuration bound, in GLPK below it, and in the branch-and-bound
 * tree above it.
 */

#include <check.h>
#include <glpk.h>
#include <stdlib.h>

#include <hybridsched/bound.h>
#include <hybridsched/generate.h>

#include "refine/price_tree/price_tree.h"

#include "failing_memory.h"
#include "suite.h"

static hs_instance *in;

static void generate_instance(void)
{
    hs_gamma gamma = {sizeof gamma, 30, 4, 2, 15, 0.2, 1, 0.2, 1};

    ck_assert_int_eq(hs_generate_gamma(&gamma, &in, NULL), HS_OK);
}

static void free_instance(void)
{
    hs_instance_free(in);
}

START_TEST(every_allocation_may_fail)
{
    const hs_bound *bound = hs_bound_find("configuration");
    double          value = -1;
    hs_status       st = HS_ENOMEM;
    long            k;

    for (k = 0; st != HS_OK; k++) {
        memory_fail_after(k, 0);
        st = hs_bound_compute(bound, in, NULL, &value);
        memory_stop_failing();
        ck_assert(st == HS_OK || st == HS_ENOMEM);
        ck_assert_int_lt(k, 5000);
    }
    ck_assert_int_gt(k, 20);
}
END_TEST

static hs_status run_price_tree(const hsi_problem *pb)
{
    hs_settings settings;
    hsi_stop        stop = {hsi_clock_seconds(), hsi_clock_seconds() + 10, &settings};
    hsi_price_tree *b = NULL;
    hs_status       st = hsi_price_tree_open(pb, 10, &b);

    hs_settings_init(&settings);
    if (st == HS_OK)
        st = hsi_price_tree_continue(b, 12.9, &stop); /* makespan below which the tree finds a
                                                     schedule; the optimum is 12.80284 */
    hsi_price_tree_close(b);
    return st;
}

START_TEST(every_allocation_of_the_tree_may_fail)
{
    hsi_problem pb;
    hs_status   st = HS_ENOMEM;
    long        k;

    ck_assert_int_eq(hsi_problem_of_tasks(in, NULL, &pb), HS_OK);
    for (k = 0; st != HS_OK; k++) {
        memory_fail_after(k, 0);
        st = run_price_tree(&pb);
        memory_stop_failing();
        ck_assert(st == HS_OK || st == HS_ENOMEM);
        ck_assert_int_lt(k, 20000);
    }
    ck_assert_int_gt(k, 30);
    hsi_problem_close(&pb);
}
END_TEST

/* GLPK runs out of memory in the middle of a round: the bound proved before is returned. */
START_TEST(glpk_may_run_out_of_memory)
{
    const hs_bound *configuration = hs_bound_find("configuration");
    double          deadline, value;

    ck_assert_int_eq(hs_bound_compute(hs_bound_find("deadline"), in, NULL, &deadline), HS_OK);
    ck_assert_int_ne(glp_init_env(), 2);
    glp_mem_limit(1);
    ck_assert_int_eq(hs_bound_compute(configuration, in, NULL, &value), HS_OK);
    ck_assert_double_ge(value, deadline);
    glp_free_env();
    ck_assert_int_eq(hs_bound_compute(configuration, in, NULL, &value), HS_OK);
    ck_assert_double_gt(value, deadline * 1.01);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("configuration memory");
    TCase *tc = tcase_create("memory");

    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, generate_instance, free_instance);
    tcase_add_test(tc, every_allocation_may_fail);
    tcase_add_test(tc, every_allocation_of_the_tree_may_fail);
    tcase_add_test(tc, glpk_may_run_out_of_memory);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
