/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_GRAPH_H
#define TOOLS_CHECK_GRAPH_H

#include <gmp.h>
#include <hybridsched/hybridsched.h>

#include "check/limits.h"
#include "check/read/read.h"
#include "check/web.h"

/** Some of a graph's schedules. */
typedef struct graph_case {
    const hs_instance *in;
    web                web; /* what comes after what in all of them */
    /* Of tasks: the types that none of them has it on; NULL: nothing is said of that. */
    const unsigned char (*closed)[2];
    const unsigned char *beside; /* of pairs of tasks: in all of them both run at some time */
} graph_case;

/**
 * Why no schedule of the graph but one that takes `value` or longer is ruled out by the proof,
 * which is one node STEP_GRAPH, or a tree of cases; NULL: it is.
 */
const char *graph_flaw(const certificate *c, const hs_instance *in, mpq_srcptr value, limits *l);

/** The same of the schedules of a case, by a node that is STEP_GRAPH or STEP_CROWD. */
const char *graph_case_flaw(const certificate *c, const proof_node *node, const graph_case *of,
                            mpq_srcptr value, limits *l);

/** The same by a tree of cases. */
const char *graph_cases_flaw(const certificate *c, const graph_case *whole, mpq_srcptr value,
                             limits *l);

#endif
