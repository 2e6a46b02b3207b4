/* SPDX-License-Identifier: BSD-3-Clause */

/* The checker's verification of knapsacks and packings, compared with enumeration. */

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "check/knapsack.h"
#include "check/packing.h"

#include "dice.h"
#include "suite.h"

enum { MOST_KINDS = 4, MOST_TASKS = 9, MOST_WORKERS = 4, ROUNDS = 3000 };

/* Tasks of few kinds, few enough for enumeration. */
typedef struct draw {
    size_t       kinds, count;
    packing_kind kind[MOST_KINDS];
    int64_t      worth[MOST_KINDS];
    int          tasks[MOST_TASKS]; /* kind of each task */
} draw;

static const limits plenty = {0, 1 << 20, 1 << 20};

static void draw_claim(draw *i, dice *d)
{
    memset(i, 0, sizeof *i);
    i->kinds = dice_between(d, 1, MOST_KINDS);
    i->count = dice_between(d, 1, MOST_TASKS);
    for (size_t k = 0; k < i->kinds; k++) {
        i->kind[k].weight = dice_between(d, 1, 12);
        i->worth[k] = dice_below(d, 3) ? dice_below(d, 20) : 0;
    }
    for (size_t t = 0; t < i->count; t++) {
        i->tasks[t] = (int)dice_below(d, (unsigned)i->kinds);
        i->kind[i->tasks[t]].count++;
    }
}

static int64_t weight_of(const draw *i, size_t task)
{
    return (int64_t)i->kind[i->tasks[task]].weight;
}

static void place_task(const draw *i, size_t task, unsigned workers, int64_t *load,
                       int64_t *optimum)
{
    int64_t makespan = 0;

    for (unsigned w = 0; w < workers; w++)
        makespan = load[w] > makespan ? load[w] : makespan;
    if (makespan >= *optimum)
        return;
    if (task == i->count) {
        *optimum = makespan;
        return;
    }
    for (unsigned w = 0; w < workers; w++) {
        load[w] += weight_of(i, task);
        place_task(i, task + 1, workers, load, optimum);
        load[w] -= weight_of(i, task);
    }
}

static int64_t optimum_of(const draw *i, unsigned workers)
{
    int64_t load[MOST_WORKERS] = {0}, optimum = INT64_MAX;

    place_task(i, 0, workers, load, &optimum);
    return optimum;
}

static verdict check_packing_claim(const draw *i, unsigned workers, int64_t capacity,
                                   limits *step_limits)
{
    packing_kind kind[MOST_KINDS];
    limits       enough = plenty;
    size_t       kinds = 0;

    for (size_t k = 0; k < i->kinds; k++)
        if (i->kind[k].count > 0)
            kind[kinds++] = i->kind[k];
    return packing_check(kind, kinds, workers, capacity, step_limits ? step_limits : &enough);
}

START_TEST(packing_claims_hold_exactly_below_the_optimum)
{
    dice d = {1};

    for (int round = 0; round < ROUNDS; round++) {
        draw     i;
        unsigned workers = dice_between(&d, 1, MOST_WORKERS);
        int64_t  optimum;

        draw_claim(&i, &d);
        optimum = optimum_of(&i, workers);
        ck_assert_int_eq(check_packing_claim(&i, workers, optimum, NULL), FAILS);
        ck_assert_int_eq(check_packing_claim(&i, workers, optimum + dice_below(&d, 9), NULL),
                         FAILS);
        ck_assert_int_eq(check_packing_claim(&i, workers, optimum - 1, NULL), HOLDS);
        ck_assert_int_eq(check_packing_claim(&i, workers, dice_below(&d, (unsigned)optimum), NULL),
                         HOLDS);
        ck_assert_int_eq(check_packing_claim(&i, 0, optimum, NULL), HOLDS);
    }
}
END_TEST

/* A packing claim is not accepted with fewer steps than its verification takes. */
START_TEST(packing_claims_end_at_the_step_limit)
{
    dice   d = {2};
    size_t given_up = 0;

    for (int round = 0; round < ROUNDS; round++) {
        draw     i;
        unsigned workers = dice_between(&d, 1, MOST_WORKERS);
        int64_t  capacity;
        limits   l = plenty;

        draw_claim(&i, &d);
        capacity = optimum_of(&i, workers) - 1;
        ck_assert_int_eq(check_packing_claim(&i, workers, capacity, &l), HOLDS);
        if (l.work == 0)
            continue;
        l.most_work = l.work - 1;
        l.work = 0;
        ck_assert_int_eq(check_packing_claim(&i, workers, capacity, &l), TOO_MUCH);
        given_up++;
    }
    ck_assert_uint_gt(given_up, ROUNDS / 20);
}
END_TEST

