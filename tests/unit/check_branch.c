/* SPDX-License-Identifier: BSD-3-Clause */

/* Branch and price, compared with optima found by enumeration. */

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/generate.h>

#include "bound/proof/refute.h"
#include "refine/price_tree/price_tree_impl.h"
#include "refine/target.h"
#include "support/random.h"

#include "small_optimum.h"
#include "suite.h"

enum { MOST_TASKS = 8, MOST_WORKERS = OPTIMUM_WORKERS, ROUNDS = 300 };

static double      p[MOST_TASKS], q[MOST_TASKS];
static hsi_problem draw_problem(hsi_random *r, int whole)
{
    hsi_problem pb = {.n = 1 + hsi_random_below(r, MOST_TASKS), .p = p, .q = q};
    size_t      i;

    pb.m = 1 + (unsigned)hsi_random_below(r, 3);
    pb.k = 1 + (unsigned)hsi_random_below(r, MOST_WORKERS - pb.m);
    for (i = 0; i < pb.n; i++) {
        p[i] = whole ? 1 + (double)hsi_random_below(r, 9) : 0.1 + hsi_random_unit(r);
        q[i] = whole ? 1 + (double)hsi_random_below(r, 9) : 0.1 + hsi_random_unit(r);
        if (hsi_random_below(r, 5) == 0)
            *(hsi_random_below(r, 2) ? &p[i] : &q[i]) = INFINITY;
    }
    return pb;
}

static hsi_stop stop_after_seconds(const hs_settings *settings, double limit)
{
    return (hsi_stop){hsi_clock_seconds(), hsi_clock_seconds() + limit, settings};
}

/* Search from a makespan of twice the optimum: whole times to the optimum, other times to within
 * 10^-4 of it. */
START_TEST(tree_ends_with_the_optimum)
{
    hs_settings settings;
    hsi_random  r;
    int         round;

    hs_settings_init(&settings);
    hsi_random_seed(&r, 3, (uint64_t)_i);
    for (round = 0; round < ROUNDS; round++) {
        hsi_problem     pb = draw_problem(&r, _i);
        double      best = optimum_of(&pb), makespan = 2 * best, gap = _i ? 0 : 1e-4;
        double      from = round % 2 ? best / 1000 : best * 0.999;
        hsi_price_tree *b = NULL;

        ck_assert_int_eq(hsi_price_tree_open(&pb, from, &b), HS_OK);
        do {
            hsi_stop stop = stop_after_seconds(&settings, 5);

            ck_assert_int_eq(hsi_price_tree_continue(b, makespan / (1 + gap), &stop), HS_OK);
            if (hsi_price_tree_found_assignment(b)) {
                ck_assert_double_lt(makespan_of(&pb, hsi_price_tree_found_assignment(b)), makespan);
                makespan = makespan_of(&pb, hsi_price_tree_found_assignment(b));
            }
            ck_assert_double_le(hsi_price_tree_bound(b), best * (1 + 0x1p-48));
            ck_assert_double_ge(hsi_price_tree_bound(b), from);
        } while (!hsi_price_tree_ended(b) || hsi_price_tree_found_assignment(b));
        ck_assert_double_le(makespan, best * (1 + gap) * (1 + 0x1p-48));
        ck_assert_double_ge(hsi_price_tree_bound(b) * (1 + gap), makespan * (1 - 0x1p-40));
        hsi_price_tree_close(b);
    }
}
END_TEST

/* Check that each schedule belongs to exactly one leaf. Schedules are equal up to an exchange of
 * equal tasks. */
