/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_GRAPH_PATHS_H
#define HSI_BOUND_GRAPH_PATHS_H

#include "bound/bound.h"

/*
 * The bound `paths` of a graph, and share[i], the part of task i that the best solution seen on the
 * way runs on CPUs: a hint. *known: 0 where none was seen.
 */
hs_status hsi_paths_find(const hsi_problem *pb, const hs_settings *settings, double *value,
                         double *share, int *known);

#endif
