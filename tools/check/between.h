/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_BETWEEN_H
#define TOOLS_CHECK_BETWEEN_H

#include "check/limits.h"
#include "check/web.h"

/** What comes after one task of a graph and before another. */
typedef struct between {
    const web *w;
    uint32_t  *task; /* out */
    size_t     count;
    uint32_t  *after, *before; /* of vertices: the round in which they were met */
    uint32_t  *stack, round;
} between;

#define BETWEEN_ENDS UINT32_MAX /* in place of a task: before all, or after all */

void between_open(between *b, const web *w);
void between_close(between *b);

/** Sets b->task, unless `second` does not depend on `first`. */
verdict between_find(between *b, uint32_t first, uint32_t second, limits *l);

#endif
