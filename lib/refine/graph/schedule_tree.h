/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_BRANCH_H
#define HSI_REFINE_GRAPH_BRANCH_H

#include "refine/graph/time_windows.h"
#include "refine/refine.h"

/*
 * Branch and bound for small graphs. A node is a partial schedule; each child adds a ready task on
 * one place, at its earliest start there, but not before the latest start so far. All schedules in
 * which no task can start earlier are reached in this way. A child is pruned if another task could
 * be done, and its outputs moved, before the child starts; a node is pruned if it cannot be
 * completed in time (time_windows.h).
 */
typedef struct hsi_schedule_tree hsi_schedule_tree;

/* Create a search of the graph in `arcs`. HS_ETOOBIG: the graph has no tasks or more than
 * HSI_SCHEDULE_TREE_TASKS, or several nodes with too many memories. */
hs_status hsi_schedule_tree_open(const hsi_arcs *arcs, hsi_schedule_tree **out);
void      hsi_schedule_tree_close(hsi_schedule_tree *b);

/* Continue the search for a schedule shorter than `cutoff`, which must not rise between calls, for
 * up to `most_nodes` nodes (0: until the interrupt). Stops at the first schedule found. */
void hsi_schedule_tree_continue(hsi_schedule_tree *b, double cutoff, uint64_t most_nodes,
                                const hsi_interrupt *interrupt);

/* Return 1 if all nodes have been searched: no schedule is shorter than the last cutoff. */
int hsi_schedule_tree_ended(const hsi_schedule_tree *b);

/* Build the schedule that the last step has found; the caller owns *out. Call only if
 * hsi_schedule_tree_has_found() returns 1. */
hs_status hsi_schedule_tree_build_found(const hsi_schedule_tree *b, hs_schedule **out);
int       hsi_schedule_tree_has_found(const hsi_schedule_tree *b);

/* Return the number of nodes of the last step. */
uint64_t hsi_schedule_tree_nodes(const hsi_schedule_tree *b);

/* Return a lower bound of all makespans, at most `high`, before the search begins. */
double hsi_schedule_tree_bound(hsi_schedule_tree *b, double low, double high);

#endif
