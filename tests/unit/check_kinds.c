/* SPDX-License-Identifier: BSD-3-Clause */

/* The search by kinds, compared with optima found by enumeration. */

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

#include "bound/capacity_search.h"
#include "bound/kinds/state.h"
#include "refine/kinds_gap.h"
#include "support/random.h"

#include "small_optimum.h"
#include "suite.h"

enum { MOST_TASKS = 10, MOST_WORKERS = OPTIMUM_WORKERS, ROUNDS = 1500 };

static double p[MOST_TASKS], q[MOST_TASKS];

/* Draw a time. Sums of these times are exact, so that loads can be compared. */
static double draw_time(hsi_random *r, bool whole)
{
    return whole ? 1 + (double)hsi_random_below(r, 12)
                 : 0.5 + (double)hsi_random_below(r, 1 << 20) * 0x1p-18;
}

static hsi_problem draw_problem(hsi_random *r)
{
    hsi_problem pb = {.n = 1 + hsi_random_below(r, MOST_TASKS), .p = p, .q = q};
    double      kind[3][2];
    size_t      kinds = 1 + hsi_random_below(r, 3), i;
    bool        whole = hsi_random_below(r, 2) != 0;

    pb.m = (unsigned)hsi_random_below(r, MOST_WORKERS);
    pb.k = (unsigned)hsi_random_below(r, MOST_WORKERS - pb.m);
    pb.m += pb.m + pb.k == 0;
    for (i = 0; i < kinds; i++) {
        kind[i][HS_CPU] = draw_time(r, whole);
        kind[i][HS_GPU] = draw_time(r, whole);
        if (pb.m && pb.k && hsi_random_below(r, 5) == 0)
            kind[i][hsi_random_below(r, 2)] = INFINITY;
    }
    for (i = 0; i < pb.n; i++) {
        const double *of = kind[hsi_random_below(r, kinds)];

        p[i] = pb.m ? of[HS_CPU] : INFINITY;
        q[i] = pb.k ? of[HS_GPU] : INFINITY;
    }
    return pb;
}

static hsi_stop no_limit(const hs_settings *settings)
{
    return hsi_stop_after(settings, INFINITY);
}

static hsi_verdict search_by_kinds(hsi_kinds *kd, const hsi_problem *pb, double target, int flip)
{
    uint32_t        worker[MOST_TASKS];
    hs_settings     settings;
    hsi_stop        stop;
    hsi_kinds_query query = {
        .target = target, .most_nodes = 10000000, .flip = flip, .worker = worker};
    hsi_verdict verdict;

    hs_settings_init(&settings);
    stop = no_limit(&settings);
    ck_assert_int_eq(hsi_kinds_test_target(kd, &query, &stop, &verdict), HS_OK);
    if (verdict == HSI_FOUND)
        ck_assert_double_le(makespan_of(pb, worker), target);
    return verdict;
}

START_TEST(verdicts_equal_brute_force)
{
    hsi_random r;
    int        round;

    hsi_random_seed(&r, 11, 0);
    for (round = 0; round < ROUNDS; round++) {
        hsi_problem pb = draw_problem(&r);
        double      optimum = optimum_of(&pb), worth[MOST_TASKS];
        hsi_kinds  *kd = NULL;
        int         values, flip = round % 2;
        size_t      i;

        ck_assert_int_eq(hsi_kinds_open(&pb, &kd), HS_OK);
        for (values = 0; values < 4; values++) { /* try without values of tasks, and with any
                                                    values */
            ck_assert_int_eq(search_by_kinds(kd, &pb, optimum, flip), HSI_FOUND);
            ck_assert_int_eq(search_by_kinds(kd, &pb, nextafter(optimum, 0), flip), HSI_REFUTED);
            ck_assert_int_eq(search_by_kinds(kd, &pb, optimum * (1 + hsi_random_unit(&r)), flip),
                             HSI_FOUND);
            ck_assert_int_eq(
                search_by_kinds(kd, &pb, optimum * (1e-3 + 0.99 * hsi_random_unit(&r)), flip),
                HSI_REFUTED);
            for (i = 0; i < pb.n; i++)
                worth[i] = fmin(p[i], q[i]) * (1 + (values > 1 ? p[i] < 3 : 0));
            hsi_kinds_set_worths(kd, worth);
        }
        hsi_kinds_close(kd);
    }
}
END_TEST

/*
 * Cells of 2^-50 are coarser than the times: 6144 tasks of 1 + 2^-52 take 6144 + 1.5 * 2^-40, which the
 * target rounds up. A part of a cell must not count as a cell.
 */