START_TEST(each_schedule_is_in_one_leaf)
{
    hs_gamma     gamma = {sizeof gamma, 30, 4, 2, 15, 1, 1, 1, 3};
    hs_instance *in;
    hs_settings  settings;
    hsi_problem  pb;
    hsi_price_tree *b;
    hsi_stop     stop;
    double       share = 0, before = 0;
    size_t       i, j;

    hs_settings_init(&settings);
    ck_assert_int_eq(hs_generate_gamma(&gamma, &in, NULL), HS_OK);
    ck_assert_int_eq(hsi_problem_of_tasks(in, NULL, &pb), HS_OK);
    ck_assert_int_eq(hsi_price_tree_open(&pb, 7, &b), HS_OK);
    while (!hsi_price_tree_ended(b)) {
        stop = stop_after_seconds(&settings, 0.02);
        ck_assert_int_eq(hsi_price_tree_continue(b, 7.92025, &stop), HS_OK); /* 7.92105: optimum */
        ck_assert_double_ge(hsi_price_tree_bound(b), before);
        before = hsi_price_tree_bound(b);
    }
    ck_assert_ptr_null(hsi_price_tree_found_assignment(b));
    ck_assert_double_ge(before, 7.92025);
    for (i = 0; i < hsi_price_tree_leaves(b); i++) {
        const hsi_price_tree_node *leaf = &hsi_price_tree_nodes_of(b)[i];
        double                 part = 1;

        for (j = 0; j < pb.n; j++)
            part *= leaf->type[j] == HSI_FREE ? 1 : 0.5;
        share += part;
        ck_assert_double_ge(leaf->bound, before);
    }
    ck_assert_double_eq(share, 1);
    hsi_price_tree_close(b);
    hsi_problem_close(&pb);
    hs_instance_free(in);
}
END_TEST

enum { ALIKE_KINDS = 3, ALIKE_TASKS = 30 };

/* Draw a problem with three kinds of ten tasks each. */
static hsi_problem draw_alike(hsi_random *r, double *cpu, double *gpu)
{
    hsi_problem pb = {.n = ALIKE_TASKS, .m = 3, .k = 2, .p = cpu, .q = gpu};
    size_t      i;

    for (i = 0; i < ALIKE_TASKS; i++) {
        cpu[i] = i < ALIKE_KINDS ? 1 + hsi_random_unit(r) : cpu[i - ALIKE_KINDS];
        gpu[i] = i < ALIKE_KINDS ? 0.5 + hsi_random_unit(r) : gpu[i - ALIKE_KINDS];
    }
    return pb;
}

/* Return true if the leaf contains a schedule that runs these numbers of tasks of each kind on
 * CPUs. */
static int leaf_contains_counts(const hsi_price_tree_node *leaf, const int on_cpu[ALIKE_KINDS])
{
    int least[ALIKE_KINDS] = {0}, most[ALIKE_KINDS] = {0}, kind, held = 1;
    int task;

    for (task = 0; task < ALIKE_TASKS; task++) {
        least[task % ALIKE_KINDS] += leaf->type[task] == HS_CPU;
        most[task % ALIKE_KINDS] += leaf->type[task] != HS_GPU;
    }
    for (kind = 0; kind < ALIKE_KINDS; kind++)
        held &= least[kind] <= on_cpu[kind] && on_cpu[kind] <= most[kind];
    return held;
}

/* Check, with equal tasks, that each number of tasks on CPUs belongs to exactly one leaf. */
START_TEST(each_count_is_in_one_leaf)
{
    enum { EACH = ALIKE_TASKS / ALIKE_KINDS + 1 };
    double      cpu[ALIKE_TASKS], gpu[ALIKE_TASKS];
    hs_settings settings;
    hsi_random  r;
    int         round, branched = 0;

    hs_settings_init(&settings);
    hsi_random_seed(&r, 8, 0);
    for (round = 0; round < 30; round++) {
        hsi_problem pb = draw_alike(&r, cpu, gpu);
        hsi_price_tree *b = NULL;
        int         vector;

        ck_assert_int_eq(hsi_price_tree_open(&pb, 1e-3, &b), HS_OK);
        while (hsi_price_tree_leaves(b) < 5 && !hsi_price_tree_ended(b) &&
               !hsi_price_tree_found_assignment(b)) {
            hsi_stop stop = stop_after_seconds(&settings, 0.02);

            ck_assert_int_eq(hsi_price_tree_continue(b, 100, &stop), HS_OK);
        }
        branched += hsi_price_tree_leaves(b) > 1;
        for (vector = 0; vector < EACH * EACH * EACH; vector++) {
            int    on_cpu[] = {vector % EACH, vector / EACH % EACH, vector / EACH / EACH};
            int    holders = 0;
            size_t i;

            for (i = 0; i < hsi_price_tree_leaves(b); i++)
                holders += leaf_contains_counts(&hsi_price_tree_nodes_of(b)[i], on_cpu);
            ck_assert_int_eq(holders, 1);
        }
        hsi_price_tree_close(b);
    }
    ck_assert_int_gt(branched, 5);
}
END_TEST

