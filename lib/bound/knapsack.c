/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Branch and bound for the bounded knapsack. Items are sorted by profit over weight. A node has
 * decided the items before its position. Its bound is that of Martello and Toth: take items in
 * order until an item, the break item, does not fit in all its copies; then either one more copy of
 * it replaces a part of earlier items, or no more of it is taken and later items fill the rest.
 *
 * Why `bound` is safe: values and weights are exact integers. The two products with a quotient of
 * profit over weight are rounded, and so is the order of the items, by a few parts in 2^53 of
 * profits that add up to less than 2^50. In all this is less than SLACK, which is added to every
 * bound.
 */
#include "bound/knapsack.h"

#include <string.h>

#include "support/sort.h"

#define SLACK 4.0

typedef struct choice {
    uint32_t at, copies;
} choice;

typedef struct hsi_knapsack_search {
    size_t     n; /* items that fit and have a profit, sorted */
    uint64_t  *keys;                      /* keys of the sort, and scratch memory of the sort */
    int64_t   *weight, *profit;           /* weight and profit of one copy */
    __int128  *weight_before;             /* sums of weight and profit over all copies of the
                                             items before; n + 1 entries */
    int64_t   *profit_before;
    int64_t   *least_weight; /* least weight of the items from each item on; n + 1
                                entries */
    double    *density;
    uint32_t  *item, *limit;
    choice    *chosen, *best;
    size_t     depth, best_depth;
    int64_t    best_value;
    double     left_out; /* largest upper bound of the parts not searched */
} search;

hs_status hsi_knapsack_open(hsi_knapsack *ks, size_t most_items)
{
    hsi_arena *arena = &ks->arena;
    search    *s;

    memset(ks, 0, sizeof *ks);
    most_items++;
    ks->weight = hsi_arena_alloc(arena, most_items, sizeof *ks->weight);
    ks->profit = hsi_arena_alloc(arena, most_items, sizeof *ks->profit);
    ks->limit = hsi_arena_alloc(arena, most_items, sizeof *ks->limit);
    ks->take = hsi_arena_alloc(arena, most_items, sizeof *ks->take);
    s = ks->search = hsi_arena_alloc_zeroed(arena, 1, sizeof *s);
    if (!s)
        goto fail;
    s->keys = hsi_arena_alloc(arena, 2 * most_items, sizeof *s->keys);
    s->weight = hsi_arena_alloc(arena, most_items, sizeof *s->weight);
    s->profit = hsi_arena_alloc(arena, most_items, sizeof *s->profit);
    s->weight_before = hsi_arena_alloc(arena, most_items, sizeof *s->weight_before);
    s->profit_before = hsi_arena_alloc(arena, most_items, sizeof *s->profit_before);
    s->least_weight = hsi_arena_alloc(arena, most_items, sizeof *s->least_weight);
    s->density = hsi_arena_alloc(arena, most_items, sizeof *s->density);
    s->item = hsi_arena_alloc(arena, most_items, sizeof *s->item);
    s->limit = hsi_arena_alloc(arena, most_items, sizeof *s->limit);
    s->chosen = hsi_arena_alloc(arena, most_items, sizeof *s->chosen);
    s->best = hsi_arena_alloc(arena, most_items, sizeof *s->best);
    if (ks->weight && ks->profit && ks->limit && ks->take && s->keys && s->weight && s->profit &&
        s->weight_before && s->profit_before && s->least_weight && s->density && s->item &&
        s->limit && s->chosen && s->best)
        return HS_OK;
fail:
    hsi_knapsack_close(ks);
    return HS_ENOMEM;
}

void hsi_knapsack_close(hsi_knapsack *ks)
{
    hsi_arena_close(&ks->arena);
    memset(ks, 0, sizeof *ks);
}

/* Return a key that sorts items by falling profit over weight. */
static uint64_t key_of(const void *context, uint32_t item)
{
    const hsi_knapsack *ks = context;

    return ~hsi_key_of_double((double)ks->profit[item] / (double)ks->weight[item]);
}

static int comes_before(const void *context, uint32_t a, uint32_t b)
{
    uint64_t key_a = key_of(context, a), key_b = key_of(context, b);

    return key_a < key_b || (key_a == key_b && a < b);
}

