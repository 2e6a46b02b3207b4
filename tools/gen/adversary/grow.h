/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_GEN_ADVERSARY_GROW_H
#define TOOLS_GEN_ADVERSARY_GROW_H

#include "gen/adversary/moves.h"

/* A case on more workers, with a witness for them: what is bad on few is hard to find on many. */

/** So many times the case side by side, on as many times its workers. */
void case_repeat(bad_case *c, unsigned copies);

/**
 * One worker more of that type. What it has to do is one of several things, `way` says which:
 * nothing; a chain of one task or a few that fills it; a copy of a task, or of all tasks that hang
 * together. 0: there are no more ways.
 */
int case_widen(bad_case *c, hs_type type, size_t way, const case_limits *limits);

#endif
