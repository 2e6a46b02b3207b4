/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_GRAPH_PROOF_H
#define TOOLS_CHECK_GRAPH_PROOF_H

#include <gmp.h>
#include <hybridsched/hybridsched.h>

#include "check/limits.h"
#include "check/read/certificate_read.h"
#include "check/task_order.h"

/** A case of a proof: some of the schedules of a graph. */
typedef struct graph_proof_case {
    const hs_instance *in;
    task_order         task_order; /* order that every schedule of the case obeys */
    /* Per task: the types excluded in every schedule of the case; NULL: none. */
    const unsigned char (*closed)[2];
    /* per pair of tasks: whether both overlap in every schedule of the case */
    const unsigned char *beside;
} graph_proof_case;

/**
 * Return why the proof does not show that every schedule of the graph takes `value` or longer;
 * NULL: it does. The proof is one node STEP_GRAPH or STEP_WINDOWS, or a tree of
 * cases.
 */
const char *graph_proof_flaw(const certificate *c, const hs_instance *in, mpq_srcptr value,
                             limits *l);

/** Verify a leaf of such a tree for the schedules of a case; return as
 * graph_proof_flaw(). */
const char *graph_proof_leaf_flaw(const certificate *c, const proof_node *node,
                                  const graph_proof_case *of, mpq_srcptr value, limits *l);

/** Verify a tree of cases; return as graph_proof_flaw(). */
const char *graph_proof_tree_flaw(const certificate *c, const graph_proof_case *whole,
                                  mpq_srcptr value, limits *l);

#endif
