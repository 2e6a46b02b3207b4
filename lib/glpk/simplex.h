/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_GLPK_SIMPLEX_H
#define HSI_GLPK_SIMPLEX_H

#include <glpk.h>

#include "core/time_limit.h"

typedef enum hsi_simplex_end {
    HSI_SIMPLEX_OPTIMAL,
    HSI_SIMPLEX_ABOVE,   /* the simplex method ended since the objective exceeds `limit` */
    HSI_SIMPLEX_STOPPED, /* the simplex method ended since the time is up, or it was cancelled */
    HSI_SIMPLEX_FAILED   /* the simplex method gave no result; GLPK's error hook was not called */
} hsi_simplex_end;

/*
 * Run the dual simplex method from the current basis, in slices, so that time limit and cancel
 * request take effect within one LP. `tolerance` is GLPK's primal and dual feasibility tolerance;
 * after a failure GLPK's defaults are tried. Call under the guard.
 */
hsi_simplex_end hsi_run_simplex(glp_prob *lp, const hsi_stop *stop, double limit, double tolerance);

#endif