/* A finished tree may have the cutoff as its bound. Check that this bound meets the requested
 * gap in spite of rounding. */
START_TEST(bound_of_finished_tree_meets_the_gap)
{
    static const double gaps[] = {1e-11, 1e-9, 1e-4, 0.01, 1};
    hsi_random          r;
    size_t              i, round;

    hsi_random_seed(&r, 31, 0);
    for (round = 0; round < 20000; round++)
        for (i = 0; i < sizeof gaps / sizeof *gaps; i++) {
            double certified = ldexp(0.5 + hsi_random_unit(&r), (int)hsi_random_below(&r, 40) - 20);
            double cutoff = hsi_useful_makespan_limit(certified, gaps[i], i % 2 ? 0x1p-20 : 0);

            ck_assert_double_lt(cutoff, certified);
            ck_assert_double_ge(nextafter((1 + gaps[i]) * cutoff, 0), certified);
        }
}
END_TEST

enum { FULL = 1000, MOST_EACH = 4, MOST_FULL = 4 * MOST_EACH };

/* Draw a problem with a schedule in which every worker is busy to the last unit. */
static hsi_problem draw_full(hsi_random *r, double *times)
{
    hsi_problem pb = {.p = times, .q = times};
    unsigned    workers = 2 + (unsigned)hsi_random_below(r, 3);

    pb.m = 1 + (unsigned)hsi_random_below(r, workers - 1);
    pb.k = workers - pb.m;
    for (unsigned w = 0; w < workers; w++) {
        unsigned left = FULL;

        for (unsigned i = 1; i < MOST_EACH && left > 1; i++) {
            unsigned part = 1 + (unsigned)hsi_random_below(r, left - 1);

            times[pb.n++] = part;
            left -= part;
        }
        times[pb.n++] = left;
    }
    return pb;
}

/* Search for a schedule of full workers, for which capacities are rounded up: the tree must not
 * refute it, nor find a shorter one. */
START_TEST(full_workers_are_not_refuted)
{
    hs_settings settings;
    hsi_random  r;

    hs_settings_init(&settings);
    hsi_random_seed(&r, 5, 0);
    for (int round = 0; round < ROUNDS; round++) {
        double         times[MOST_FULL];
        uint64_t       worth[MOST_FULL];
        uint32_t       worker[MOST_FULL];
        hsi_problem    pb = draw_full(&r, times);
        hsi_stop       stop = stop_after_seconds(&settings, 5);
        hsi_refutation f = {
            .pb = &pb, .target = FULL, .worth = worth, .most_nodes = 100000, .worker = worker};
        hsi_verdict verdict;

        hsi_refute_scale_worths(pb.n, times, worth);
        ck_assert_int_eq(hsi_refutation_search(&f, &stop, &verdict), HS_OK);
        ck_assert_int_ne(verdict, HSI_REFUTED);
        if (verdict == HSI_FOUND)
            ck_assert_double_eq(makespan_of(&pb, worker), FULL);
        f.target = nextafter(FULL, 0);
        ck_assert_int_eq(hsi_refutation_search(&f, &stop, &verdict), HS_OK);
        ck_assert_int_eq(verdict, HSI_REFUTED);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("branch");
    TCase *tc = tcase_create("branch");

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, tree_ends_with_the_optimum, 0, 2);
    tcase_add_test(tc, each_schedule_is_in_one_leaf);
    tcase_add_test(tc, each_count_is_in_one_leaf);
    tcase_add_test(tc, full_workers_are_not_refuted);
    tcase_add_test(tc, bound_of_finished_tree_meets_the_gap);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
