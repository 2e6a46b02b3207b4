/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_SEEDS_H
#define HSI_REFINE_GRAPH_SEEDS_H

#include "refine/best/best.h"
#include "refine/graph/anneal.h"

/* What the search on a graph begins with: the places of schedules, decoded; the shortest is kept.
 */
struct hsi_seeds {
    hsi_arcs    arcs;
    hsi_decoder decoder;
    hsi_genes   best, tried;
    hsi_arena   arena;
};

/* HS_ETOOBIG: the graph is too large to be searched. */
hs_status hsi_seeds_open(const hsi_problem *pb, hsi_seeds **out);
void      hsi_seeds_close(hsi_seeds *seeds);

/* The places in which a schedule of all tasks runs them. */
void hsi_seeds_try(hsi_seeds *seeds, const hs_schedule *s);

/*
 * The places that the bound `paths` shares tasks out to, rounded in some ways; of a task's GPU it
 * knows nothing, so that it stays where it is or gets any.
 */
void hsi_seeds_try_shares(hsi_seeds *seeds, const double *share, hsi_random *random);

/* Takes what is shorter. */
void hsi_seeds_take(hsi_seeds *seeds, const hsi_genes *genes);

/* The schedule of what was kept: `best`'s own if it is shorter. */
hs_status hsi_seeds_offer(hsi_best *best);

/* The stream of random numbers for roundings, which no thread has. */
#define HSI_ROUNDING_STREAM 1000000

#endif
