/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_LIMITS_H
#define TOOLS_CHECK_LIMITS_H

#include <stddef.h>
#include <stdint.h>

/**
 * What verifying a certificate may take, all of it together: so many steps of some
 * nanoseconds, and so many sets of tasks that a knapsack remembers at once. Both grow with
 * what is verified, as hsched-check(1) says, so that no input takes hours or all memory.
 */
typedef struct limits {
    uint64_t work, most_work;
    size_t   most_states;
} limits;

/** Whether a claim that is looked into holds. */
typedef enum verdict { HOLDS, FAILS, TOO_MUCH } verdict;

/** Adds steps to the work; 0: that is too much. */
static inline int limits_allow(limits *l, uint64_t steps)
{
    l->work += steps;
    return l->work <= l->most_work;
}

#endif
