/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_FILL_H
#define HSI_BOUND_FILL_H

#include "core/stop.h"
#include "bound/proof/refute.h"

/* Of tasks, in an instance that is looked at kind by kind; and of those to be shared out. */
enum { HSI_MOST_KINDS = 8, HSI_FILL_MOST_KINDS = 32 };

/*
 * Can so many like workers, each with a capacity, run a number of tasks of a few
 * kinds? Worker by worker, the fullest first, in integers.
 */
typedef struct hsi_fill {
    size_t          kinds;
    const int64_t  *weight;   /* of a kind, > 0, longest first; more than the capacity: no */
    int64_t         capacity;
    uint64_t        most_nodes;
    const hsi_stop *stop;  /* asked every few thousand nodes */
    uint64_t        nodes; /* in and out: counted on */
    uint32_t       *take;  /* out, if found: workers x kinds */
} hsi_fill;

hsi_verdict hsi_fill_search(hsi_fill *fill, unsigned workers, const uint32_t *count);

#endif