START_TEST(parts_of_cells_do_not_refute)
{
    enum { TASKS = 6144 };
    static double   time[TASKS];
    static uint32_t worker[TASKS];
    hsi_problem     pb = {.n = TASKS, .m = 1, .p = time, .q = time};
    hsi_kinds_query query = {
        .target = TASKS + 0x1p-39, .most_nodes = 10000000, .worker = worker};
    hs_settings settings;
    hsi_stop    stop;
    hsi_verdict verdict;
    hsi_kinds  *kd = NULL;

    hs_settings_init(&settings);
    stop = no_limit(&settings);
    for (size_t i = 0; i < pb.n; i++)
        time[i] = 1 + 0x1p-52;
    ck_assert_int_eq(hsi_kinds_open(&pb, &kd), HS_OK);
    ck_assert_int_eq(hsi_kinds_test_target(kd, &query, &stop, &verdict), HS_OK);
    ck_assert_int_eq(verdict, HSI_FOUND);
    query.target = nextafter(TASKS, 0);
    ck_assert_int_eq(hsi_kinds_test_target(kd, &query, &stop, &verdict), HS_OK);
    ck_assert_int_eq(verdict, HSI_REFUTED);
    hsi_kinds_close(kd);
}
END_TEST

/*
 * On a CPU 100,001 x 100,001 x 1,001 vectors of counts fit, of which one is maximal: the search
 * must not enumerate them. Rows stand for many tasks here.
 */
START_TEST(too_many_patterns_end_the_search)
{
    static const double cpu[] = {0x1p-10, 0x1p-11, 0x1p-12, INFINITY},
                        gpu[] = {INFINITY, INFINITY, INFINITY, 1000};
    static const uint32_t count[] = {100000, 100000, 1000, 5};
    const hsi_problem     pb = {.n = 4, .m = 2, .k = 2, .p = cpu, .q = gpu, .count = count};
    hs_settings           settings;
    hsi_stop              stop;
    hsi_kinds            *kd = NULL;
    int                   flip;

    hs_settings_init(&settings);
    stop = no_limit(&settings);
    ck_assert_int_eq(hsi_kinds_open(&pb, &kd), HS_OK);
    for (flip = 0; flip < 2; flip++) {
        hsi_kinds_query query = {.target = 2999, .most_nodes = 1000, .flip = flip};
        hsi_verdict     verdict;

        ck_assert_int_eq(hsi_kinds_test_target(kd, &query, &stop, &verdict), HS_OK);
        ck_assert_int_eq(verdict, HSI_REFUTED);
        ck_assert_int_eq(kd->coarse, HS_GPU);
        query.target = 3000;
        ck_assert_int_eq(hsi_kinds_test_target(kd, &query, &stop, &verdict), HS_OK);
        ck_assert_int_eq(verdict, HSI_FOUND);
    }
    hsi_kinds_close(kd);
}
END_TEST

START_TEST(gap_is_closed)
{
    hsi_random  r;
    hs_settings settings;
    hsi_stop    stop;
    int         round;

    hs_settings_init(&settings);
    stop = no_limit(&settings);
    hsi_random_seed(&r, 12, 0);
    for (round = 0; round < ROUNDS; round++) {
        hsi_problem    pb = draw_problem(&r);
        double      optimum = optimum_of(&pb), bound = 0.3 * optimum, longest = 2 * optimum;
        hsi_kinds_gap *gap = NULL;

        ck_assert_int_eq(hsi_kinds_gap_check_kinds(&pb), HS_OK);
        ck_assert_int_eq(hsi_kinds_gap_open(&pb, 0, &gap), HS_OK);
        while (bound < nextafter(longest, 0)) {
            hsi_kinds_gap_answer answer;

            ck_assert(!hsi_kinds_gap_ended(gap));
            ck_assert_int_eq(hsi_kinds_gap_test_target(gap, bound, longest, 0, &stop, &answer),
                             HS_OK);
            ck_assert(answer.target > bound && answer.target < longest);
            if (answer.verdict == HSI_FOUND)
                longest = makespan_of(&pb, answer.worker);
            else if (answer.verdict == HSI_REFUTED)
                bound = answer.target;
        }
        ck_assert_double_eq(longest, optimum);
        hsi_kinds_gap_close(gap);
    }
}
END_TEST

/* If rounding makes the search find the same schedule again and again, it must end. */
START_TEST(gap_left_by_rounding_ends_the_search)
{
    static const double cpu[] = {0.1, 0.2, 0.3}, gpu[] = {INFINITY, INFINITY, INFINITY};
    hsi_problem         pb = {.n = 3, .m = 1, .p = cpu, .q = gpu};
    hs_settings         settings;
    hsi_stop            stop;
    hsi_kinds_gap      *gap = NULL;
    int                 asked = 0;

    hs_settings_init(&settings);
    stop = no_limit(&settings);
    ck_assert_int_eq(hsi_kinds_gap_open(&pb, 0, &gap), HS_OK);
    while (!hsi_kinds_gap_ended(gap) && asked++ < 100) {
        hsi_kinds_gap_answer answer;

        ck_assert_int_eq(hsi_kinds_gap_test_target(gap, 0.5, 0.7, 0, &stop, &answer), HS_OK);
        if (answer.verdict == HSI_FOUND)
            ck_assert_uint_eq(answer.worker[2], 0);
    }
    ck_assert_int_lt(asked, 20);
    hsi_kinds_gap_close(gap);
}
END_TEST

