/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SOLVER_ASSIGNMENT_H
#define HSI_SOLVER_ASSIGNMENT_H

#include "core/problem.h"
#include "core/stop.h"

/* Groups of workers that share work: all workers of a type, or each worker alone. */
typedef enum hsi_grouping { HSI_GROUP_A_TYPE, HSI_GROUP_A_WORKER } hsi_grouping;

/*
 * Bound the assignment MIP, which assigns integral tasks to groups of workers: the least T such
 * that no group has more work than its number of workers times T, and no task takes longer than T
 * where it runs. Branch and bound over GLPK's linear programs.
 *
 * *value is at most the true least T and, with one group per worker, at most the optimal makespan.
 * It is lower only through rounding, by 10^-9 or the gap of the settings, or because time was up
 * (*limit_reached). It is at least `least` > 0, a known lower bound. HS_ETOOBIG: more than
 * HSI_ASSIGNMENT_CELLS cells (rows x groups).
 */
hs_status hsi_assignment_bound(const hsi_problem *rows, hsi_grouping grouping, double least,
                               const hsi_stop *stop, double *value, int *limit_reached);

#define HSI_ASSIGNMENT_CELLS 200000

#endif
