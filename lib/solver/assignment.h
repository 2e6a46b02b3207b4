/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SOLVER_ASSIGNMENT_H
#define HSI_SOLVER_ASSIGNMENT_H

#include "core/problem.h"
#include "core/stop.h"

/* Who shares the work: all workers of a type, or each worker has its own. */
typedef enum hsi_grouping { HSI_GROUP_A_TYPE, HSI_GROUP_A_WORKER } hsi_grouping;

/*
 * The assignment MIP: tasks, whole, to groups of workers. The least T such that no
 * group has more work than its workers times T, and no task takes longer than T
 * where it runs. Solved by branch and bound over GLPK's linear programs.
 *
 * *value: never above the true least T nor, for a group a worker, above the
 * optimal makespan; less than it only by rounding, by 10^-9 or the settings' gap,
 * or because the time was up, which *limit_reached tells. Never below `least` > 0, which the caller
 * knows to be safe. HS_ETOOBIG: more cells (rows x groups) than HSI_ASSIGNMENT_CELLS.
 */
hs_status hsi_assignment_bound(const hsi_problem *rows, hsi_grouping grouping, double least,
                               const hsi_stop *stop, double *value, int *limit_reached);

#define HSI_ASSIGNMENT_CELLS 200000

#endif
