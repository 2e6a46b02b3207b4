/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_BRANCH_H
#define HSI_REFINE_GRAPH_BRANCH_H

#include "refine/graph/windows.h"
#include "refine/refine.h"

/*
 * Branch and bound over small graphs. A node is a partial schedule; its children add a task that is
 * ready, on one of the places, as early as it can start there, and no earlier than the last. Each
 * schedule in which nothing can start earlier is found so. A child is left out that starts when
 * another could have been done and its outputs moved by then; a node, if it cannot be completed in
 * time (windows.h) or another was no worse (seen.h).
 */
typedef struct hsi_graph_branch hsi_graph_branch;

/* HS_ETOOBIG: this graph is not small. */
hs_status hsi_graph_branch_open(const hsi_arcs *arcs, hsi_graph_branch **out);
void      hsi_graph_branch_close(hsi_graph_branch *b);

/*
 * Goes on looking for a schedule that is shorter than `cutoff`, which may not rise, for so many
 * nodes (0: until the interrupt). HS_OK; then either of the next three says more.
 */
void hsi_graph_branch_step(hsi_graph_branch *b, double cutoff, uint64_t nodes,
                           const hsi_interrupt *interrupt);

/* All was looked at: nothing is shorter than the last cutoff. */
int hsi_graph_branch_ended(const hsi_graph_branch *b);

/* One was found by the last step, which ended then; the caller owns it. */
hs_status hsi_graph_branch_found(const hsi_graph_branch *b, hs_schedule **out);
int       hsi_graph_branch_has_found(const hsi_graph_branch *b);

/* Nodes of the last step. */
uint64_t hsi_graph_branch_nodes(const hsi_graph_branch *b);

/* A lower bound, no more than `high`, before anything is decided. */
double hsi_graph_branch_bound(hsi_graph_branch *b, double low, double high);

#endif
