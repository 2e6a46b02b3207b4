/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_CONFIGURATION_REFUSE_MAKESPAN_H
#define HSI_BOUND_CONFIGURATION_REFUSE_MAKESPAN_H

#include "bound/knapsack.h"
#include "core/problem.h"
#include "core/time_limit.h"
#include "support/arena.h"

/*
 * Refuse makespans by multipliers, in integers. Times are counted in cells of 2^grid: a set of
 * tasks that a worker can run in less than c + 1 cells weighs at most c cells, if each task weighs
 * its whole cells only. If, for multipliers Y >= 0 of the tasks, every such set on a CPU is worth
 * at most `most[HS_CPU]`, every such set on a GPU at most `most[HS_GPU]`, and
 *
 *     sum of Y > m most[HS_CPU] + k most[HS_GPU],
 *
 * then m + k workers cannot run all tasks in less than (c + 1) 2^grid: the capacity c is refused.
 * All this is computed in integers, for multipliers of any origin.
 */
typedef struct hsi_makespan_refusal {
    hsi_arena   arena;   /* memory of the arrays below */
    hsi_problem problem; /* knapsack problem with an item for each kind; the next fields are
                            its arrays */
    size_t          kinds;
    const uint32_t *count; /* tasks of each kind */
    const double   *time[2];
    unsigned        workers[2];
    uint32_t       *kind_of; /* kind of each row of the given problem */
    int64_t        *weight[2];
    int             grid;
    int64_t         unit; /* common divisor of the tasks' weights; 1 if the weights are rounded */
    int64_t         capacity_limit;

    hsi_knapsack knapsack[2];
    int64_t     *multiplier; /* multipliers to be tried, by kind */
    int64_t      most[2];

    /* The best refusal found so far, by multipliers or by another bound. */
    int64_t  refused; /* largest capacity refused; initially by another bound */
    bool     proved;  /* whether the multipliers below prove `refused` */
    int64_t *best_multiplier;
    int64_t  best_most[2];
} hsi_makespan_refusal;

/*
 * Prepare refusals above `safe_bound` > 0, a safe bound. Cells are small compared with
 * `safe_bound`; if `longest_makespan` is finite they are as small as possible, and no capacity
 * beyond `longest_makespan` is refused. HS_ETOOBIG: more than most_kinds kinds.
 */
hs_status hsi_makespan_refusal_open(hsi_makespan_refusal *r, const hsi_problem *pb,
                                    double safe_bound, double longest_makespan, size_t most_kinds);
void      hsi_makespan_refusal_close(hsi_makespan_refusal *r);

/* Return the bound that is proved, rounded down. */
double hsi_makespan_refusal_bound(const hsi_makespan_refusal *r);

/* Return the largest capacity for which the knapsacks have the same solutions as for `capacity`. */
int64_t hsi_makespan_refusal_round_capacity_up(const hsi_makespan_refusal *r, int64_t capacity);

typedef struct hsi_makespan_refusal_effort {
    double tolerance; /* tolerance of the knapsacks, relative to a worker's share of the
                         multipliers */
    size_t nodes[2];
} hsi_makespan_refusal_effort;

/* Set multipliers of the kinds to be tried. Only their proportions matter. */
void hsi_makespan_refusal_set_multipliers(hsi_makespan_refusal *r, const double *multiplier);

/*
 * Solve the knapsacks for a capacity and keep their sets. Return the sum of the multipliers over m
 * most[HS_CPU] + k most[HS_GPU], rounded. If it exceeds 1 in exact arithmetic, the capacity is
 * refused and stored if it is the largest so far.
 */
double hsi_makespan_refusal_test_capacity(hsi_makespan_refusal *r, int64_t capacity,
                                          const hsi_makespan_refusal_effort *effort);

/* Return true if complete knapsacks might have refused the last capacity tried. */
bool hsi_makespan_refusal_is_undecided(const hsi_makespan_refusal *r);

/* Look for larger capacities that the multipliers refuse, with at most a dozen tries. They have
 * refused `capacity`, with that ratio. */
void hsi_makespan_refusal_raise_capacity(hsi_makespan_refusal *r, int64_t capacity, double ratio,
                                         const hsi_makespan_refusal_effort *effort,
                                         const hsi_stop                    *stop);

/* Bisect between the capacity that the best multipliers refuse and `high`, down to one cell. The
 * limit is where a set begins to fit, and often exactly where the LP stops. */
void hsi_makespan_refusal_bisect_capacity(hsi_makespan_refusal *r, int64_t high,
                                          const hsi_makespan_refusal_effort *effort,
                                          const hsi_stop                    *stop);

#endif
