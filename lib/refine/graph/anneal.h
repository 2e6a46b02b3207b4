/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_ANNEAL_H
#define HSI_REFINE_GRAPH_ANNEAL_H

#include "refine/graph/decode.h"
#include "refine/refine.h"
#include "support/random.h"

/* What a schedule is decoded from. */
typedef struct hsi_genes {
    uint32_t *place;  /* of tasks */
    double   *weight; /* of tasks: near 1 */
    double    makespan;
} hsi_genes;

/*
 * Simulated annealing over places and weights. A step changes one or two tasks, mostly of the chain
 * that makes the schedule as long as it is: another place, exchanged places of two that start at
 * about the same time, another weight. What is longer by no more than the temperature times -log of
 * a random number is kept; a step knows that beforehand, so that it can end early.
 */
typedef struct hsi_graph_anneal hsi_graph_anneal;

hs_status hsi_graph_anneal_open(const hsi_arcs *arcs, hsi_graph_anneal **out);
void      hsi_graph_anneal_close(hsi_graph_anneal *a);

typedef struct hsi_graph_run {
    uint64_t steps;      /* to be made; 0: until `end` */
    double   begin, end; /* of hsi_now(), with steps = 0 */
    double   hot;        /* temperature in the beginning; 0 in the end */
    double   enough;     /* a makespan that ends it */
    uint64_t made;       /* out */
} hsi_graph_run;

/* From `from`; *best gets the shortest that was met, if that is shorter than it was. */
void hsi_graph_anneal_go(hsi_graph_anneal *a, hsi_random *random, hsi_graph_run *run,
                         const hsi_interrupt *interrupt, const hsi_genes *from, hsi_genes *best);

#endif
