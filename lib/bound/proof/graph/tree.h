/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_PROOF_GRAPH_TREE_H
#define HSI_BOUND_PROOF_GRAPH_TREE_H

#include "core/certificate.h"
#include "core/problem.h"
#include "core/stop.h"
#include "support/vector.h"

/*
 * Proofs by cases that no schedule of a graph is shorter than a target. A case is split by the type
 * of a task, or by who comes first of two tasks of which neither waits for the other, if anybody
 * does: then one waits for the other; else they run beside each other at some time, so that what
 * comes before the one comes before what comes after the other. A case is proved by what proves
 * work-paths of its graph and its types, or because tasks of one type all run beside each other,
 * and are more than its workers.
 */
enum { HSI_TREE_VERTICES = 128 }; /* the most; 64 tasks with barriers, say */

#define HSI_NO_CASE UINT32_MAX

typedef struct hsi_graph_case {
    uint32_t       parent, child; /* the first of its parts, side by side; or HSI_NO_CASE */
    uint32_t       part;          /* which of its parent's it is */
    uint32_t       depth;
    double         bound; /* proved for it, by itself or by its parents */
    double         own;   /* by `proof` alone */
    hsi_proof_node proof; /* its ways are its own */
    hsi_proof_node split; /* where to; HSI_STEP_GRAPH: nowhere */
} hsi_graph_case;

typedef struct hsi_graph_prover {
    const hsi_problem *pb;
    double             target;
    double             goal; /* a hair below: as good as proved */
    double             grid; /* of makespans (bound/grid.h): what is above one proves the next */
    const hsi_stop    *stop;
    hsi_vector         cases; /* of hsi_graph_case */
    hsi_vector         heap;  /* uint32_t: the open ones, least bound first */

    /* The case at hand: */
    hsi_problem    now; /* with its graph, and infinite times where a type is closed */
    hs_graph       graph;
    double        *p, *q;
    unsigned char *edge;   /* of pairs of vertices */
    unsigned char *beside; /* of pairs of tasks */
    hsi_arena      arena;
} hsi_graph_prover;

hs_status hsi_graph_prover_begin(hsi_graph_prover *pr, const hsi_problem *pb, double target);
void      hsi_graph_prover_end(hsi_graph_prover *pr);

static inline hsi_graph_case *hsi_graph_case_at(const hsi_graph_prover *pr, size_t index)
{
    return (hsi_graph_case *)pr->cases.data + index;
}

static inline unsigned char *hsi_tree_edge(const hsi_graph_prover *pr, uint32_t from, uint32_t to)
{
    return &pr->edge[from * HSI_TREE_VERTICES + to];
}

static inline unsigned char *hsi_tree_beside(const hsi_graph_prover *pr, uint32_t a, uint32_t b)
{
    return &pr->beside[a * HSI_TREE_VERTICES + b];
}

/* Turns to a case, which sets what is at hand. */
void hsi_graph_prover_turn_to(hsi_graph_prover *pr, uint32_t index);

/* Proves what it can of the case that is turned to, and chooses where to split it. */
hs_status hsi_graph_prover_bound(hsi_graph_prover *pr, hsi_graph_case *c);

/*
 * Proves by such cases that no schedule is shorter than `target`, or as much of that as can be
 * until `stop`. HS_ETOOBIG: the graph is not small.
 */
hs_status hsi_certify_graph(const hsi_problem *pb, double target, const hsi_stop *stop,
                            hs_certificate *certificate);

#endif
