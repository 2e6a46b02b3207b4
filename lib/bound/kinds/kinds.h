/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_KINDS_KINDS_H
#define HSI_BOUND_KINDS_KINDS_H

#include "core/problem.h"
#include "core/time_limit.h"
#include "bound/proof/refute.h"

/* A search whether a makespan can be reached, for tasks of few kinds with many copies each, as in
 * factorisations: a worker's tasks are then a short vector of counts (see kinds.c). */
typedef struct hsi_kinds hsi_kinds;

/* Create the state for `pb`, which must outlive it. HS_ETOOBIG: too many kinds, or too many tasks
 * of them, for the search to be useful. */
hs_status hsi_kinds_open(const hsi_problem *pb, hsi_kinds **out);
void      hsi_kinds_close(hsi_kinds *kd);

/* Set worths of the rows' tasks, which prune the search. Any numbers >= 0 are valid; those that
 * nearly refute the target prune most. Two sets are kept; a further call replaces the second. */
void hsi_kinds_set_worths(hsi_kinds *kd, const double *worth);

/*
 * A query whether a schedule exists with exact loads <= target on all workers. If HSI_FOUND,
 * `worker` is set to such a schedule, up to an error of less than one part in 2^44. `worker` may be
 * NULL; it must be if items stand for several tasks.
 */
typedef struct hsi_kinds_query {
    double    target;
    uint64_t  most_nodes;
    int       flip; /* whether the coarse and the fine type are swapped (see kinds.c) */
    uint32_t *worker;
    uint64_t  nodes;    /* result: nodes visited */
    bool      doubtful; /* result: whether parts were skipped that more nodes might have searched */
} hsi_kinds_query;

hs_status hsi_kinds_test_target(hsi_kinds *kd, hsi_kinds_query *query, const hsi_stop *stop,
                                hsi_verdict *verdict);

enum {
    HSI_KINDS_WORTHS = 3
}; /* worth of each kind: the two sets given by the caller, and the
      time on the fine type */

#endif
