/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_RELEASE_H
#define HSI_BOUND_RELEASE_H

#include "core/problem.h"
#include "support/exact.h"

/*
 * What workers can do by a time T if each comes when it is available: the sum of T - a over those
 * with a < T. That is convex in T, and so above the same sum over any other set of workers: T is
 * the least of what all sets would say, of which only those of the first few to come matter.
 */
typedef struct hsi_release {
    size_t    workers[2]; /* by type */
    double   *at[2];      /* when they come, rising; NULL: all at 0 */
    double   *can[2];     /* what those before have done when one comes, about */
    double   *sum[2];     /* of when those before it came, about */
    double    latest;
    uint32_t *order; /* of all workers, by when they come */
    const double *available;
    unsigned  cpus;
} hsi_release;

/* In the arena. O(w log w). */
hs_status hsi_release_open(hsi_release *r, const hsi_problem *pb, hsi_arena *arena);

/* When the workers of a type will have done so much, about. O(log w). */
double hsi_release_time(const hsi_release *r, hs_type type, double load);

/* T with u times what CPUs can do and v times what GPUs can do by T the numerator; never more.
 * O(w). */
double hsi_release_divide(const hsi_release *r, const hsi_sum *numerator, double u, double v);

/* When the first worker of a type comes, or of either; INFINITY: there is none. */
double hsi_first_available(const hsi_problem *pb, hs_type type);

#endif
