/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_CAPACITY_SEARCH_H
#define HSI_BOUND_CAPACITY_SEARCH_H

#include "core/time_limit.h"
#include "bound/proof/refute.h"

/* The most kinds of tasks in an instance that is searched by kinds, and in a call of
 * hsi_fits_capacity(). */
enum { HSI_MOST_KINDS = 8, HSI_CAPACITY_MOST_KINDS = 32 };

/* A search whether identical workers, each with a capacity, can run given numbers of tasks of a few
 * kinds. The search fills workers one by one, the fullest first, in integers. */
typedef struct hsi_capacity_search {
    size_t         kinds;
    const int64_t *weight; /* weight of each kind, > 0, descending; a kind above the capacity
                              does not fit */
    int64_t         capacity;
    uint64_t        most_nodes;
    const hsi_stop *stop;  /* stop condition, polled every few thousand nodes */
    uint64_t        nodes; /* number of visited nodes; the search adds to this counter */
    uint32_t       *take;  /* result of HSI_FOUND: counts by worker and kind */
} hsi_capacity_search;

/* Search whether `workers` workers of the capacity can run count[kind] tasks of each kind. */
hsi_verdict hsi_fits_capacity(hsi_capacity_search *search, unsigned workers,
                                    const uint32_t *count);

#endif
