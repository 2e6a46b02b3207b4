/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_RELEASE_H
#define HSI_BOUND_RELEASE_H

#include "core/problem.h"
#include "support/exact.h"

/*
 * The work that workers can do by a time T when each becomes available at a time a: the sum of T -
 * a over the workers with a < T. The sum is convex in T, and no other set of workers has a larger
 * one. So T is the least of the times for all sets of workers, and only the sets of the first few
 * to become available matter.
 */
typedef struct hsi_release {
    size_t    workers[2]; /* by type */
    double       *at[2];      /* times of availability of the workers, increasing; NULL: 0 */
    double   *can[2];     /* work that earlier workers have done until each of these times,
                             rounded */
    double       *sum[2]; /* sum of the times of the earlier workers, rounded */
    double    latest;
    uint32_t     *order; /* worker numbers in the order of availability */
    const double *available;
    unsigned  cpus;
} hsi_release;

/* Allocate in the arena and sort the workers. O(w log w). */
hs_status hsi_release_open(hsi_release *r, const hsi_problem *pb, hsi_arena *arena);

/* Return about when the workers of a type have done `load`. O(log w). */
double hsi_release_end_of_load(const hsi_release *r, hs_type type, double load);

/* Return T such that u times the work of CPUs and v times the work of GPUs by T is the numerator,
 * rounded down. O(w). */
double hsi_release_time_of_weighted_work(const hsi_release *r, const hsi_sum *weighted_work,
                                         double cpu_multiplier, double gpu_multiplier);

/* Return when the first worker of a type is available; INFINITY: no worker. */
double hsi_first_available_time(const hsi_problem *pb, hs_type type);

#endif
