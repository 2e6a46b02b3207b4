/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SOLVER_ORDER_TREE_H
#define HSI_SOLVER_ORDER_TREE_H

#include "core/graph/arcs.h"
#include "core/stop.h"

/*
 * Compute a lower bound of all schedules of a graph, the optimum if time allows: best-first search
 * over the mixed program of order_lp.h. Each node's bound is proved; the least bound of the open
 * nodes holds for all schedules at any time. HS_ETOOBIG: the graph is too large.
 */
hs_status hsi_order_bound(const hsi_arcs *arcs, double least, const hsi_stop *stop, double *value,
                          int *limit_reached);

#endif
