/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_PLACES_STATE_H
#define HSI_REFINE_GRAPH_PLACES_STATE_H

#include "refine/graph/places/place_model.h"

/*
 * What is known of every schedule below the cutoff that respects the decisions of one node: the
 * places that remain open for each task, and for each of them the earliest start (head) and the
 * least time from the task's end to the schedule's end (tail). The orders are decided or derived:
 * the first task ends before the second starts. A release is a decided earliest start, in the
 * arithmetic of schedules. All values are in one block of memory.
 */
typedef struct hsi_place_state {
    double   *head, *tail; /* by task and place; those of closed places are unused */
    double   *release;     /* of each task */
    uint64_t *order;       /* set of each task: the tasks ordered after it */
    uint32_t *open;        /* bit set of each task: its open places */
    uint32_t  named;       /* bit set of the places that a decision names; GPUs without a decision
                              are alike. All, if GPUs have data at the start */
} hsi_place_state;

/* Allocate a state; NULL: out of memory. The caller frees it with free(). */
hsi_place_state *hsi_place_state_alloc(const hsi_place_model *model);

/* Set the state before any decision. */
void hsi_place_state_clear(const hsi_place_model *model, hsi_place_state *state);

void hsi_place_state_copy(const hsi_place_model *model, hsi_place_state *to,
                          const hsi_place_state *from);

/* Return the only open place of a task, or HS_NONE if several are open. */
static inline uint32_t hsi_fixed_place(const hsi_place_state *state, uint32_t task)
{
    uint32_t open = state->open[task];

    return open & (open - 1) ? HS_NONE : (uint32_t)__builtin_ctz(open);
}

/* Return the GPUs that no decision names, as a bit set of places. */
static inline uint32_t hsi_unnamed_gpus(const hsi_place_model *model, const hsi_place_state *state)
{
    uint32_t all = (uint32_t)((1ull << model->places) - 1);

    return all & ~state->named & ~1u;
}

/* Return the least of a task's heads or tails over its open places. */
static inline double hsi_least_open(const hsi_place_model *model, const hsi_place_state *state,
                                    const double *value, uint32_t task)
{
    const double *of_task = value + task * model->places;
    uint32_t      open = state->open[task];
    double        least = of_task[__builtin_ctz(open)];

    while (open &= open - 1)
        if (of_task[__builtin_ctz(open)] < least)
            least = of_task[__builtin_ctz(open)];
    return least;
}

#endif
