/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What multipliers prove of a node of the assignment MIP, against the same in arithmetic that
 * does not round: nothing may come out above it, in the last bit either.
 */

#include <check.h>
#include <math.h>
#include <string.h>

#include "glpk/model.h"
#include "support/random.h"

#include "suite.h"

enum { MOST_ROWS = 4, MOST_GROUPS = 5, ROUNDS = 20000 };

static const hsi_grouping groupings[] = {HSI_GROUP_A_TYPE, HSI_GROUP_A_WORKER};

__extension__ typedef __float128
    wide; /* 113 bits: products are exact, and sums of few are nearly */

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
    return hsi_random_below(r, 2) ? multiplier[0] * cpu / multiplier[1] : 0.1 + hsi_random_unit(r);
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

/* Nodes: ranges of cells, drawn about what is feasible, and multipliers of which some are 0. */
static void draw_node(hsi_random *r, hsi_model *model)
{
    size_t cell, cells = model->rows->n * model->groups;

    for (cell = 0; cell < cells; cell++) {
        uint32_t most = model->most[cell];

        model->upper[cell] = most - (uint32_t)hsi_random_below(r, most / 2 + 1);
        model->lower[cell] = hsi_random_below(r, 4) ? 0 : (uint32_t)hsi_random_below(r, most + 1);
        if (model->lower[cell] > model->upper[cell])
            model->lower[cell] = model->upper[cell];
    }
    for (unsigned g = 0; g < model->groups; g++)
        model->multiplier[g] = hsi_random_below(r, 6) ? hsi_random_unit(r) : 0;
}

typedef struct ways {
    const hsi_model *model;
    size_t           row;
    uint32_t         least[MOST_GROUPS]; /* that any way to place the row has there */
    wide             cost;               /* the cheapest way's; INFINITY: there is none */
} ways;

/* All ways to place `rest` copies of the row on the groups from g on. */
static void enumerate(ways *w, unsigned g, uint32_t rest, uint32_t *placed, wide cost)
{
    const hsi_model *model = w->model;
    size_t           cell = w->row * model->groups + g;

    if (g == model->groups) {
        if (rest)
            return;
        w->cost = cost < w->cost ? cost : w->cost;
        for (g = 0; g < model->groups; g++)
            w->least[g] = placed[g] < w->least[g] ? placed[g] : w->least[g];
        return;
    }
    for (uint32_t x = model->lower[cell]; x <= model->upper[cell] && x <= rest; x++) {
        placed[g] = x;
        enumerate(w, g + 1, rest - x, placed,
                  cost + (wide)model->multiplier[g] * hsi_model_time(model, w->row, g) * x);
    }
}

/* What all ways have in common: a cost at least, loads at least, times of which some is needed. */
static wide node_bound(const hsi_model *model)
{
    wide cost = 0, weight = 0, bound = 0, load[MOST_GROUPS] = {0};

    for (size_t i = 0; i < model->rows->n; i++) {
        ways     w = {.model = model, .row = i, .cost = INFINITY};
        uint32_t placed[MOST_GROUPS];

        memset(w.least, 0xff, sizeof w.least);
        enumerate(&w, 0, hsi_count(model->rows, i), placed, 0);
        if (w.cost == INFINITY)
            return INFINITY;
        cost += w.cost;
        for (unsigned g = 0; g < model->groups; g++) {
            load[g] += (wide)hsi_model_time(model, i, g) * w.least[g];
            if (w.least[g] && hsi_model_time(model, i, g) > bound)
                bound = hsi_model_time(model, i, g);
        }
    }
    for (unsigned g = 0; g < model->groups; g++) {
        wide alone = load[g] / hsi_model_weight(model, g);

        weight += (wide)model->multiplier[g] * hsi_model_weight(model, g);
        bound = alone > bound ? alone : bound;
    }
    return weight > 0 && cost / weight > bound ? cost / weight : bound;
}

