/* SPDX-License-Identifier: BSD-3-Clause */

/* The knapsack solver, compared with dynamic programming over the capacity and with enumeration of
 * all sets of items. */

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "bound/knapsack.h"
#include "support/random.h"

#include "suite.h"

enum { ROOM = 14, MOST_CAPACITY = 400, PLENTY = 1000000, ROUNDING = 4 };

static hsi_knapsack ks;
static hsi_random   rng;

static void open_knapsack(void)
{
    ck_assert_int_eq(hsi_knapsack_open(&ks, ROOM), HS_OK);
    hsi_random_seed(&rng, 17, 0);
}

static void close_knapsack(void)
{
    hsi_knapsack_close(&ks);
}

static int64_t draw_below(uint64_t bound)
{
    return (int64_t)hsi_random_below(&rng, bound);
}

/* Draw an item. The kinds 1 to 4 are hard for branch and bound; the others have independent
 * profits. */
static void draw_item(size_t i, int kind)
{
    ks.weight[i] = draw_below(kind == 0 ? 6 : 60);
    ks.limit[i] = (uint32_t)draw_below(kind % 2 ? 2 : 5);
    switch (kind) {
    case 1:
    case 2: /* subset sum */
        ks.profit[i] = ks.weight[i];
        break;
    case 3:
    case 4: /* strongly correlated */
        ks.profit[i] = ks.weight[i] + 10;
        break;
    default:
        ks.profit[i] = draw_below(50);
    }
}

static int64_t optimum_by_dynamic_programming(int64_t capacity)
{
    int64_t  best[MOST_CAPACITY + 1] = {0}, w;
    uint32_t copy;
    size_t   i;

    for (i = 0; i < ks.n; i++)
        for (copy = 0; copy < ks.limit[i]; copy++)
            for (w = capacity; w >= ks.weight[i]; w--)
                if (best[w - ks.weight[i]] + ks.profit[i] > best[w])
                    best[w] = best[w - ks.weight[i]] + ks.profit[i];
    return best[capacity];
}

static void check_set(int64_t capacity)
{
    int64_t weight = 0, profit = 0;
    size_t  i;

    for (i = 0; i < ks.n; i++) {
        ck_assert_uint_le(ks.take[i], ks.limit[i]);
        weight += ks.take[i] * ks.weight[i];
        profit += ks.take[i] * ks.profit[i];
    }
    ck_assert_int_le(weight, capacity);
    ck_assert_int_eq(profit, ks.value);
}

START_TEST(agrees_with_dynamic_programming)
{
    int round;

    for (round = 0; round < 5000; round++) {
        int64_t capacity = draw_below(MOST_CAPACITY), optimum;
        size_t  i;

        ks.n = (size_t)draw_below(ROOM);
        for (i = 0; i < ks.n; i++)
            draw_item(i, _i);
        hsi_knapsack_solve(&ks, capacity, 0, PLENTY);
        optimum = optimum_by_dynamic_programming(capacity);
        check_set(capacity);
        ck_assert_int_eq(ks.value, optimum);
        ck_assert_int_ge(ks.bound, optimum);
        ck_assert_int_le(ks.bound, optimum + ROUNDING);
    }
}
END_TEST

START_TEST(truncated_search_bounds_the_optimum)
{
    int round;

    for (round = 0; round < 5000; round++) {
        int64_t capacity = draw_below(MOST_CAPACITY), tolerance = draw_below(30), optimum;
        size_t  nodes = (size_t)(round % 2 ? draw_below(6) : PLENTY), i;

        ks.n = (size_t)draw_below(ROOM);
        for (i = 0; i < ks.n; i++)
            draw_item(i, _i);
        hsi_knapsack_solve(&ks, capacity, tolerance, nodes);
        optimum = optimum_by_dynamic_programming(capacity);
        check_set(capacity);
        ck_assert_int_ge(ks.bound, optimum);
        if (nodes == PLENTY)
            ck_assert_int_le(ks.bound, ks.value + tolerance + ROUNDING);
    }
}
END_TEST

/* Solve knapsacks with weights and profits of maximal size, and enumerate all sets for comparison.
 * */
START_TEST(is_exact_at_full_size)
{
    int round;

    for (round = 0; round < 200; round++) {
        int64_t  capacity = HSI_KNAPSACK_MOST_CAPACITY - 1 - draw_below(1000), best = 0;
        uint32_t set;
        size_t   i;

        ks.n = 10;
        for (i = 0; i < ks.n; i++) {
            ks.weight[i] = draw_below((uint64_t)capacity);
            ks.profit[i] = round % 2 ? (HSI_KNAPSACK_MOST_PROFIT / 10) - draw_below(1000)
                                     : (ks.weight[i] >> 16) + draw_below(3);
            ks.limit[i] = 1;
        }
        for (set = 0; set < 1u << ks.n; set++) {
            __int128 weight = 0;
            int64_t  profit = 0;

            for (i = 0; i < ks.n; i++)
                if (set >> i & 1) {
                    weight += ks.weight[i];
                    profit += ks.profit[i];
                }
            if (weight <= capacity && profit > best)
                best = profit;
        }
        hsi_knapsack_solve(&ks, capacity, 0, PLENTY);
        check_set(capacity);
        ck_assert_int_ge(ks.bound, best);
        ck_assert_int_le(ks.value, best);
        ck_assert_int_le(ks.bound - ks.value, ROUNDING);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("knapsack");
    TCase *tc = tcase_create("knapsack");

    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, open_knapsack, close_knapsack);
    tcase_add_loop_test(tc, agrees_with_dynamic_programming, 0, 7);
    tcase_add_loop_test(tc, truncated_search_bounds_the_optimum, 0, 7);
    tcase_add_test(tc, is_exact_at_full_size);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
