/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_KNAPSACK_H
#define TOOLS_CHECK_KNAPSACK_H

#include <stddef.h>
#include <stdint.h>

typedef struct knapsack_item {
    int64_t weight, worth; /* >= 0, below 2^62 */
} knapsack_item;

typedef enum knapsack_verdict {
    KNAPSACK_HOLDS,
    KNAPSACK_FAILS,
    KNAPSACK_TOO_HARD
} knapsack_verdict;

/**
 * Is no set of items that weighs at most `capacity` worth more than `most`? Sorts the
 * items. All of them together are worth less than 2^62. What it takes is added to *work,
 * and with that it is too hard when all of a certificate takes too much.
 */
knapsack_verdict knapsack_check(knapsack_item *items, size_t count, int64_t capacity, int64_t most,
                                uint64_t *work);

#endif
