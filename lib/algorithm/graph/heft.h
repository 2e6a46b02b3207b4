/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_ALGORITHM_GRAPH_HEFT_H
#define HSI_ALGORITHM_GRAPH_HEFT_H

#include "core/graph/rank.h"
#include "core/recorder.h"

/*
 * HEFT: place tasks by decreasing rank, equal ones in topological order, each on the worker that
 * ends it first, gaps included. A rank is at least the ranks of its successors, so predecessors are
 * placed first. `rank`: HS_RANK_AVG or HS_RANK_MIN.
 */
hs_status hsi_heft_schedule_graph(const hsi_problem *pb, hs_rank rank, hsi_recorder *recorder);

#endif
