/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What multipliers prove of a node of the assignment MIP, against the same in arithmetic that
 * does not round: nothing may come out above it, in the last bit either.
 */

#include <check.h>
#include <math.h>

#include "solver/model.h"
#include "support/random.h"

#include "suite.h"

enum { MOST_ROWS = 4, ROUNDS = 20000 };

__extension__ typedef __float128 wide; /* 113 bits: products are exact, and sums of few are nearly */

/* The least cost of all copies over the multipliers' weights; both types are open to all rows. */
static wide least_cost(const hsi_model *model)
{
    wide     cost = 0, weight = 0;
    size_t   i;
    unsigned g;

    for (i = 0; i < model->rows->n; i++) {
        wide least = INFINITY;

        for (g = 0; g < model->groups; g++) {
            wide one = (wide)model->multiplier[g] * hsi_model_time(model, i, g);

            least = one < least ? one : least;
        }
        cost += least * hsi_count(model->rows, i);
    }
    for (g = 0; g < model->groups; g++)
        weight += (wide)model->multiplier[g] * hsi_model_weight(model, g);
    return cost / weight;
}

/* Costs that are equal but for rounding, half of the time: then the wrong type may be chosen. */
static double draw_gpu_time(hsi_random *r, double cpu, const double multiplier[2])
{
    return hsi_random_below(r, 2) ? multiplier[0] * cpu / multiplier[1]
                                  : 0.1 + hsi_random_unit(r);
}

START_TEST(multipliers_prove_no_more_than_they_do)
{
    hsi_random r;
    int        round, close = 0;

    hsi_random_seed(&r, 44, (uint64_t)_i);
    for (round = 0; round < ROUNDS; round++) {
        double      p[MOST_ROWS], q[MOST_ROWS];
        uint32_t    count[MOST_ROWS];
        double      multiplier[2] = {0.1 + hsi_random_unit(&r), 0.1 + hsi_random_unit(&r)};
        hsi_problem pb = {.n = 1 + hsi_random_below(&r, MOST_ROWS), .p = p, .q = q};
        hsi_model   model;
        wide        most;
        size_t      i;

        pb.m = 1 + (unsigned)hsi_random_below(&r, 7);
        pb.k = 1 + (unsigned)hsi_random_below(&r, 7);
        pb.count = _i ? count : NULL;
        for (i = 0; i < pb.n; i++) {
            p[i] = 0.1 + hsi_random_unit(&r);
            q[i] = draw_gpu_time(&r, p[i], multiplier);
            count[i] = 1 + (uint32_t)hsi_random_below(&r, 5);
        }
        ck_assert_int_eq(hsi_model_open(&model, &pb, HSI_GROUP_A_TYPE, 1.5), HS_OK);
        model.multiplier[0] = multiplier[0];
        model.multiplier[1] = multiplier[1];
        most = least_cost(&model);
        ck_assert((wide)hsi_model_prove(&model) <= most);
        ck_assert((wide)hsi_model_estimate(&model) <= most);
        close += (wide)hsi_model_prove(&model) >= most * (1 - 0x1p-48);
        hsi_model_close(&model);
    }
    ck_assert_int_gt(close, ROUNDS * 9 / 10);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model");
    TCase *tc = tcase_create("bounds");

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, multipliers_prove_no_more_than_they_do, 0, 2);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