/* Return true if the counts of tasks fit on identical workers, by enumeration of all
 * distributions. */
static bool can_fill(const hsi_capacity_search *f, unsigned workers, const uint32_t *count)
{
    uint32_t a, b, rest[2];

    if (workers == 0)
        return count[0] == 0 && count[1] == 0;
    for (a = 0; a <= count[0]; a++)
        for (b = 0; b <= count[1]; b++) {
            rest[0] = count[0] - a;
            rest[1] = count[1] - b;
            if (a * f->weight[0] + b * f->weight[1] <= f->capacity &&
                can_fill(f, workers - 1, rest))
                return true;
        }
    return false;
}

START_TEST(capacity_search_equals_brute_force)
{
    hsi_random  r;
    hs_settings settings;
    hsi_stop    stop;
    int         round, found = 0;

    hs_settings_init(&settings);
    stop = no_limit(&settings);
    hsi_random_seed(&r, 13, 0);
    for (round = 0; round < ROUNDS; round++) {
        uint32_t take[3 * 2],
            count[2] = {(uint32_t)hsi_random_below(&r, 7), (uint32_t)hsi_random_below(&r, 7)};
        int64_t  weight[2] = {5 + (int64_t)hsi_random_below(&r, 9),
                              1 + (int64_t)hsi_random_below(&r, 9)};
        unsigned workers = (unsigned)hsi_random_below(&r, 4), w;
        hsi_capacity_search fill = {.kinds = 2,
                                    .weight = weight,
                                    .most_nodes = 100000,
                                    .stop = &stop,
                                    .take = take,
                                    .capacity = 8 + (int64_t)hsi_random_below(&r, 40)};
        bool     can = can_fill(&fill, workers, count);

        ck_assert_int_eq(hsi_fits_capacity(&fill, workers, count),
                         can ? HSI_FOUND : HSI_REFUTED);
        for (w = 0; can && w < workers; w++) {
            ck_assert_int_le(take[2 * w] * weight[0] + take[2 * w + 1] * weight[1], fill.capacity);
            count[0] -= take[2 * w];
            count[1] -= take[2 * w + 1];
        }
        ck_assert(!can || (count[0] == 0 && count[1] == 0));
        found += can;
    }
    ck_assert_int_gt(found, ROUNDS / 5);
    ck_assert_int_lt(found, ROUNDS * 4 / 5);
}
END_TEST

/* A search that reaches its limit of nodes gives no verdict. */
START_TEST(stops_without_a_verdict)
{
    const hs_kernel_table *kernels = hs_kernel_table_find("v100-1600");
    hs_tiled spec = {sizeof spec, HS_QR, 8, kernels->cpus, kernels->gpus, 0, 0, kernels, 0};
    hs_instance           *in = NULL;
    hsi_problem            pb;
    hsi_kinds             *kd = NULL;
    hs_settings            settings;
    hsi_stop               stop;
    hsi_kinds_query        query = {.target = 578, .most_nodes = 50};
    hsi_verdict            verdict;

    hs_settings_init(&settings);
    stop = no_limit(&settings);
    ck_assert_int_eq(hs_generate_tiled(&spec, &in, NULL), HS_OK);
    ck_assert_int_eq(hsi_problem_of_tasks(in, NULL, &pb), HS_OK);
    query.worker = malloc(pb.n * sizeof *query.worker);
    ck_assert_ptr_nonnull(query.worker);
    ck_assert_int_eq(hsi_kinds_open(&pb, &kd), HS_OK);
    ck_assert_int_eq(hsi_kinds_test_target(kd, &query, &stop, &verdict), HS_OK);
    ck_assert_int_eq(verdict, HSI_STOPPED);
    ck_assert_uint_le(query.nodes, 50);
    hsi_kinds_close(kd);
    free(query.worker);
    hsi_problem_close(&pb);
    hs_instance_free(in);
}
END_TEST

START_TEST(many_kinds_are_refused)
{
    double      time[HSI_MOST_KINDS + 1];
    hsi_problem pb = {.n = HSI_MOST_KINDS + 1, .m = 1, .k = 1, .p = time, .q = time};
    hsi_kinds  *kd = NULL;
    size_t      i;

    for (i = 0; i < pb.n; i++)
        time[i] = (double)(i + 1);
    ck_assert_int_eq(hsi_kinds_open(&pb, &kd), HS_ETOOBIG);
    pb.n--;
    ck_assert_int_eq(hsi_kinds_open(&pb, &kd), HS_OK);
    hsi_kinds_close(kd);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kinds");
    TCase *tc = tcase_create("all");

    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, verdicts_equal_brute_force);
    tcase_add_test(tc, parts_of_cells_do_not_refute);
    tcase_add_test(tc, too_many_patterns_end_the_search);
    tcase_add_test(tc, gap_is_closed);
    tcase_add_test(tc, gap_left_by_rounding_ends_the_search);
    tcase_add_test(tc, capacity_search_equals_brute_force);
    tcase_add_test(tc, stops_without_a_verdict);
    tcase_add_test(tc, many_kinds_are_refused);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
