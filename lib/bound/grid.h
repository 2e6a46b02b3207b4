/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_GRID_H
#define HSI_BOUND_GRID_H

#include <math.h>

#include "core/problem.h"

/* Makespans are sums of times, so they are multiples of what all times are multiples of. */

#define HSI_GRID_MOST_EXPONENT 2000 /* of infinity, which is a multiple of everything */

/* The exponent of the largest power of 2 of which a time > 0 is a multiple. */
int hsi_grid_exponent(double time);

/*
 * The power of 2 of which all times are multiples, so that the optimum is one too,
 * if all sums of them are exact; else 0, or if the asker wants no more.
 */
double hsi_grid_of(const hsi_problem *pb);

/* The greatest double that is not above so many cells of 2^exponent, which is a double. */
double hsi_grid_value(int64_t cells, int exponent);

/* The least multiple that is not below the bound; the bound itself if nothing is known. */
static inline double hsi_grid_up(double bound, double grid)
{
    return grid > 0 ? ceil(bound / grid) * grid : bound;
}

/* No makespan is `refuted` or less: then none is less than this. */
static inline double hsi_grid_above(double refuted, double grid)
{
    return grid > 0 ? (floor(refuted / grid) + 1) * grid : refuted;
}

#endif