/* Sort the items. Take items of weight 0 at once, and return their profit. */
static int64_t sort_items(hsi_knapsack *ks, search *s, int64_t capacity)
{
    const hsi_index_order how = {comes_before, ks, NULL};
    int64_t               free_profit = 0;
    size_t                i, n = 0;

    for (i = 0; i < ks->n; i++) {
        ks->take[i] = 0;
        if (ks->profit[i] <= 0 || ks->weight[i] > capacity || ks->limit[i] == 0)
            continue;
        if (ks->weight[i] == 0) {
            ks->take[i] = ks->limit[i];
            free_profit += ks->profit[i] * ks->limit[i];
            continue;
        }
        s->keys[n] = key_of(ks, (uint32_t)i);
        s->item[n++] = (uint32_t)i;
    }
    hsi_sort_by_keys(s->keys, s->keys + n, n, &how, s->item, s->item);
    s->n = n;
    for (i = 0; i < n; i++) {
        uint32_t item = s->item[i];
        int64_t  fit = capacity / ks->weight[item];

        s->weight[i] = ks->weight[item];
        s->profit[i] = ks->profit[item];
        s->limit[i] = fit < ks->limit[item] ? (uint32_t)fit : ks->limit[item];
    }
    return free_profit;
}

static void sum_up_items(search *s)
{
    size_t i;

    s->weight_before[0] = s->profit_before[0] = 0;
    for (i = 0; i < s->n; i++) {
        s->density[i] = (double)s->profit[i] / (double)s->weight[i];
        s->weight_before[i + 1] = s->weight_before[i] + (__int128)s->weight[i] * s->limit[i];
        s->profit_before[i + 1] = s->profit_before[i] + s->profit[i] * s->limit[i];
    }
    s->density[s->n] = 0;
    s->least_weight[s->n] = INT64_MAX;
    for (i = s->n; i > 0; i--)
        s->least_weight[i - 1] =
            s->weight[i - 1] < s->least_weight[i] ? s->weight[i - 1] : s->least_weight[i];
}

/* Return the first item from `item` on whose copies do not all fit into `capacity_left`; n if all
 * fit. */
