/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_PACKING_H
#define TOOLS_CHECK_PACKING_H

#include "check/limits.h"

/** Times as whole cells of a grid, of which a capacity has fewer than 2^80. */
typedef __int128 cells;

typedef struct packing_kind {
    cells    weight; /* this and the count: above 0 */
    uint32_t count;
} packing_kind;

/**
 * Is there no way to share all tasks among workers that are alike, such that none has
 * more than `capacity`? Sorts the kinds, of which there is one at least.
 */
verdict packing_check(packing_kind *kinds, size_t count, unsigned workers, cells capacity,
                      limits *l);

#endif
