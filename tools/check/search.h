/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_SEARCH_H
#define TOOLS_CHECK_SEARCH_H

#include <stddef.h>
#include <stdint.h>

#include "check/cells.h"

/** Tasks that are alike. */
typedef struct search_class {
    cells    weight[2]; /* on a CPU, on a GPU; more than the capacity: cannot run there */
    uint64_t count;
    int64_t  worth;
} search_class;

typedef enum search_verdict { SEARCH_REFUTED, SEARCH_FOUND, SEARCH_TOO_HARD } search_verdict;

/** Bits of a capacity, and of the worth of all tasks together, at most. */
enum { SEARCH_CAPACITY_BITS = 80, SEARCH_WORTH_BITS = 42 };

/**
 * Is there no way to give all tasks to the workers such that none has more than
 * `capacity`? Gives up after so many nodes; adds those that it took to *nodes.
 */
search_verdict search_refute(const search_class *classes, size_t count, const unsigned workers[2],
                             cells capacity, uint64_t most_nodes, uint64_t *nodes);

#endif
