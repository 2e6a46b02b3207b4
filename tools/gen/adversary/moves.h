/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_GEN_ADVERSARY_MOVES_H
#define TOOLS_GEN_ADVERSARY_MOVES_H

#include "gen/adversary/case.h"

/** Random numbers of splitmix64, the same on every machine. */
typedef struct dice {
    uint64_t state;
} dice;

/** The limits of cases. */
typedef struct case_limits {
    size_t   tasks; /* largest number of tasks */
    uint64_t time;  /* largest time, at least 1 */
    int      graph;
} case_limits;

/** Draw a case of a few random tasks, with an arbitrary witness. */
void case_draw(bad_case *c, dice *d, const case_limits *limits);

/** Change the case a little: a time, a priority, a task, an edge, a place in the witness. */
void case_change(bad_case *c, dice *d, const case_limits *limits);

#endif
