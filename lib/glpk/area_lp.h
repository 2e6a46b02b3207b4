/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_GLPK_AREA_LP_H
#define HSI_GLPK_AREA_LP_H

#include "core/problem.h"
#include "core/time_limit.h"

/* Compute optimal multipliers u, v of the area LP's two constraints; use them as a hint only. At
 * the time limit, return GLPK's current values and *limit_reached = 1. HS_ECANCELED, HS_ESOLVER. */
hs_status hsi_area_multipliers(const hsi_problem *rows, const hsi_stop *stop, double *u,
                               double *v, int *limit_reached);

#endif
