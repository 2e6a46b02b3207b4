/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_PROVE_H
#define HSI_REFINE_GRAPH_PROVE_H

#include "refine/best/best.h"

/* The proof beside the search, where a graph is small. */
typedef struct hsi_graph_prover hsi_graph_prover;

/* *out is NULL where there is none. The bound may rise at once. */
hs_status hsi_graph_prover_open(hsi_best *best, hsi_graph_prover **out);
void      hsi_graph_prover_close(hsi_graph_prover *prover);

/* There is nothing left for it to do. */
int hsi_graph_prover_ended(const hsi_graph_prover *prover);

/* Goes on for so many seconds, or nodes if they are counted, which are iterations then. */
hs_status hsi_graph_prover_step(hsi_graph_prover *prover, double seconds, uint64_t nodes);

#endif
