/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_PLACES_LEAF_H
#define HSI_REFINE_GRAPH_PLACES_LEAF_H

#include <hybridsched/schedule.h>

#include "refine/graph/places/place_rules.h"
#include "support/vector.h"

/* A decision: a task runs on a place; it ends before another starts, if `other` is not HS_NONE; or
 * it starts no earlier than `release`, and no earlier than the tasks of the set `first`, which
 * overlap with it. */
typedef struct hsi_place_choice {
    uint32_t task, place, other;
    double   release; /* 0: none */
    uint64_t first[(HSI_PLACE_TREE_TASKS + 63) / 64];
} hsi_place_choice;

/* Add a decision to a state. */
void hsi_place_decide(hsi_place_rules *rules, hsi_place_state *state,
                      const hsi_place_choice *choice);

/* The schedule of a state in which all places are fixed: each task starts as soon as arcs and
 * orders permit. The starts are those of a schedule in the same arithmetic, without margins. */
typedef struct hsi_place_leaf {
    const hsi_place_model *model;
    double                *start, *end;
    uint32_t              *waits, *ready;
    uint32_t              *chosen; /* tasks that overlap */
    double                *least;  /* least makespan of each appended choice */
    double                *free_at;
    double                 makespan;
    bool                   is_complete; /* false: the orders have a cycle */
    hsi_arena              arena;
} hsi_place_leaf;

hs_status hsi_place_leaf_open(hsi_place_leaf *leaf, const hsi_place_model *model);
void      hsi_place_leaf_close(hsi_place_leaf *leaf);

/* Compute the starts. */
void hsi_place_leaf_compute(hsi_place_leaf *leaf, const hsi_place_state *state);

/*
 * Append the decisions of which each schedule without conflicts obeys one, to a vector of
 * hsi_place_choice, the one to search first last: the two orders of a pair that overlaps on one
 * worker or, if m + 1 tasks overlap on m CPUs, for each that it starts last, which is after the
 * first end of the others. *conflict is false, and nothing is appended, if no tasks conflict: the
 * starts are a schedule. HS_ENOMEM: nothing was appended.
 */
hs_status hsi_place_leaf_branch(hsi_place_leaf *leaf, const hsi_place_rules *rules,
                                const hsi_place_state *state, hsi_vector *choices, bool *conflict);

/* Build the schedule of the starts, which must have no conflicts; the caller owns *out. */
hs_status hsi_place_leaf_build(hsi_place_leaf *leaf, const hsi_place_state *state,
                               hs_schedule **out);

#endif
