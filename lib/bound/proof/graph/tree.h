/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_PROOF_GRAPH_TREE_H
#define HSI_BOUND_PROOF_GRAPH_TREE_H

#include "core/certificate.h"
#include "core/problem.h"
#include "core/time_limit.h"
#include "support/vector.h"

/*
 * Proofs by cases that no schedule of a graph is shorter than a target. A case is split by the type
 * of a task into two parts, or by the order of two independent tasks into three: the first before
 * the second; the second before the first; or both run beside each other at some time, so that
 * predecessors of each precede successors of the other. A case is proved as work-paths or
 * place-windows proves a bound, for the case's graph and types; or because tasks of one type all
 * run beside each other, and outnumber the type's workers.
 */
enum { HSI_TREE_VERTICES = 128 }; /* the largest graph, for example 64 tasks with barriers */

typedef struct hsi_graph_case {
    uint32_t parent, child;       /* indices of the parent and of the first child, whose siblings
                                     follow it; HS_NONE: none */
    uint32_t       part;          /* number of the part within the parent */
    uint32_t       depth;
    double         bound; /* bound proved for the case, by itself or by an ancestor */
    double         own;   /* bound proved by `proof` alone */
    hsi_proof_node proof; /* proof of the case; owns its paths */
    hsi_proof_node split; /* way to split the case; HSI_STEP_GRAPH: none */
} hsi_graph_case;

typedef struct hsi_graph_prover {
    const hsi_problem *pb;
    double             target;
    double             goal; /* slightly below the target: a case with this bound counts as
                                proved */
    double             grid; /* divides all makespans (bound/grid.h), so bounds round up to a
                                multiple; 0: not known */
    const hsi_stop    *stop;
    hsi_vector         cases; /* of hsi_graph_case */
    hsi_vector         heap;  /* uint32_t: the open cases, least bound first */

    /* The present case: */
    hsi_problem    now; /* problem with the graph below, and infinite times where a type is
                           closed */
    hs_graph       graph;
    double        *p, *q;
    double        *bytes;  /* by pair of vertices: bytes of the edge of the whole graph; 0: none */
    unsigned char *edge;   /* by pair of vertices: whether an edge leads from the first to the
                              second */
    unsigned char *beside; /* by pair of tasks: whether they run beside each other at some time */
    hsi_arena      arena;
} hsi_graph_prover;

hs_status hsi_graph_prover_begin(hsi_graph_prover *pr, const hsi_problem *pb, double target);
void      hsi_graph_prover_end(hsi_graph_prover *pr);

static inline hsi_graph_case *hsi_graph_case_at(const hsi_graph_prover *pr, size_t index)
{
    return (hsi_graph_case *)pr->cases.data + index;
}

static inline unsigned char *hsi_tree_edge_at(const hsi_graph_prover *pr, uint32_t from,
                                              uint32_t to)
{
    return &pr->edge[from * HSI_TREE_VERTICES + to];
}

static inline unsigned char *hsi_tree_are_apart(const hsi_graph_prover *pr, uint32_t first,
                                                uint32_t second)
{
    return &pr->beside[first * HSI_TREE_VERTICES + second];
}

/* Turn to a case: set the fields of the present case. */
void hsi_graph_prover_enter_case(hsi_graph_prover *pr, uint32_t index);

/* Prove a bound for the present case, as high as possible, and choose a split. */
hs_status hsi_graph_prover_bound_case(hsi_graph_prover *pr, hsi_graph_case *c);

/* Prove by cases that no schedule is shorter than `target`, or than the highest value proved until
 * `stop`. HS_ETOOBIG: more than HSI_TREE_VERTICES vertices. */
hs_status hsi_certify_graph(const hsi_problem *pb, double target, const hsi_stop *stop,
                            hs_certificate *certificate);

#endif
