/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_TARGET_H
#define HSI_REFINE_TARGET_H

#include <math.h>

/* Targets of a search for schedules shorter than `certified`; for `grid` see bound/grid.h. */

/* Return the largest makespan whose refutation completes the proof. */
static inline double hsi_target_that_closes_gap(double certified, double gap, double grid)
{
    double next = grid > 0 ? certified - grid : nextafter(certified, 0);

    return gap > 0 ? fmin(certified / (1 + gap) * (1 + 1e-12), next) : next;
}

/* relative gap that a tree leaves open if makespans are on no grid */
#define HSI_CUTOFF_GAP 1e-11

/* Return the makespan below which a schedule is useful. A tree closes nodes whose bound reaches
 * this value; the gap is then reached in spite of rounding. */
static inline double hsi_useful_makespan_limit(double certified, double gap, double grid)
{
    if (gap > 0)
        return certified / (1 + fmax(gap, HSI_CUTOFF_GAP)) * (1 + HSI_CUTOFF_GAP / 10);
    return grid > 0 ? nextafter(certified - grid, INFINITY) : certified / (1 + HSI_CUTOFF_GAP);
}

#endif
