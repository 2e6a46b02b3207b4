/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_GEN_ADVERSARY_MOVES_H
#define TOOLS_GEN_ADVERSARY_MOVES_H

#include "gen/adversary/case.h"

/** Random numbers, the same everywhere: splitmix64. */
typedef struct dice {
    uint64_t state;
} dice;

/** Uniform in 0 .. bound - 1, but for what 64 bits are not a multiple of; bound > 0. */
uint64_t dice_below(dice *d, uint64_t bound);

/** What cases may be like. */
typedef struct case_limits {
    size_t   tasks; /* at most */
    uint64_t time;  /* at most; at least 1 */
    int      graph;
} case_limits;

/** A case of a few random tasks; its witness is anything. */
void case_draw(bad_case *c, dice *d, const case_limits *limits);

/** Change it a little: a time, a priority, a task, an edge, a place in the witness. */
void case_change(bad_case *c, dice *d, const case_limits *limits);

#endif
