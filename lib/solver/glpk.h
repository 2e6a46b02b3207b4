/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SOLVER_GLPK_H
#define HSI_SOLVER_GLPK_H

#include <hybridsched/solve.h>

#include "core/problem.h"

/*
 * The one door to GLPK. Its errors come out as HS_ESOLVER, its terminal output
 * is off, and its environment, which is per thread, is left as it was found.
 */

/*
 * A task that is so much slower on one type stays on the other: to cut it changes
 * less than rounding does.
 */
#define HSI_GLPK_MOST_RATIO 0x1p70

/* Optimal multipliers of the area LP's two constraints, to be trusted only as a hint. */
hs_status hsi_glpk_area_multipliers(const hsi_problem *rows, double *u, double *v);

#endif
