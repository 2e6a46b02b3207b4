/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_PATTERNS_H
#define TOOLS_CHECK_PATTERNS_H

#include "check/search.h"
#include "check/share.h"

enum { PATTERNS_WORTHS = 3 };

/** Tasks of a kind, and what each of them is worth. */
typedef struct pattern_kind {
    cells    weight[2]; /* on a CPU, on a GPU; more than the capacity: cannot run there */
    uint64_t count;
    int64_t  worth[PATTERNS_WORTHS];
} pattern_kind;

typedef struct pattern_search {
    size_t              kinds;
    const pattern_kind *kind;
    unsigned            workers[2];
    cells               capacity;
    int                 listed;                /* the type whose workers' patterns are listed */
    int64_t             most[PATTERNS_WORTHS]; /* worth that a worker of the other can run */
    uint64_t            nodes, most_nodes;     /* `nodes`: out */
    uint64_t            vectors;               /* out: that were looked at for the patterns */
} pattern_search;

/**
 * Is there no way to give all tasks to the workers such that none has more than `capacity`?
 * `most` is taken for granted.
 */
search_verdict patterns_refute(pattern_search *s);

#endif
