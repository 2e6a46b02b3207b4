/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_KINDS_STATE_H
#define HSI_BOUND_KINDS_STATE_H

#include "bound/knapsack.h"
#include "bound/fill.h"
#include "bound/kinds/kinds.h"
#include "support/arena.h"

/* What a worker of the coarse type may run. */
typedef struct hsi_kinds_pattern {
    uint32_t take[HSI_MOST_KINDS];
    int64_t  worth[HSI_KINDS_WORTHS];
} hsi_kinds_pattern;

/* A worker of the coarse type that is about to be given a pattern. */
typedef struct hsi_kinds_level {
    uint32_t rest[HSI_MOST_KINDS];
    int64_t  worth[HSI_KINDS_WORTHS]; /* of the rest */
} hsi_kinds_level;

struct hsi_kinds {
    const hsi_problem *pb;
    hsi_arena          arena; /* of the arrays, but for `seen` */
    size_t             kinds;
    uint32_t          *kind_of; /* of a row */
    uint32_t           count[HSI_MOST_KINDS];
    double             time[2][HSI_MOST_KINDS];
    double             value[HSI_KINDS_WORTHS - 1][HSI_MOST_KINDS]; /* as given */
    int                values;
    unsigned           workers[2];

    /* Of the present target */
    int64_t            weight[2][HSI_MOST_KINDS], capacity;
    int                coarse;
    hsi_kinds_pattern *patterns;
    size_t             pattern_count;
    size_t             vectors; /* that were looked at to list them */
    int64_t            worth[HSI_KINDS_WORTHS][HSI_MOST_KINDS];
    int64_t            most[2][HSI_KINDS_WORTHS]; /* worth of a pattern on a worker of a type */
    hsi_knapsack       knapsack;

    /* Of the search */
    hsi_kinds_level *levels; /* one a coarse worker, and one behind */
    uint32_t        *fine_take;
    uint64_t        *seen; /* hash table of nodes that are done; 0: empty */
    size_t           table, used;
    hsi_kinds_query *query;
    const hsi_stop  *stop;
};

/* Weights, patterns and worths for a target; 0: there are too many patterns, or it cannot be. */
int hsi_kinds_aim(hsi_kinds *kd, double target, int flip);

#endif
