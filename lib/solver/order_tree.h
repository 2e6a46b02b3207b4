/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SOLVER_ORDER_TREE_H
#define HSI_SOLVER_ORDER_TREE_H

#include "core/graph/arcs.h"
#include "core/stop.h"

/*
 * A lower bound on all schedules of a graph, the optimum if the time allows: best first over the
 * mixed program of order_lp.h. Each node's bound is proved anew, and the least of those that are
 * open holds for all: it may be stopped at any time. HS_ETOOBIG: the graph is not small.
 */
hs_status hsi_order_bound(const hsi_arcs *arcs, double least, const hsi_stop *stop, double *value,
                          int *limit_reached);

#endif
