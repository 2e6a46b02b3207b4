/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_CONFIGURATION_REFUSAL_H
#define HSI_BOUND_CONFIGURATION_REFUSAL_H

#include "bound/knapsack.h"
#include "core/problem.h"
#include "core/stop.h"
#include "support/arena.h"

/*
 * Refusing makespans by multipliers, in integers. Times are counted in cells of
 * 2^grid: a set of tasks that a worker can run in less than c + 1 cells weighs at
 * most c cells, when each task weighs its whole cells only. If, for multipliers
 * Y >= 0 of the tasks, no such set on a CPU is worth more than `most[HS_CPU]` and
 * none on a GPU more than `most[HS_GPU]`, and
 *
 *     sum of Y > m most[HS_CPU] + k most[HS_GPU],
 *
 * then m + k workers cannot run all tasks in less than (c + 1) 2^grid: the capacity
 * c is refused. All of this is computed in integers; where the multipliers come
 * from does not matter.
 */
typedef struct hsi_refusal {
    hsi_arena       arena;   /* of the arrays below */
    hsi_problem     problem; /* one item a kind; its parts: */
    size_t          kinds;
    const uint32_t *count; /* tasks of a kind */
    const double   *time[2];
    unsigned        workers[2];
    uint32_t       *kind_of; /* of a row of the problem given */
    int64_t        *weight[2];
    int             grid;
    int64_t         unit; /* all weights are exact, and multiples of it; else 1 */
    int64_t         capacity_limit;

    hsi_knapsack knapsack[2];
    int64_t     *multiplier; /* the ones to be tried, of kinds */
    int64_t      most[2];

    /* The best so far */
    int64_t  refused; /* capacity; from the beginning on by another bound */
    int      proved;  /* by the multipliers below */
    int64_t *best_multiplier;
    int64_t  best_most[2];
} hsi_refusal;

/*
 * `from` > 0 is a bound known to be safe. The cells are small beside it; if `longest` is finite
 * they are as small as can be, and no more than that is refused. HS_ETOOBIG: more than
 * most_kinds kinds.
 */
hs_status hsi_refusal_open(hsi_refusal *r, const hsi_problem *pb, double from, double longest,
                           size_t most_kinds);
void      hsi_refusal_close(hsi_refusal *r);

/* What has been proved, rounded down. */
double hsi_refusal_bound(const hsi_refusal *r);

/* The capacity from this one on before which the knapsacks do not change. */
int64_t hsi_refusal_round(const hsi_refusal *r, int64_t capacity);

typedef struct hsi_refusal_effort {
    double tolerance; /* of the knapsacks, relative to a worker's part of the multipliers */
    size_t nodes[2];
} hsi_refusal_effort;

/* Takes multipliers, of kinds, to be tried. Only their proportions matter. */
void hsi_refusal_set(hsi_refusal *r, const double *y);

/*
 * Solves the knapsacks for a capacity, leaving the sets in them. Returns the sum
 * of the multipliers over m most[HS_CPU] + k most[HS_GPU], about; if it exceeds 1
 * in exact arithmetic the capacity is refused, and kept if that is new.
 */
double hsi_refusal_try(hsi_refusal *r, int64_t capacity, const hsi_refusal_effort *effort);

/* Might the last capacity tried be refused, had the knapsacks been solved to the end? */
int hsi_refusal_undecided(const hsi_refusal *r);

/*
 * The multipliers have refused `capacity`, with that ratio: seeks higher ones that
 * they refuse, with a dozen tries at most.
 */
void hsi_refusal_push(hsi_refusal *r, int64_t capacity, double ratio,
                      const hsi_refusal_effort *effort, const hsi_stop *stop);

/*
 * Bisects between what the best multipliers refuse and `high`, down to one cell: where
 * they stop is where a set begins to fit, and often exactly where the LP stops.
 */
void hsi_refusal_polish(hsi_refusal *r, int64_t high, const hsi_refusal_effort *effort,
                        const hsi_stop *stop);

#endif
