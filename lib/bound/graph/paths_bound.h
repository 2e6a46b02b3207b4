/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_GRAPH_PATHS_BOUND_H
#define HSI_BOUND_GRAPH_PATHS_BOUND_H

#include "bound/bound.h"

/* Compute the bound `paths` of a graph. cpu_share[i]: part of task i that the best solution found
 * runs on CPUs, as a hint. *known: 0 if no solution was found. */
hs_status hsi_paths_bound_find(const hsi_problem *pb, const hs_settings *settings, double *value,
                               double *cpu_share, int *found);

#endif
