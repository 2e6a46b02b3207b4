/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SOLVER_BRANCHING_H
#define HSI_SOLVER_BRANCHING_H

#include "glpk/model.h"
#include "glpk/nodes.h"

typedef enum hsi_branching_rank {
    HSI_BRANCHING_NOTHING, /* every cell is fixed */
    HSI_BRANCHING_ANY_CELL,
    HSI_BRANCHING_FRACTIONAL_CELL,
    HSI_BRANCHING_FRACTIONAL_TYPE,
    HSI_BRANCHING_TOO_LONG
} hsi_branching_rank;

/* Two children that together contain all solutions of their parent; the second is searched
 * first. */
typedef struct hsi_branching {
    hsi_branching_rank rank;
    double         worth; /* order among equal ranks, higher first */
    uint32_t       cell, value[2];
    hsi_cut        kind[2];
} hsi_branching;

/* Choose the branching of the model's current node, given its bound and the shares of its LP. */
hsi_branching hsi_branching_choose(const hsi_model *model, double bound);

#endif
