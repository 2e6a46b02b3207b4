/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_SEARCH_H
#define HSI_REFINE_GRAPH_SEARCH_H

#include "refine/best/best.h"

/*
 * What `best` does on a graph. First the schedule it was given, if there is one, and each member of
 * the registry that takes graphs, with each rank that it takes;
 */
hs_status hsi_graph_start(hsi_best *best, const hs_schedule *start);
hs_status hsi_graph_portfolio(hsi_best *best);

/* then the bound that sees paths and loads at once, and what its shares come to; */
hs_status hsi_graph_bounds(hsi_best *best);

/* then the one that also sees the work between tasks; */
hs_status hsi_graph_work(hsi_best *best);

/* then annealing in all threads until the end. */
hs_status hsi_graph_search(hsi_best *best);

#endif
