/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_KNAPSACK_H
#define TOOLS_CHECK_KNAPSACK_H

#include "check/limits.h"

typedef struct knapsack_item {
    int64_t weight, worth; /* weight and worth of an item: >= 0, below 2^62 */
} knapsack_item;

/**
 * Check that no set of items with weight at most `capacity` is worth more than `most`. Sorts the
 * items. The items together are worth less than 2^62.
 */
verdict knapsack_check(knapsack_item *items, size_t count, int64_t capacity, int64_t most,
                       limits *l);

#endif
