/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_LIMITS_H
#define TOOLS_CHECK_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The limits on verifying a whole certificate: steps of some nanoseconds each, and sets of tasks
 * that a knapsack stores at once. Both grow with the size of the input, as hsched-check(1)
 * describes, so that no input takes hours or all memory.
 */
typedef struct limits {
    uint64_t work, most_work;
    size_t   most_states;
} limits;

/** The result of checking a claim: true, false, or too much work to decide. */
typedef enum verdict { HOLDS, FAILS, TOO_MUCH } verdict;

/** Add steps to the work; return false beyond the limit. */
static inline bool limits_allow(limits *l, uint64_t steps)
{
    l->work += steps;
    return l->work <= l->most_work;
}

#endif
