/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_PROOF_REFUTE_H
#define HSI_BOUND_PROOF_REFUTE_H

#include "core/problem.h"
#include "core/stop.h"

/*
 * Is there a schedule whose workers' exact sums of times are all <= target? A
 * depth-first search over the tasks, which settles small instances.
 *
 * Every node is held against multipliers ("worth") as the configuration bound is:
 * worker by worker, what it holds is worth so much, and what still fits beside it
 * is worth at most what a knapsack of its free capacity is. A schedule places all
 * tasks, so a node whose workers cannot together reach the worth of all is empty.
 */
typedef struct hsi_refutation {
    const hsi_problem *pb;      /* one item a task */
    double             target;
    const uint64_t    *worth;   /* a task; their sum < 2^60 */
    uint64_t           most_nodes; /* 0: no limit */
    uint64_t           nodes;   /* out: how many were looked at */
    uint32_t          *worker;  /* out: of each task, if found */
} hsi_refutation;

typedef enum hsi_verdict {
    HSI_REFUTED, /* no schedule is that short */
    HSI_FOUND,   /* here is one */
    HSI_STOPPED  /* time is up, or the nodes are */
} hsi_verdict;

/* What tasks are worth as such integers, in the proportions of `value` (>= 0). */
void hsi_refute_worth(size_t n, const double *value, uint64_t *worth);

/* Largest instance that it is for. */
#define HSI_REFUTE_MOST_TASKS 256

hs_status hsi_refute(hsi_refutation *r, const hsi_stop *stop, hsi_verdict *verdict);

#endif
