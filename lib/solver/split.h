/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SOLVER_SPLIT_H
#define HSI_SOLVER_SPLIT_H

#include "solver/model.h"
#include "solver/nodes.h"

typedef enum hsi_split_rank {
    HSI_SPLIT_NOTHING, /* every cell is decided */
    HSI_SPLIT_ANY_CELL,
    HSI_SPLIT_FRACTIONAL_CELL,
    HSI_SPLIT_FRACTIONAL_TYPE,
    HSI_SPLIT_TOO_LONG
} hsi_split_rank;

/* Two children that together hold what their parent holds; the second is looked at first. */
typedef struct hsi_split {
    hsi_split_rank rank;
    double         worth; /* among equal ranks */
    uint32_t       cell, value[2];
    hsi_cut        kind[2];
} hsi_split;

/* Where to split the model's node, whose bound and latest LP shares are known. */
hsi_split hsi_split_choose(const hsi_model *model, double bound);

#endif