/* Claims with too many workers are refused: the verifier's stack has no room for a frame per
 * worker and kind. */
START_TEST(packing_claims_of_too_many_workers_are_refused)
{
    packing_kind kind[2] = {{7, 1000000}, {5, 1000000}};
    limits       l = plenty;

    ck_assert_int_eq(packing_check(kind, 2, 1000000, 11, &l), TOO_MUCH);
}
END_TEST

/* Return the value of the best set of items that fits into the capacity. */
static int64_t best_set(const draw *i, int64_t capacity)
{
    int64_t best = 0;

    for (unsigned set = 0; set < 1u << i->count; set++) {
        int64_t weight = 0, worth = 0;

        for (size_t t = 0; t < i->count; t++)
            if (set >> t & 1) {
                weight += weight_of(i, t);
                worth += i->worth[i->tasks[t]];
            }
        if (weight <= capacity && worth > best)
            best = worth;
    }
    return best;
}

static verdict check_knapsack_claim(const draw *i, int64_t capacity, int64_t most_value,
                                    limits *step_limits)
{
    knapsack_item item[MOST_TASKS];
    limits        enough = plenty;

    for (size_t t = 0; t < i->count; t++)
        item[t] = (knapsack_item){weight_of(i, t), i->worth[i->tasks[t]]};
    return knapsack_check(item, i->count, capacity, most_value,
                          step_limits ? step_limits : &enough);
}

START_TEST(knapsack_claims_hold_exactly_from_the_best_set_on)
{
    dice d = {4};

    for (int round = 0; round < ROUNDS; round++) {
        draw    i;
        int64_t capacity = dice_below(&d, 60), best;

        draw_claim(&i, &d);
        best = best_set(&i, capacity);
        ck_assert_int_eq(check_knapsack_claim(&i, capacity, best, NULL), HOLDS);
        ck_assert_int_eq(check_knapsack_claim(&i, capacity, best + dice_below(&d, 9), NULL), HOLDS);
        if (best)
            ck_assert_int_eq(check_knapsack_claim(&i, capacity, best - 1, NULL), FAILS);
    }
}
END_TEST

START_TEST(knapsack_claims_end_at_the_step_limit)
{
    knapsack_item item[40];
    limits        few_steps = {0, 1000, 1 << 20}, few_states = {0, 1 << 20, 100};
    dice          d = {5};

    for (size_t i = 0; i < 40;
         i++) { /* the value of an item equals its weight: a set's value is its weight */
        item[i].weight = 2 * dice_between(&d, 1 << 20, 1 << 21);
        item[i].worth = item[i].weight;
    }
    ck_assert_int_eq(knapsack_check(item, 40, (1 << 25) + 1, 1 << 25, &few_steps), TOO_MUCH);
    ck_assert_int_eq(knapsack_check(item, 40, (1 << 25) + 1, 1 << 25, &few_states), TOO_MUCH);
    ck_assert_uint_lt(few_states.work, 10000);
}
END_TEST

/* A certificate may claim many leaves: the steps of all leaves count toward one limit. */
START_TEST(sum_of_steps_is_limited)
{
    knapsack_item item[] = {{5, 10}, {5, 10}, {5, 10}};
    packing_kind  kind = {3, 5};
    limits        l = plenty;
    uint64_t      before;

    ck_assert_int_eq(knapsack_check(item, 3, 8, 15, &l), HOLDS);
    before = l.work;
    ck_assert_uint_gt(before, 3);
    ck_assert_int_eq(packing_check(&kind, 1, 2, 8, &l), HOLDS);
    ck_assert_uint_gt(l.work, before);
    l.work = l.most_work;
    ck_assert_int_eq(packing_check(&kind, 1, 2, 8, &l), TOO_MUCH);
    ck_assert_int_eq(knapsack_check(item, 3, 8, 15, &l), TOO_MUCH);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("claims");
    TCase *cases = tcase_create("all");

    tcase_set_timeout(cases, 900);
    tcase_add_test(cases, packing_claims_hold_exactly_below_the_optimum);
    tcase_add_test(cases, packing_claims_end_at_the_step_limit);
    tcase_add_test(cases, packing_claims_of_too_many_workers_are_refused);
    tcase_add_test(cases, knapsack_claims_hold_exactly_from_the_best_set_on);
    tcase_add_test(cases, knapsack_claims_end_at_the_step_limit);
    tcase_add_test(cases, sum_of_steps_is_limited);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
