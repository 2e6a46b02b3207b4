/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_BRANCH_BRANCH_H
#define HSI_REFINE_BRANCH_BRANCH_H

#include "core/problem.h"
#include "core/stop.h"

/*
 * Branch and price: a tree over which tasks run on which type, bounded by the
 * configuration bound of what each node leaves open, the least bound first. Small
 * instances are settled by a few nodes. Where all types are settled in the LP but
 * its bound is still too low, the node is searched through (refute.h).
 */
typedef struct hsi_branch hsi_branch;

/*
 * `pb` has one item a task, HSI_BRANCH_MOST_TASKS at most (else HS_ETOOBIG), and
 * outlives the state. `from`: a bound known to be safe.
 */
#define HSI_BRANCH_MOST_TASKS 1000

hs_status hsi_branch_open(const hsi_problem *pb, double from, hsi_branch **out);
void      hsi_branch_close(hsi_branch *b);

/*
 * Goes on until `stop`, or until a schedule below `cutoff` was found, or nothing is
 * left. Nodes whose bound reaches `cutoff`, which may only fall from call to call,
 * are closed. A node takes milliseconds at 30 tasks, some tens of them at 300; the next
 * call goes on with one that was not bounded in time.
 */
hs_status hsi_branch_step(hsi_branch *b, double cutoff, const hsi_stop *stop);

/* No schedule is shorter: the least bound of all leaves, open or closed. Grows. */
double hsi_branch_bound(const hsi_branch *b);

/* Nothing more will come. */
int hsi_branch_ended(const hsi_branch *b);

/* The assignment below the cutoff that the last step found, or NULL. */
const uint32_t *hsi_branch_found(const hsi_branch *b);

/*
 * Where the LP of the last node ran each task mostly (hs_type), to be packed by whoever
 * looks for schedules; NULL before the first.
 */
const unsigned char *hsi_branch_types(const hsi_branch *b);

size_t hsi_branch_nodes(const hsi_branch *b);

#endif
