/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SOLVER_SIMPLEX_H
#define HSI_SOLVER_SIMPLEX_H

#include <glpk.h>

#include "core/stop.h"

typedef enum hsi_simplex_end {
    HSI_SIMPLEX_OPTIMAL,
    HSI_SIMPLEX_ABOVE,   /* the objective exceeds the limit given */
    HSI_SIMPLEX_STOPPED, /* time, or the caller */
    HSI_SIMPLEX_FAILED   /* nothing is known; never an error of its own */
} hsi_simplex_end;

/*
 * The dual simplex method from the present basis, in slices, so that the time
 * limit and cancel are seen within one LP too. `tolerance` is for GLPK's tests of
 * primal and dual feasibility; if it gets nowhere with that, its own is tried. To be
 * called under the guard.
 */
hsi_simplex_end hsi_simplex(glp_prob *lp, const hsi_stop *stop, double limit, double tolerance);

#endif
