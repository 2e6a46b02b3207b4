/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_KINDS_KINDS_H
#define HSI_BOUND_KINDS_KINDS_H

#include "core/problem.h"
#include "core/stop.h"
#include "bound/proof/refute.h"

/*
 * Tasks of few kinds, each in many copies, as in factorisations: a worker's tasks are
 * then a short vector of counts, and whether a makespan can be reached is searched
 * over those (kinds.c says how).
 */
typedef struct hsi_kinds hsi_kinds;

/*
 * `pb` outlives the state. HS_ETOOBIG: there are too many kinds, or too many tasks of them,
 * for this to be of use.
 */
hs_status hsi_kinds_open(const hsi_problem *pb, hsi_kinds **out);
void      hsi_kinds_close(hsi_kinds *kd);

/*
 * What a task of each row is worth, for pruning: any numbers >= 0 do, but those that nearly
 * refuse the target cut deepest. Twice at most; the last one given replaces the one before it.
 */
void hsi_kinds_value(hsi_kinds *kd, const double *worth);

/*
 * Is there a schedule whose workers' exact sums of times are all <= target? `worker`,
 * of each task, is such a schedule if HSI_FOUND, but for less than a part in 2^44; NULL if
 * nobody asks for it, as where items stand for several tasks.
 */
typedef struct hsi_kinds_query {
    double    target;
    uint64_t  most_nodes;
    int       flip;     /* take the types the other way round than seems right (kinds.c) */
    uint32_t *worker;
    uint64_t  nodes;    /* out */
    int       doubtful; /* out: more nodes might have helped where some were left out */
} hsi_kinds_query;

hs_status hsi_kinds_ask(hsi_kinds *kd, hsi_kinds_query *query, const hsi_stop *stop,
                        hsi_verdict *verdict);

enum { HSI_KINDS_WORTHS = 3 }; /* the two that are given, and the time on the fine type */

#endif
