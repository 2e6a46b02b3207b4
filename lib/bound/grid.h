/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_GRID_H
#define HSI_BOUND_GRID_H

#include <math.h>

#include "core/problem.h"

/* A unit that divides all times divides all makespans too, because makespans are sums of times. */

#define HSI_GRID_MOST_EXPONENT 2000 /* exponent of infinity, which every unit divides */

/* Return the exponent of the largest power of 2 that divides a time > 0. */
int hsi_grid_exponent(double time);

/* Return the largest power of 2 that divides all times, if all sums of times are exact, so that it
 * divides the optimum as well. Return 0 if sums may be inexact, or if the token was cancelled. */
double hsi_grid_of_times(const hsi_problem *pb);

/* Round `cells` down so that cells * 2^exponent is a double, and return that product. */
double hsi_grid_cells_to_time(int64_t cells, int exponent);

/* Return the least multiple of `grid` that is not below the bound; for grid 0 the bound itself. */
static inline double hsi_grid_round_up(double bound, double grid)
{
    return grid > 0 ? ceil(bound / grid) * grid : bound;
}

/* Return the least possible makespan above `refuted`, given that no makespan is `refuted` or
 * less. */
static inline double hsi_grid_next_above(double refuted, double grid)
{
    return grid > 0 ? (floor(refuted / grid) + 1) * grid : refuted;
}

#endif
