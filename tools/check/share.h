/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_SHARE_H
#define TOOLS_CHECK_SHARE_H

#include <stddef.h>
#include <stdint.h>

#include "check/cells.h"

enum { SHARE_MOST_KINDS = 8, SHARE_MOST_WORKERS = 1024 };

/** Tasks of a few kinds that workers of one type have to share. */
typedef struct share {
    size_t   kinds;
    cells    weight[SHARE_MOST_KINDS]; /* more than the capacity: cannot run there */
    cells    capacity;
    uint64_t nodes, most_nodes; /* `nodes` is counted on */
} share;

typedef enum share_verdict { SHARE_IMPOSSIBLE, SHARE_FOUND, SHARE_TOO_HARD } share_verdict;

/** Can so many workers run these counts of tasks, none of them more than the capacity? */
share_verdict share_search(share *s, unsigned workers, const uint32_t *count);

#endif
