/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_KINDS_STATE_H
#define HSI_BOUND_KINDS_STATE_H

#include "bound/knapsack.h"
#include "bound/capacity_search.h"
#include "bound/kinds/kinds.h"
#include "support/arena.h"

/* A vector of counts that fits on a worker of the coarse type. */
typedef struct hsi_kinds_pattern {
    uint32_t take[HSI_MOST_KINDS];
    int64_t  worth[HSI_KINDS_WORTHS];
} hsi_kinds_pattern;

/* The state before a worker of the coarse type gets a pattern. */
typedef struct hsi_kinds_level {
    uint32_t rest[HSI_MOST_KINDS];
    int64_t  worth[HSI_KINDS_WORTHS]; /* worth of `rest` */
} hsi_kinds_level;

struct hsi_kinds {
    const hsi_problem *pb;
    hsi_arena          arena; /* memory of the arrays, except `seen` */
    size_t             kinds;
    uint32_t          *kind_of; /* kind of each row */
    uint32_t           count[HSI_MOST_KINDS];
    double             time[2][HSI_MOST_KINDS];
    double             value[HSI_KINDS_WORTHS - 1][HSI_MOST_KINDS]; /* worths as given */
    int                values;
    unsigned           workers[2];

    /* State for the present target. */
    int64_t            weight[2][HSI_MOST_KINDS], capacity;
    int                coarse;
    hsi_kinds_pattern *patterns;
    size_t             pattern_count;
    size_t             vectors; /* vectors tried to list the patterns */
    int64_t            worth[HSI_KINDS_WORTHS][HSI_MOST_KINDS];
    int64_t            most[2][HSI_KINDS_WORTHS]; /* most worth of a pattern, by type */
    hsi_knapsack       knapsack;

    /* State of the search. */
    hsi_kinds_level *levels; /* levels of the search: one for each coarse worker, and one for the
                                end */
    uint32_t        *fine_take;
    uint64_t        *seen; /* hash table of visited nodes; 0: empty */
    size_t           table, used;
    hsi_kinds_query *query;
    const hsi_stop  *stop;
};

/* Compute weights, patterns and worths for a target; with `swap_types` the fine type becomes the
 * coarse one. Return false if there are too many patterns, or if the target is unsuitable. */
bool hsi_kinds_set_target(hsi_kinds *kd, double target, bool swap_types);

#endif
