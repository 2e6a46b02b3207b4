/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_ALGORITHM_GRAPH_HEFT_H
#define HSI_ALGORITHM_GRAPH_HEFT_H

#include "core/graph/rank.h"
#include "core/log.h"

/*
 * HEFT: tasks by decreasing rank, equal ones in topological order, each to the worker that ends it
 * first, gaps between others included. A rank is no less than those behind it, so all before a
 * task are placed before it. HS_RANK_AVG or HS_RANK_MIN.
 */
hs_status hsi_heft_graph(const hsi_problem *pb, hs_rank rank, hsi_log *log);

#endif
