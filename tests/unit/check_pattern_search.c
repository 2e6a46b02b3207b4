/* SPDX-License-Identifier: BSD-3-Clause */

/* The checker's search through patterns, and its parts, against trying everything. */

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "check/most.h"
#include "check/patterns.h"
#include "dice.h"

enum { MOST_KINDS = 4, MOST_TASKS = 9, MOST_WORKERS = 4, ROUNDS = 3000 };

/* Tasks of few kinds, small enough for trying everything. */
typedef struct draw {
    pattern_kind kind[MOST_KINDS];
    size_t       kinds;
    unsigned     workers[2];
    int          tasks[MOST_TASKS]; /* the kind of each */
    size_t       count;
} draw;

static const int64_t never = 1000; /* a weight that no capacity here has room for */

static void make(draw *i, dice *d)
{
    memset(i, 0, sizeof *i);
    i->kinds = dice_between(d, 1, MOST_KINDS);
    i->count = dice_between(d, 1, MOST_TASKS);
    i->workers[0] = dice_below(d, MOST_WORKERS);
    i->workers[1] = dice_between(d, i->workers[0] == 0, MOST_WORKERS - i->workers[0]);
    for (size_t k = 0; k < i->kinds; k++) {
        for (int type = 0; type < 2; type++)
            i->kind[k].weight[type] = i->workers[type] ? dice_between(d, 1, 12) : never;
        if (i->workers[0] && i->workers[1] && dice_below(d, 5) == 0)
            i->kind[k].weight[dice_below(d, 2)] = never;
        for (int w = 0; w < PATTERNS_WORTHS; w++)
            i->kind[k].worth[w] = dice_below(d, 3) ? dice_below(d, 20) : 0;
    }
    for (size_t t = 0; t < i->count; t++) {
        i->tasks[t] = (int)dice_below(d, (unsigned)i->kinds);
        i->kind[i->tasks[t]].count++;
    }
}

static void place(const draw *i, size_t task, int64_t load[2 * MOST_WORKERS], int64_t *optimum)
{
    unsigned all = i->workers[0] + i->workers[1];
    int64_t  makespan = 0;

    for (unsigned w = 0; w < all; w++)
        makespan = load[w] > makespan ? load[w] : makespan;
    if (makespan >= *optimum)
        return;
    if (task == i->count) {
        *optimum = makespan;
        return;
    }
    for (unsigned w = 0; w < all; w++) {
        int64_t weight = (int64_t)i->kind[i->tasks[task]].weight[w >= i->workers[0]];

        load[w] += weight;
        place(i, task + 1, load, optimum);
        load[w] -= weight;
    }
}

static int64_t optimum_of(const draw *i)
{
    int64_t load[2 * MOST_WORKERS] = {0}, optimum = never;

    place(i, 0, load, &optimum);
    return optimum;
}

/* Worth of the best set that fits on one worker. */
static int64_t best_set(const draw *i, int type, int w, int64_t capacity)
{
    int64_t best = 0;

    for (unsigned set = 0; set < 1u << i->count; set++) {
        int64_t weight = 0, worth = 0;

        for (size_t t = 0; t < i->count; t++)
            if (set >> t & 1) {
                weight += (int64_t)i->kind[i->tasks[t]].weight[type];
                worth += i->kind[i->tasks[t]].worth[w];
            }
        if (weight <= capacity && worth > best)
            best = worth;
    }
    return best;
}

static search_verdict search_in(const draw *i, int listed, int64_t capacity, uint64_t most_nodes,
                                uint64_t *nodes)
{
    pattern_search s = {.kinds = i->kinds,
                        .kind = i->kind,
                        .workers = {i->workers[0], i->workers[1]},
                        .capacity = capacity,
                        .listed = listed,
                        .most_nodes = most_nodes};
    search_verdict verdict;

    for (int w = 0; w < PATTERNS_WORTHS; w++)
        s.most[w] = best_set(i, !listed, w, capacity);
    verdict = patterns_refute(&s);
    *nodes = s.nodes;
    return verdict;
}

START_TEST(finds_what_there_is_and_nothing_else)
{
    dice d = {1};

    for (int round = 0; round < ROUNDS; round++) {
        draw     i;
        int64_t  optimum;
        uint64_t nodes;
        int      listed = round % 2;

        make(&i, &d);
        optimum = optimum_of(&i);
        ck_assert_int_lt(optimum, never);
        ck_assert_int_eq(search_in(&i, listed, optimum, 1000000, &nodes), SEARCH_FOUND);
        ck_assert_int_eq(search_in(&i, listed, optimum + dice_below(&d, 9), 1000000, &nodes),
                         SEARCH_FOUND);
        ck_assert_int_eq(search_in(&i, listed, optimum - 1, 1000000, &nodes), SEARCH_REFUTED);
        ck_assert_int_eq(search_in(&i, listed, dice_below(&d, (unsigned)optimum), 1000000, &nodes),
                         SEARCH_REFUTED);
    }
}
END_TEST

