/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_ANNEAL_H
#define HSI_REFINE_GRAPH_ANNEAL_H

#include "refine/graph/decode_genes.h"
#include "refine/refine.h"
#include "support/random.h"

/* The genes from which a schedule is decoded. */
typedef struct hsi_genes {
    uint32_t *place;  /* place of each task: the CPUs or one GPU */
    double   *weight; /* weight of each task's rank, near 1 */
    double    makespan;
} hsi_genes;

/*
 * Simulated annealing over places and weights. A step changes one or two tasks, mostly on the chain
 * that determines the makespan: a new place, exchanged places of two tasks that start at about the
 * same time, or a new weight. A step is accepted if the makespan is below the current one minus the
 * temperature times log of a random number; this limit is drawn first, so that decoding can end
 * early.
 */
typedef struct hsi_graph_anneal hsi_graph_anneal;

hs_status hsi_graph_anneal_open(const hsi_arcs *arcs, hsi_graph_anneal **out);
void      hsi_graph_anneal_close(hsi_graph_anneal *a);

typedef struct hsi_graph_run {
    uint64_t steps;      /* steps by which the temperature falls to 0; 0: run until `end` */
    uint64_t most;       /* limit of the steps, used if steps > 0 */
    double   begin, end; /* times of hsi_clock_seconds(), used if steps = 0 */
    double   hot;        /* first temperature; the last is 0 */
    double   enough;     /* makespan that ends the run */
    uint64_t made;       /* out: steps made */
} hsi_graph_run;

/* Anneal from the genes `from`. If a shorter schedule than *best is met, copy its genes to
 * *best. */
void hsi_graph_anneal_run(hsi_graph_anneal *a, hsi_random *random, hsi_graph_run *run,
                          const hsi_interrupt *interrupt, const hsi_genes *from, hsi_genes *best);

#endif
