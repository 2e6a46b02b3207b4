/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_SEARCH_H
#define HSI_REFINE_GRAPH_SEARCH_H

#include "refine/best/best.h"

/* The steps of `best` on a graph. First come the start schedule, if given, and all algorithms of
 * the registry that take graphs, with each rank that they take. */
hs_status hsi_graph_offer_start(hsi_best *best, const hs_schedule *start);
hs_status hsi_graph_run_portfolio(hsi_best *best);

/* Compute the bound of paths and loads together, and seed the search from its shares. */
hs_status hsi_graph_compute_path_bound(hsi_best *best);

/* Compute the bound by windows; and by probes of places, where transfers take time. */
hs_status hsi_graph_compute_windows_bound(hsi_best *best);
hs_status hsi_graph_compute_probes_bound(hsi_best *best);

/* Compute the bound that also includes the work between tasks. */
hs_status hsi_graph_compute_work_bound(hsi_best *best);

/* Anneal in all threads until the search ends. */
hs_status hsi_graph_anneal_rounds(hsi_best *best);

#endif
