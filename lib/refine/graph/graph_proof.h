/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_PROVE_H
#define HSI_REFINE_GRAPH_PROVE_H

#include "refine/best/best.h"

/* The proof of optimality beside the search on a small graph. */
typedef struct hsi_best_prover hsi_best_prover;

/* Create a prover and raise the bound of `best` at once. *out is NULL if the graph is too large. */
hs_status hsi_best_prover_open(hsi_best *best, hsi_best_prover **out);
void      hsi_best_prover_close(hsi_best_prover *prover);

/* Return true if the proof is complete or `prover` is NULL. */
bool hsi_best_prover_ended(const hsi_best_prover *prover);

/* Where transfers take time: aim at much shorter schedules (place_aims.h), for `seconds` or for
 * `most` counted iterations. Schedules and refutations go to `best`. */
hs_status hsi_best_prover_aim(hsi_best_prover *prover, double seconds, uint64_t most);

/* Return how many iterations an application of rules counts for: it takes about as long as
 * annealing this number of steps. */
static inline uint64_t hsi_iterations_per_place_step(const hsi_problem *pb)
{
    return 1 + pb->n / 2;
}

/* Continue the proof for `seconds`, or for `most_nodes` if iterations are counted; nodes count as
 * iterations. Shorter schedules go to `best`. */
hs_status hsi_best_prover_continue(hsi_best_prover *prover, double seconds, uint64_t most_nodes);

#endif
