/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_TARGET_H
#define HSI_REFINE_TARGET_H

#include <math.h>

/* What is worth looking for beside a schedule that takes `certified`; `grid`: bound/grid.h. */

/* The largest makespan whose refutation is all that is wanted. */
static inline double hsi_last_target(double certified, double gap, double grid)
{
    double next = grid > 0 ? certified - grid : nextafter(certified, 0);

    return gap > 0 ? fmin(certified / (1 + gap) * (1 + 1e-12), next) : next;
}

/* A gap that a tree leaves open, where makespans are on no grid. */
#define HSI_CUTOFF_GAP 1e-11

/*
 * A schedule below this is worth having; nodes of a tree whose bound reaches it are closed,
 * and then no rounding keeps the gap from being reached.
 */
static inline double hsi_cutoff(double certified, double gap, double grid)
{
    if (gap > 0)
        return certified / (1 + fmax(gap, HSI_CUTOFF_GAP)) * (1 + HSI_CUTOFF_GAP / 10);
    return grid > 0 ? nextafter(certified - grid, INFINITY) : certified / (1 + HSI_CUTOFF_GAP);
}

#endif
