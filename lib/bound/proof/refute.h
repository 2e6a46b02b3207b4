/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_PROOF_REFUTE_H
#define HSI_BOUND_PROOF_REFUTE_H

#include "core/problem.h"
#include "core/time_limit.h"

/*
 * A depth-first search over the tasks of a small instance for a schedule with exact loads <= target
 * on all workers.
 *
 * Multipliers ("worth") prune each node, as in the configuration bound: the worth of a worker's
 * tasks, plus the best worth of a knapsack in its free capacity, limits the worth that the worker
 * can run. A schedule places all tasks, so a node is empty if its workers together cannot reach the
 * worth of all tasks.
 */
typedef struct hsi_refutation {
    const hsi_problem *pb; /* problem with an item for each task */
    double             target;
    const uint64_t    *worth;      /* worth of each task; the sum is below 2^60 */
    uint64_t           most_nodes; /* 0: no limit */
    uint64_t           nodes;   /* result: nodes visited */
    uint32_t          *worker;  /* result of HSI_FOUND: worker of each task */
} hsi_refutation;

typedef enum hsi_verdict {
    HSI_REFUTED, /* verdict: no schedule is that short */
    HSI_FOUND,   /* verdict: a schedule was found */
    HSI_STOPPED  /* no verdict: the time or the nodes ran out */
} hsi_verdict;

/* Write the worths of tasks as integers in proportion to `value` (>= 0). */
void hsi_refute_scale_worths(size_t count, const double *value, uint64_t *worth);

/* The largest number of tasks; more give HS_ETOOBIG. */
#define HSI_REFUTE_MOST_TASKS 256

hs_status hsi_refutation_search(hsi_refutation *r, const hsi_stop *stop, hsi_verdict *verdict);

#endif
