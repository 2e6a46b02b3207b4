/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_MOST_H
#define TOOLS_CHECK_MOST_H

#include <stddef.h>
#include <stdint.h>

#include "check/knapsack.h"

/** Items of a kind: few kinds, each in many copies. */
typedef struct most_kind {
    int64_t  weight, worth; /* weight: above 0; worth: at least 0 */
    uint64_t count;
} most_kind;

/**
 * Is no set of items that weighs at most `capacity` worth more than `most`? Sorts the kinds.
 * Everything together is worth less than 2^62; the capacity is less than 2^60. What it takes
 * is added to *nodes, and with that it is too hard when all of a certificate takes too much.
 */
knapsack_verdict most_check(most_kind *kinds, size_t count, int64_t capacity, int64_t most,
                            uint64_t *nodes);

#endif
