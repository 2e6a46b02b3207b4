/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_WINDOW_PROOF_H
#define TOOLS_CHECK_WINDOW_PROOF_H

#include "check/graph_proof.h"

/** Verify a node STEP_WINDOWS for the schedules of a case; return as graph_proof_flaw(). */
const char *window_proof_flaw(const certificate *c, const proof_node *node,
                              const graph_proof_case *of, mpq_srcptr value, limits *l);

#endif
