/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SOLVER_GLPK_H
#define HSI_SOLVER_GLPK_H

#include <hybridsched/solve.h>

#include "core/problem.h"

/*
 * The one door to GLPK. Its errors come out as HS_ESOLVER, its terminal output
 * is off, and its environment, which is per thread, is left as it was found.
 */

/* Multipliers of the area LP's two constraints: as a rule optimal, never more than a hint. */
hs_status hsi_glpk_area_multipliers(const hsi_problem *rows, double *u, double *v);

#endif
