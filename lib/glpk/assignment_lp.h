/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SOLVER_ASSIGNMENT_LP_H
#define HSI_SOLVER_ASSIGNMENT_LP_H

#include "glpk/model.h"
#include "glpk/simplex.h"

/* Build GLPK's LP of the assignment MIP. Call under the guard, which also frees the LP after an
 * error. */
glp_prob *hsi_assignment_lp(const hsi_model *model);

/* Copy the model's bounds of a row's cells to the LP. */
void hsi_assignment_lp_row(glp_prob *lp, const hsi_model *model, size_t row);

/* Solve the LP of the current node into model->share and model->multiplier. Above `limit` only the
 * multipliers are valid; after a failure neither is. */
hsi_simplex_end hsi_assignment_lp_solve(glp_prob *lp, hsi_model *model, const hsi_stop *stop,
                                        double limit);

#endif