static size_t find_break(const search *s, size_t item, int64_t capacity_left)
{
    __int128 end = s->weight_before[item] + capacity_left;
    size_t   low = item, high = item + 1, step = 1;

    while (high <= s->n && s->weight_before[high] <= end) {
        low = high;
        step *= 2;
        high = low + step;
    }
    if (high > s->n + 1)
        high = s->n + 1;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (s->weight_before[middle] <= end)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Return a bound on `value` plus the profit of the items from `item` on; *stop: the break item. */
static double node_bound(const search *s, size_t item, int64_t capacity_left, int64_t value,
                         size_t *stop)
{
    size_t   b = find_break(s, item, capacity_left);
    uint32_t copies;
    double   without, with;

    *stop = b;
    value += s->profit_before[b] - s->profit_before[item];
    if (b == s->n)
        return (double)value + SLACK;
    capacity_left -= (int64_t)(s->weight_before[b] - s->weight_before[item]);
    copies = (uint32_t)(capacity_left / s->weight[b]);
    value += copies * s->profit[b];
    capacity_left -= copies * s->weight[b];
    without = (double)value + (double)capacity_left * s->density[b + 1] + SLACK;
    if (b == item)
        return without;
    with = (double)(value + s->profit[b]) -
           (double)(s->weight[b] - capacity_left) * s->density[b - 1] + SLACK;
    return with > without ? with : without;
}

static void keep_best(search *s, int64_t value)
{
    if (value <= s->best_value)
        return;
    s->best_value = value;
    s->best_depth = s->depth;
    memcpy(s->best, s->chosen, s->depth * sizeof *s->chosen);
}

static void set_copies(search *s, size_t item, uint32_t copies)
{
    s->chosen[s->depth++] = (choice){(uint32_t)item, copies};
}

/* Drop items that no set better than `best_value` contains, by the slope of the relaxation. */
static void drop_useless_items(search *s, int64_t capacity, int64_t tolerance)
{
    size_t b, i, n = 0;
    double relaxed = 0, slope;

    b = find_break(s, 0, capacity);
    if (b == s->n)
        return;
    slope = s->density[b];
    relaxed = (double)s->profit_before[b] +
              (double)(capacity - (int64_t)s->weight_before[b]) * slope + SLACK;
    for (i = 0; i < s->n; i++) {
        double lost = (double)s->weight[i] * slope - (double)s->profit[i];

        if (i > b && relaxed - lost <= (double)s->best_value + (double)tolerance) {
            if (relaxed - lost > s->left_out)
                s->left_out = relaxed - lost;
            continue;
        }
        s->item[n] = s->item[i];
        s->weight[n] = s->weight[i];
        s->profit[n] = s->profit[i];
        s->limit[n++] = s->limit[i];
    }
    s->n = n;
    sum_up_items(s);
}

/* Take fitting items in order as the first solution. */
static void fill_greedily(search *s, int64_t capacity)
{
    int64_t value = 0;
    size_t  i;

    for (i = 0; i < s->n; i++) {
        int64_t fit = capacity / s->weight[i];
        int64_t copies = fit < s->limit[i] ? fit : s->limit[i];

        if (copies == 0)
            continue;
        set_copies(s, i, (uint32_t)copies);
        capacity -= copies * s->weight[i];
        value += copies * s->profit[i];
    }
    keep_best(s, value);
}

/* Bound the nodes that were not visited, which take fewer copies at some position. */
static void bound_open_nodes(search *s, int64_t rest, int64_t value)
{
    size_t stop;

    while (s->depth > 0) {
        choice *last = &s->chosen[--s->depth];

        while (last->copies-- > 0) {
            double bound;

            rest += s->weight[last->at];
            value -= s->profit[last->at];
            bound = node_bound(s, last->at + 1, rest, value, &stop);
            if (bound > s->left_out)
                s->left_out = bound;
        }
    }
}

static size_t branch_and_bound(search *s, int64_t capacity, int64_t tolerance, size_t most_nodes)
{
    int64_t rest = capacity, value = 0;
    size_t  at = 0, nodes = 0;

    s->depth = 0;
    for (;;) {
        size_t stop;
        double bound = node_bound(s, at, rest, value, &stop);

        if (bound <= (double)s->best_value + (double)tolerance + SLACK) {
            if (bound > s->left_out)
                s->left_out = bound;
        } else {
            for (; at < stop; at++) {
                set_copies(s, at, s->limit[at]);
                rest -= s->weight[at] * s->limit[at];
                value += s->profit[at] * s->limit[at];
            }
            if (at < s->n && rest >= s->weight[at]) {
                uint32_t copies = (uint32_t)(rest / s->weight[at]);

                set_copies(s, at, copies);
                rest -= copies * s->weight[at];
                value += copies * s->profit[at];
            }
            at++;
            if (at < s->n && rest >= s->least_weight[at])
                goto next;
            keep_best(s, value);
        }
        if (s->depth == 0)
            return nodes;
        if (++nodes > most_nodes) {
            bound_open_nodes(s, rest, value);
            return nodes;
        }
        /* take one copy less of the item chosen last */
        at = s->chosen[s->depth - 1].at;
        rest += s->weight[at];
        value -= s->profit[at];
        if (--s->chosen[s->depth - 1].copies == 0)
            s->depth--;
        at++;
    next:;
    }
}

void hsi_knapsack_solve(hsi_knapsack *ks, int64_t capacity, int64_t tolerance, size_t most_nodes)
{
    search *s = ks->search;
    int64_t free_profit = sort_items(ks, s, capacity);
    size_t  i;

    s->depth = s->best_depth = 0;
    s->best_value = 0;
    s->left_out = 0;
    sum_up_items(s);
    fill_greedily(s, capacity);
    for (i = 0; i < s->best_depth;
         i++) /* drop_useless_items() changes positions, so store the set now */
        ks->take[s->item[s->best[i].at]] = s->best[i].copies;
    drop_useless_items(s, capacity, tolerance);
    s->best_depth = 0;
    ks->value = s->best_value;
    ks->nodes = s->n ? branch_and_bound(s, capacity, tolerance, most_nodes) : 0;
    if (s->best_value > ks->value) {
        for (i = 0; i < ks->n; i++)
            if (ks->weight[i] > 0)
                ks->take[i] = 0;
        for (i = 0; i < s->best_depth; i++)
            ks->take[s->item[s->best[i].at]] = s->best[i].copies;
    }
    ks->value = s->best_value + free_profit;
    ks->bound = ks->value;
    if (s->left_out > (double)s->best_value)
        ks->bound = (int64_t)s->left_out + free_profit;
}