/* With fewer nodes than it takes nothing is said to be refuted. */
START_TEST(gives_up_when_it_is_told_to)
{
    dice   d = {2};
    size_t given_up = 0;

    for (int round = 0; round < ROUNDS; round++) {
        draw     i;
        uint64_t nodes, fewer;

        make(&i, &d);
        ck_assert_int_eq(search_in(&i, round % 2, optimum_of(&i) - 1, 1000000, &nodes),
                         SEARCH_REFUTED);
        if (nodes == 0)
            continue;
        ck_assert_int_eq(search_in(&i, round % 2, optimum_of(&i) - 1, nodes - 1, &fewer),
                         SEARCH_TOO_HARD);
        ck_assert_uint_le(fewer, nodes);
        given_up++;
    }
    ck_assert_uint_gt(given_up, ROUNDS / 10);
}
END_TEST

/* A search that would not end in a lifetime; sets of tasks that no 64 bits could number. */
START_TEST(large_ones_are_given_up)
{
    pattern_kind   kind[SHARE_MOST_KINDS];
    pattern_search s = {.kinds = SHARE_MOST_KINDS,
                        .kind = kind,
                        .workers = {12, 30},
                        .capacity = 100000,
                        .most = {1, 1, 1},
                        .most_nodes = 1000000};
    dice           d = {3};

    for (size_t k = 0; k < s.kinds; k++)
        kind[k] = (pattern_kind){
            {dice_between(&d, 20000, 30000), dice_between(&d, 9000, 11000)}, 50, {0, 0, 0}};
    ck_assert_int_eq(patterns_refute(&s), SEARCH_TOO_HARD);
    ck_assert_uint_le(s.nodes, s.most_nodes + 1);
    for (size_t k = 0; k < s.kinds; k++)
        kind[k].weight[0] = dice_between(&d, 2000, 3000); /* too many patterns */
    ck_assert_int_eq(patterns_refute(&s), SEARCH_TOO_HARD);
    for (size_t k = 0; k < s.kinds; k++)
        kind[k].count = 1000;
    ck_assert_int_eq(patterns_refute(&s), SEARCH_TOO_HARD);
    for (size_t k = 0; k < s.kinds; k++)
        kind[k] = (pattern_kind){{1, 1}, 1, {INT64_C(1) << 60, 0, 0}}; /* no sum could be held */
    ck_assert_int_eq(patterns_refute(&s), SEARCH_TOO_HARD);
    kind[0] = (pattern_kind){{1, 0}, 1, {0, 0, 0}};
    s.kinds = 1;
    ck_assert_int_eq(patterns_refute(&s), SEARCH_TOO_HARD);
    kind[0] = (pattern_kind){{60000, 60000}, 1000000, {0, 0, 0}}; /* a frame for each worker */
    s.workers[1] = 1000000;
    ck_assert_int_eq(patterns_refute(&s), SEARCH_TOO_HARD);
}
END_TEST

static knapsack_verdict check_most(const draw *i, int type, int64_t capacity, int64_t most)
{
    most_kind kinds[MOST_KINDS];
    uint64_t  nodes = 0;

    for (size_t k = 0; k < i->kinds; k++)
        kinds[k] =
            (most_kind){(int64_t)i->kind[k].weight[type], i->kind[k].worth[0], i->kind[k].count};
    return most_check(kinds, i->kinds, capacity, most, &nodes);
}

START_TEST(most_is_what_the_best_set_is_worth)
{
    dice d = {4};

    for (int round = 0; round < ROUNDS; round++) {
        draw    i;
        int     type = round % 2;
        int64_t capacity = dice_below(&d, 60), best;

        make(&i, &d);
        best = best_set(&i, type, 0, capacity);
        ck_assert_int_eq(check_most(&i, type, capacity, best), KNAPSACK_HOLDS);
        ck_assert_int_eq(check_most(&i, type, capacity, best + dice_below(&d, 9)), KNAPSACK_HOLDS);
        if (best)
            ck_assert_int_eq(check_most(&i, type, capacity, best - 1), KNAPSACK_FAILS);
    }
}
END_TEST

/* A certificate may ask for many: what they take is added up. */
START_TEST(all_of_them_together_are_limited)
{
    most_kind     kind = {3, 5, 10};
    knapsack_item item[] = {{5, 10}, {5, 10}, {5, 10}};
    uint64_t      nodes = 0, work = 0;

    ck_assert_int_eq(most_check(&kind, 1, 7, 10, &nodes), KNAPSACK_HOLDS);
    ck_assert_uint_gt(nodes, 0);
    nodes = UINT64_C(1) << 28;
    ck_assert_int_eq(most_check(&kind, 1, 7, 10, &nodes), KNAPSACK_TOO_HARD);
    ck_assert_int_eq(knapsack_check(item, 3, 8, 15, &work), KNAPSACK_HOLDS);
    ck_assert_uint_gt(work, 3);
    work = UINT64_C(1) << 32;
    ck_assert_int_eq(knapsack_check(item, 3, 8, 15, &work), KNAPSACK_TOO_HARD);
}
END_TEST

int main(void)
{
    Suite   *suite = suite_create("pattern search");
    TCase   *cases = tcase_create("all");
    SRunner *runner;
    int      failed;

    tcase_set_timeout(cases, 900);
    tcase_add_test(cases, finds_what_there_is_and_nothing_else);
    tcase_add_test(cases, gives_up_when_it_is_told_to);
    tcase_add_test(cases, large_ones_are_given_up);
    tcase_add_test(cases, most_is_what_the_best_set_is_worth);
    tcase_add_test(cases, all_of_them_together_are_limited);
    suite_add_tcase(suite, cases);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
