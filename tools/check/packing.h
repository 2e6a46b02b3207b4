/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_PACKING_H
#define TOOLS_CHECK_PACKING_H

#include "check/limits.h"

/** Times in whole cells of a grid; a capacity has fewer than 2^80 cells. */
typedef __int128 cells;

typedef struct packing_kind {
    cells    weight; /* weight of each task of the kind, above 0 */
    uint32_t count;
} packing_kind;

/**
 * Check that the tasks cannot be shared among identical workers with at most `capacity` on each.
 * Sorts the kinds, of which there is at least one.
 */
verdict packing_check(packing_kind *kinds, size_t count, unsigned workers, cells capacity,
                      limits *l);

#endif
