/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SOLVER_ASSIGNMENT_LP_H
#define HSI_SOLVER_ASSIGNMENT_LP_H

#include "solver/model.h"
#include "solver/simplex.h"

/* GLPK's side of the assignment MIP. To be called under the guard, which also frees it. */
glp_prob *hsi_assignment_lp(const hsi_model *model);

/* Gives the LP the model's bounds of a row's cells. */
void hsi_assignment_lp_row(glp_prob *lp, const hsi_model *model, size_t row);

/*
 * Solves the LP of the node at hand into model->share and model->multiplier. Above
 * the limit only the multipliers mean anything, after a failure nothing does.
 */
hsi_simplex_end hsi_assignment_lp_solve(glp_prob *lp, hsi_model *model, const hsi_stop *stop,
                                        double limit);

#endif
