/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_GRAPH_H
#define TOOLS_CHECK_GRAPH_H

#include <gmp.h>
#include <hybridsched/hybridsched.h>

#include "check/limits.h"
#include "check/read/read.h"

/**
 * Why no schedule of the graph but one that takes `value` or longer is ruled out by the proof,
 * whose one node is STEP_GRAPH; NULL: it is.
 */
const char *graph_flaw(const certificate *c, const hs_instance *in, const mpq_t value, limits *l);

#endif
