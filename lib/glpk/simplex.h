/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_GLPK_SIMPLEX_H
#define HSI_GLPK_SIMPLEX_H

#include <glpk.h>
#include <math.h>

#include "core/time_limit.h"

typedef enum hsi_simplex_end {
    HSI_SIMPLEX_OPTIMAL,
    HSI_SIMPLEX_STOPPED, /* the method ended since the time is up or the counted work is done, or it
                            was cancelled */
    HSI_SIMPLEX_FAILED   /* the simplex method gave no result; the error hook of GLPK was not called
                          */
} hsi_simplex_end;

/* Return a positive number as a coefficient of an LP, whose other numbers are near 1. GLPK divides by
 * coefficients, which overflows for subnormal ones: a number too small to matter becomes 0, and a number
 * too large for any solution of interest is cut. */
static inline double hsi_lp_coefficient(double number)
{
    return number < 0x1p-100 ? 0 : fmin(number, 0x1p100);
}

/*
 * Run a simplex method (GLP_PRIMAL or GLP_DUALP) from the current basis, in slices, so that time
 * limit and cancel request take effect within one LP. If the settings count iterations, GLP_DUALP
 * also stops after a fixed amount of work for the LP. `tolerance` is GLPK's primal and dual
 * feasibility tolerance, 0 its default. After a failure the method starts again from the standard
 * basis with GLPK's defaults. Call under the guard.
 */
hsi_simplex_end hsi_run_simplex(glp_prob *lp, const hsi_stop *stop, int method, double tolerance);

#endif
