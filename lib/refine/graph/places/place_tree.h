/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_PLACES_TREE_H
#define HSI_REFINE_GRAPH_PLACES_TREE_H

#include <hybridsched/schedule.h>

#include "core/graph/arcs.h"
#include "refine/refine.h"

/*
 * Branch and bound for graphs with transfer times. The upper nodes decide the place of each task
 * (place_probe.h), the lower nodes the order of tasks that overlap on a worker (place_leaf.h).
 * Rules (place_rules.h) close places and refute nodes. Each node that is not refuted is decoded by
 * list scheduling, which finds most schedules.
 */
typedef struct hsi_place_tree hsi_place_tree;

/* Create a search of the graph in `arcs`. HS_ETOOBIG: see place_model.h. */
hs_status hsi_place_tree_open(const hsi_arcs *arcs, hsi_place_tree **out);
void      hsi_place_tree_close(hsi_place_tree *tree);

/* Continue the search for a schedule shorter than `cutoff`, which must not rise between calls, for
 * about `most_steps` steps (0: until the interrupt). Stops at the first schedule found. A step
 * applies the rules to a state. HS_ENOMEM: the search must not continue. */
hs_status hsi_place_tree_continue(hsi_place_tree *tree, double cutoff, uint64_t most_steps,
                                  const hsi_interrupt *interrupt);

/* What a search of a part of the schedules keeps of one schedule: the places of the tasks that are
 * not free, and orders between them. */
typedef struct hsi_place_frozen {
    uint32_t *place; /* place of each task; HS_NONE: the task is free */
    uint64_t *order; /* set of each task: the tasks that start after its end */
} hsi_place_frozen;

/* Begin a new search, with any cutoff. It is for the schedules that agree with `frozen`, which the
 * caller keeps until the first step, and applies fewer rules, which take less time; NULL: for all
 * schedules. */
void hsi_place_tree_restart(hsi_place_tree *tree, const hsi_place_frozen *frozen);

/* Return true if all nodes have been searched: no schedule is shorter than the last cutoff. */
bool hsi_place_tree_ended(const hsi_place_tree *tree);

/* Return the schedule that the last call has found, or NULL; the caller owns it. */
hs_schedule *hsi_place_tree_take_found(hsi_place_tree *tree);

/* Return the number of steps of the last call. */
uint64_t hsi_place_tree_steps(const hsi_place_tree *tree);

/* Return the largest cutoff from `low` to `high` that the rules refute before any decision, to nine
 * digits; a smaller one if interrupted (NULL: never). */
double hsi_place_tree_bound(hsi_place_tree *tree, double low, double high,
                            const hsi_interrupt *interrupt);

#endif
