/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_PLACES_RULES_H
#define HSI_REFINE_GRAPH_PLACES_RULES_H

#include "bound/graph/window_loads.h"
#include "refine/graph/places/place_state.h"

/*
 * The rules that derive heads, tails, orders and closed places from a state. Each rule relaxes the
 * schedule: it drops the capacity of workers or some arcs. A rule returns false if no schedule
 * below the cutoff has the decisions of the state. All sums are rounded down.
 *
 * The rules look at what has changed since they were applied: each change of a state marks tasks.
 * So the functions below change a state, and its rules are applied before another state changes.
 */

/* A task within a group of tasks that share workers. */
typedef struct hsi_place_item {
    double   head, tail; /* exchanged if the group is seen backward */
    double   time;
    double   work;   /* sum of times, in the rule at work */
    double   ended;  /* earliest end of a set of tasks, in the rule at work */
    double   raised; /* derived head, 0: none */
    uint32_t task;
} hsi_place_item;

typedef struct hsi_place_rules {
    const hsi_place_model *model;
    double           limit; /* values at or above refute: the cutoff with the error of schedules */
    bool             changed; /* whether a rule has derived something worth another round */
    bool             few;     /* whether joins and edge finding are left out */
    uint64_t         applied; /* number of calls of hsi_place_rules_apply() */
    uint64_t *pending[2]; /* sets of topological positions: tasks whose heads, and whose tails, the
                             rule of paths must compute */
    uint64_t *moved[2];   /* sets of tasks: those with a new place, and those with a new head, and
                             a new tail, since the rules for groups were applied */
    uint64_t        *recent[2]; /* the same for the rules for groups that are being applied */
    uint64_t        *raisable;  /* set of tasks: memory of the rule of joins */
    hsi_place_item  *items;   /* the current group */
    size_t           count;
    uint32_t        *by_tail; /* indices of items by falling tail: memory of the rule of energy */
    hsi_window_loads loads;
    double (*head_of_type)[2], (*tail_of_type)[2]; /* memory of the rule of loads */
    bool (*open_types)[2];
    hsi_arena arena;
} hsi_place_rules;

hs_status hsi_place_rules_open(hsi_place_rules *rules, const hsi_place_model *model);
void      hsi_place_rules_close(hsi_place_rules *rules);

void hsi_place_rules_set_cutoff(hsi_place_rules *rules, double cutoff);

/* Apply all rules until they derive nothing more. Return false if the state is refuted; its values
 * are undefined then. */
bool hsi_place_rules_apply(hsi_place_rules *rules, hsi_place_state *state);

/* The same for a state to which the rules with this cutoff were applied before its latest changes,
 * or a copy of it: look at the marked tasks only. */
bool hsi_place_rules_apply_to_changes(hsi_place_rules *rules, hsi_place_state *state);

/* Mark a task whose places have changed. */
void hsi_place_mark(hsi_place_rules *rules, uint32_t task);

/* Close all places of a task but those in `places`, if this closes any. */
void hsi_place_keep_open(hsi_place_rules *rules, hsi_place_state *state, uint32_t task,
                         uint32_t places);

/* Order two tasks of one place: the first ends before the second starts. */
void hsi_place_add_order(hsi_place_rules *rules, hsi_place_state *state, uint32_t first,
                         uint32_t second);

/* The single rules. Paths: a task starts after each predecessor's end and transfer, for the best
 * of the predecessor's open places. */
bool hsi_place_rule_paths(hsi_place_rules *rules, hsi_place_state *state);

/* Joins: raise the head of a task to the earliest time at which one place can have executed all
 * ancestors of the task that are fixed on this place. */
void hsi_place_rule_joins(hsi_place_rules *rules, hsi_place_state *state);

/* One worker: pairs that can run in one order only, and sets of tasks that must precede a task. */
bool hsi_place_rule_unary(hsi_place_rules *rules, hsi_place_state *state);

/* Several workers: tasks between a head and a tail must fit on their workers, cut at will. */
bool hsi_place_rule_energy(hsi_place_rules *rules, hsi_place_state *state);

/* Both types: the tasks of each window, each on the better of its types, must fit on all workers
 * together, cut at will. This rule takes longer than the others and is no part of them. */
bool hsi_place_rule_loads(hsi_place_rules *rules, const hsi_place_state *state);

/* A group of tasks: those that only certain places may run, a bit set of one place or of all GPUs.
 * Return true if one of them has a new place or, if `heads` or `tails`, a new one of these, since
 * the rules for groups were applied. */
bool hsi_place_group_has_changed(const hsi_place_rules *rules, const hsi_place_state *state,
                                 uint32_t places, bool heads, bool tails);

/* Collect a group in `items`, by rising head; `backward` exchanges heads and tails. */
void hsi_place_collect(hsi_place_rules *rules, const hsi_place_state *state, uint32_t places,
                       bool backward);

/* Return the places of all GPUs as a bit set. */
static inline uint32_t hsi_all_gpus(const hsi_place_model *model)
{
    return (uint32_t)((1ull << model->places) - 1) & ~1u;
}

/* Raise a head or, if `backward`, a tail of a task on one place or on all open places. */
void hsi_place_raise(hsi_place_rules *rules, hsi_place_state *state, uint32_t task, uint32_t place,
                     double to, bool backward);
void hsi_place_raise_task(hsi_place_rules *rules, hsi_place_state *state, uint32_t task, double to,
                          bool backward);

static inline double hsi_later(double a, double b)
{
    return a > b ? a : b;
}

#endif
