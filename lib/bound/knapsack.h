/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_KNAPSACK_H
#define HSI_BOUND_KNAPSACK_H

#include <stddef.h>
#include <stdint.h>

#include <hybridsched/status.h>

#include "support/arena.h"

/* Above these the arithmetic would not be exact. */
#define HSI_KNAPSACK_MOST_CAPACITY ((int64_t)1 << 62)
#define HSI_KNAPSACK_MOST_PROFIT   ((int64_t)1 << 50) /* of all copies of all items */

/*
 * The bounded knapsack in integers: items that come in up to `limit` copies, a
 * capacity, and a set of the greatest profit. Solved by branch and bound in the
 * order of profit over weight; O(n) memory.
 */
typedef struct hsi_knapsack {
    size_t    n;      /* items: set by the caller, at most the room */
    int64_t  *weight; /* >= 0; more than the capacity: the item does not fit */
    int64_t  *profit; /* >= 0 */
    uint32_t *limit;  /* copies */

    /* What hsi_knapsack_solve() finds */
    uint32_t *take;  /* copies of each item in the best set found */
    int64_t   value; /* of that set */
    int64_t   bound; /* no set is worth more */
    size_t    nodes;

    struct hsi_knapsack_search *search;
    hsi_arena                   arena; /* of all these */
} hsi_knapsack;

hs_status hsi_knapsack_open(hsi_knapsack *ks, size_t room);
void      hsi_knapsack_close(hsi_knapsack *ks);

/*
 * Fills in what is found. A part of the tree that could improve by `tolerance`
 * at most is left out, and after `most_nodes` the search ends: `bound` then says
 * what is proved all the same. With tolerance 0 and nodes enough, bound - value
 * is 4 at most, the allowance for rounding.
 */
void hsi_knapsack_solve(hsi_knapsack *ks, int64_t capacity, int64_t tolerance, size_t most_nodes);

#endif
