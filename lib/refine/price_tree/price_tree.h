/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_BRANCH_BRANCH_H
#define HSI_REFINE_BRANCH_BRANCH_H

#include "core/problem.h"
#include "core/time_limit.h"

/*
 * Branch and price: a tree over the types that run each task. The configuration bound of a node's
 * instance bounds it; the node with the least bound is first. Small instances need few nodes. If
 * the LP settles all types, but its bound is below the cutoff, the node is searched completely
 * (refute.h).
 */
typedef struct hsi_price_tree hsi_price_tree;

/* Create a tree. `pb` has one item per task and must outlive the tree; more than
 * HSI_PRICE_TREE_MOST_TASKS tasks give HS_ETOOBIG. `from`: a known lower bound. */
#define HSI_PRICE_TREE_MOST_TASKS 1000

hs_status hsi_price_tree_open(const hsi_problem *pb, double safe_bound, hsi_price_tree **out);
void      hsi_price_tree_close(hsi_price_tree *b);

/*
 * Continue until `stop`, a schedule below `cutoff`, or the end of the tree. Nodes whose bound
 * reaches `cutoff`, which may only fall between calls, are closed. A node takes milliseconds for 30
 * tasks and some tens of milliseconds for 300; a node interrupted by `stop` is continued by the
 * next call.
 */
hs_status hsi_price_tree_continue(hsi_price_tree *b, double cutoff, const hsi_stop *stop);

/* Return a lower bound of all makespans: the least bound of all leaves, open or closed. Never
 * falls. */
double hsi_price_tree_bound(const hsi_price_tree *b);

/* Return 1 if the tree is completely searched. */
int hsi_price_tree_ended(const hsi_price_tree *b);

/* Return the assignment below the cutoff that the last step found, or NULL. Owned by `b`. */
const uint32_t *hsi_price_tree_found_assignment(const hsi_price_tree *b);

size_t hsi_price_tree_nodes(const hsi_price_tree *b);

#endif