static hsi_problem draw_rows(hsi_random *r, double *p, double *q, uint32_t *count)
{
    hsi_problem pb = {.n = 1 + hsi_random_below(r, MOST_ROWS), .p = p, .q = q, .count = count};

    pb.m = (unsigned)hsi_random_below(r, 4);
    pb.k = pb.m ? (unsigned)hsi_random_below(r, 3) : 1;
    for (size_t i = 0; i < pb.n; i++) {
        p[i] = 0.1 + hsi_random_unit(r);
        q[i] = 0.1 + hsi_random_unit(r);
        count[i] = 1 + (uint32_t)hsi_random_below(r, 5);
    }
    return pb;
}

START_TEST(nodes_prove_what_all_their_solutions_have_in_common)
{
    hsi_random r;
    int        empty = 0;

    hsi_random_seed(&r, 45, (uint64_t)_i);
    for (int round = 0; round < ROUNDS; round++) {
        double      p[MOST_ROWS], q[MOST_ROWS];
        uint32_t    count[MOST_ROWS];
        hsi_problem pb = draw_rows(&r, p, q, count);
        hsi_model   model;
        wide        most;

        ck_assert_int_eq(hsi_model_open(&model, &pb, groupings[_i], 1.5), HS_OK);
        draw_node(&r, &model);
        most = node_bound(&model);
        empty += most == INFINITY;
        ck_assert((wide)hsi_model_prove(&model) <= most);
        ck_assert((wide)hsi_model_prove(&model) >= most * (1 - 0x1p-48));
        ck_assert((wide)hsi_model_estimate(&model) <= most);
        hsi_model_close(&model);
    }
    ck_assert_int_gt(empty, ROUNDS / 50);
    ck_assert_int_lt(empty, ROUNDS / 2);
}
END_TEST

/* Shares of a row's copies, as an LP might place them. */
static void draw_shares(hsi_random *r, hsi_model *model)
{
    for (size_t i = 0; i < model->rows->n; i++) {
        double weight[MOST_GROUPS], sum = 0;

        for (unsigned g = 0; g < model->groups; g++)
            sum += weight[g] = hsi_random_below(r, 3) ? hsi_random_unit(r) : 1e-9;
        for (unsigned g = 0; g < model->groups; g++)
            model->share[i * model->groups + g] = hsi_count(model->rows, i) * weight[g] / sum;
    }
}

START_TEST(rounding_keeps_whole_shares_and_measures_what_it_gives)
{
    hsi_random r;

    hsi_random_seed(&r, 46, (uint64_t)_i);
    for (int round = 0; round < ROUNDS; round++) {
        double      p[MOST_ROWS], q[MOST_ROWS], found;
        uint32_t    count[MOST_ROWS];
        hsi_problem pb = draw_rows(&r, p, q, count);
        hsi_model   model;
        wide        longest = 0, load[MOST_GROUPS] = {0};

        ck_assert_int_eq(hsi_model_open(&model, &pb, groupings[_i], 1.5), HS_OK);
        draw_shares(&r, &model);
        found = hsi_model_round(&model);
        for (size_t i = 0; i < pb.n; i++) {
            uint32_t sum = 0;

            for (unsigned g = 0; g < model.groups; g++) {
                uint32_t amount = model.amount[i * model.groups + g];

                ck_assert_uint_ge(amount, (uint32_t)model.share[i * model.groups + g]);
                sum += amount;
                load[g] += (wide)hsi_model_time(&model, i, g) * amount;
                if (amount && hsi_model_time(&model, i, g) > longest)
                    longest = hsi_model_time(&model, i, g);
            }
            ck_assert_uint_eq(sum, count[i]);
        }
        for (unsigned g = 0; g < model.groups; g++)
            if (load[g] / hsi_model_weight(&model, g) > longest)
                longest = load[g] / hsi_model_weight(&model, g);
        ck_assert((wide)found <= longest);
        ck_assert((wide)found >= longest * (1 - 0x1p-48));
        hsi_model_close(&model);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model");
    TCase *tc = tcase_create("bounds");

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, multipliers_prove_no_more_than_they_do, 0, 2);
    tcase_add_loop_test(tc, nodes_prove_what_all_their_solutions_have_in_common, 0, 2);
    tcase_add_loop_test(tc, rounding_keeps_whole_shares_and_measures_what_it_gives, 0, 2);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
