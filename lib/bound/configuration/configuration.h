/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_CONFIGURATION_CONFIGURATION_H
#define HSI_BOUND_CONFIGURATION_CONFIGURATION_H

#include "core/problem.h"
#include "core/time_limit.h"

/*
 * The configuration bound, computed in slices of time. A pattern is a set of tasks that a worker
 * can run within a makespan. The makespan is refused if no fractional combination of at most m CPU
 * patterns and k GPU patterns covers all tasks; multipliers of the tasks prove a refusal. The
 * search moves a target up from one refusal to the next.
 */
typedef struct hsi_configuration hsi_configuration;

/*
 * Create a search that starts at `safe_bound`, a safe bound; 0: at deadline's. HS_ETOOBIG: too many
 * kinds of tasks for this bound to be useful. The problem may have tasks or rows, and need not
 * outlive the call.
 */
hs_status hsi_configuration_open(const hsi_problem *pb, double safe_bound, hsi_configuration **out);

/* Create a search with the smallest cells possible for makespans up to about `longest_makespan`. */
hs_status hsi_configuration_open_exact(const hsi_problem *pb, double safe_bound,
                                       double longest_makespan, hsi_configuration **out);
void      hsi_configuration_close(hsi_configuration *cf);

/*
 * Optional calls before the first step: start with the worths of a similar problem's tasks, by row
 * of this problem; and set a bound at which hsi_configuration_improve_bound() may stop, since more
 * is useless.
 */
void hsi_configuration_set_multipliers(hsi_configuration *cf, const double *worth, size_t rows);
void hsi_configuration_set_sufficient_bound(hsi_configuration *cf, double bound);

/*
 * Continue until `stop`, which is polled every few milliseconds for a few hundred tasks, or until
 * the search has ended or reached the bound that is enough. HS_OK or HS_ENOMEM; proved bounds stay
 * valid in any case. Slices of less than 20 ms waste a part of the time.
 */
hs_status hsi_configuration_improve_bound(hsi_configuration *cf, const hsi_stop *stop);

/* Return the bound so far, which never exceeds the optimum, and grows. */
double hsi_configuration_bound(const hsi_configuration *cf);

/* Return an estimate of the relative growth of the bound that is still possible; 0 after the end
 * of the search, INFINITY before the first round. */
double hsi_configuration_possible_growth(const hsi_configuration *cf);
int    hsi_configuration_ended(const hsi_configuration *cf);

/* Return the kind of a row of the problem: rows with equal times are of one kind. */
uint32_t hsi_configuration_kind_of_row(const hsi_configuration *cf, size_t row);

/* Write the share of each kind, in [0, 1], that the last solution of the LP runs on CPUs. `share`
 * needs room for all rows. */
void hsi_configuration_cpu_shares(const hsi_configuration *cf, double *share);

/* Return the worth of a row's task (of each task, if the row has a count) on an arbitrary scale:
 * the multipliers that come nearest to a refusal of the next makespan. */
double hsi_configuration_row_worth(const hsi_configuration *cf, size_t row);

/*
 * A proof by multipliers. With w_i = floor(time_i / 2^grid) on each type, every set of tasks with
 * weights of at most `capacity` in all has multipliers of at most most[type] in all, but the
 * multipliers of all tasks exceed m most[HS_CPU] + k most[HS_GPU]. So no schedule is shorter than
 * (capacity + 1) 2^grid, and `bound` is that number, rounded down. (The proof refuses each T with
 * floor(T / 2^grid) = capacity.) The multipliers of all tasks add up to at most 2^50. `most` may
 * exceed the knapsack's optimum, but is never below it: a search that checks it may skip sets that
 * do not exceed it.
 */
typedef struct hsi_configuration_proof {
    double   bound;
    int      grid;
    int64_t  capacity;
    int64_t  most[2]; /* worth of the best set on a worker, by type; 0 for a type without workers */
} hsi_configuration_proof;

/* Fill *proof and return true, or return false if the search proved nothing beyond its initial
 * bound. */
bool hsi_configuration_get_proof(const hsi_configuration *cf, hsi_configuration_proof *proof);

/* Return the proof's multiplier of a row's task (of each task, if the row has a count). */
int64_t hsi_configuration_row_multiplier(const hsi_configuration *cf, size_t row);

#endif
