/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_BETWEEN_H
#define TOOLS_CHECK_BETWEEN_H

#include "check/limits.h"
#include "check/web.h"

/** Search for the tasks of a graph between two tasks. */
typedef struct between {
    const web *w;
    uint32_t  *task; /* result: the tasks found */
    size_t     count;
    uint32_t  *after, *before; /* per vertex: the round that reached it */
    uint32_t  *stack, round;
} between;

#define BETWEEN_ENDS UINT32_MAX /* no task: the beginning or the end of the graph */

void between_open(between *b, const web *w);
void between_close(between *b);

/**
 * Set b->task to the tasks after `first` and before `second`. Return FAILS if `second` does not
 * depend on `first`, and TOO_MUCH beyond the limits.
 */
verdict between_find(between *b, uint32_t first, uint32_t second, limits *l);

#endif
