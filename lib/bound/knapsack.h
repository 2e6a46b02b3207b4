/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_KNAPSACK_H
#define HSI_BOUND_KNAPSACK_H

#include <stddef.h>
#include <stdint.h>

#include <hybridsched/status.h>

#include "support/arena.h"

/* Limits of exact arithmetic. */
#define HSI_KNAPSACK_MOST_CAPACITY ((int64_t)1 << 62)
#define HSI_KNAPSACK_MOST_PROFIT                                                                   \
    ((int64_t)1 << 50) /* limit of the sum of weights and of the                                   \
                          sum of profits, over all copies of all                                   \
                          items */

/*
 * The bounded knapsack in integers: choose copies of items, up to `limit` of each, within a
 * capacity for the greatest profit. Solved by branch and bound in the order of profit over weight;
 * O(n) memory.
 */
typedef struct hsi_knapsack {
    size_t    n;      /* number of items, set by the caller, at most the room */
    int64_t  *weight; /* weight and profit of one copy, >= 0; an item with a weight above the
                         capacity does not fit */
    int64_t  *profit; /* >= 0 */
    uint32_t *limit;  /* maximum copies */

    /* Results of hsi_knapsack_solve(). */
    uint32_t *take;  /* copies of each item in the best set found */
    int64_t   value; /* profit of the best set found */
    int64_t   bound; /* upper bound: no set has more profit */
    size_t    nodes;

    struct hsi_knapsack_search *search;
    hsi_arena                   arena; /* owns all arrays */
} hsi_knapsack;

hs_status hsi_knapsack_open(hsi_knapsack *ks, size_t most_items);
void      hsi_knapsack_close(hsi_knapsack *ks);

/*
 * Solve the knapsack and fill in the results. The search skips parts that can gain at most
 * `tolerance`, and ends after `most_nodes`; `bound` is valid in any case. With tolerance 0 and
 * enough nodes, bound - value is at most 4, the allowance for rounding.
 */
void hsi_knapsack_solve(hsi_knapsack *ks, int64_t capacity, int64_t tolerance, size_t most_nodes);

#endif
