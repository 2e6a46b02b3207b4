/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_SEEDS_H
#define HSI_REFINE_GRAPH_SEEDS_H

#include "refine/best/best.h"
#include "refine/graph/anneal_graph.h"

/* Start of the search on a graph: the genes of decoded schedules, of which the shortest is kept. */
struct hsi_seeds {
    hsi_arcs    arcs;
    hsi_decoder decoder;
    hsi_genes   best, tried;
    hsi_arena   arena;
};

/* Create the seeds of a graph. HS_ETOOBIG: the graph is too large to search. */
hs_status hsi_seeds_open(const hsi_problem *pb, hsi_seeds **out);
void      hsi_seeds_close(hsi_seeds *seeds);

/* Decode the places of a complete schedule, and keep them if shorter. */
void hsi_seeds_add_schedule(hsi_seeds *seeds, const hs_schedule *s);

/* Decode all tasks on the host and all on one GPU; tasks that cannot run
 * there run on the other. With long transfers, these schedules are shorter than the algorithms'. */
void hsi_seeds_add_single_places(hsi_seeds *seeds);

/* Round the shares of tasks on CPUs from the bound `paths` in several ways, and decode each. The
 * bound does not choose among GPUs: a task keeps its GPU or gets a random one. */
void hsi_seeds_add_cpu_shares(hsi_seeds *seeds, const double *cpu_share, hsi_random *random);

/* Copy `genes` to `best` if their makespan is shorter. */
void hsi_seeds_keep_if_better(hsi_seeds *seeds, const hsi_genes *genes);

/* Decode the best genes and offer the schedule to `best`, if shorter than its own. */
hs_status hsi_seeds_offer_best(hsi_best *best);

/* Random stream of roundings; no thread uses this number. */
#define HSI_ROUNDING_STREAM 1000000

#endif
