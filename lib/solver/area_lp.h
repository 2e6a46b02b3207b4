/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SOLVER_AREA_LP_H
#define HSI_SOLVER_AREA_LP_H

#include "core/problem.h"
#include "core/stop.h"

/*
 * Optimal multipliers of the area LP's two constraints, to be trusted only as a
 * hint. HS_ECANCELED if the caller cancels; at the time limit what GLPK has.
 */
hs_status hsi_area_multipliers(const hsi_problem *rows, const hsi_stop *stop, double *u,
                               double *v, int *limit_reached);

#endif
