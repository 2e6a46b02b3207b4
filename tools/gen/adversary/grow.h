/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_GEN_ADVERSARY_GROW_H
#define TOOLS_GEN_ADVERSARY_GROW_H

#include "gen/adversary/moves.h"

/*
 * Extending a case and its witness to more workers, because bad cases are hard to find directly for
 * many workers.
 */

/** Place `copies` copies of the case side by side, on as many times its workers. */
void case_repeat(bad_case *c, unsigned copies);

/**
 * Add a worker of a type. `way` selects its work: nothing; a chain of one or a few tasks that fills
 * it; a copy of a task, or of all tasks connected with it. Return false if there are no more ways.
 */
bool case_widen(bad_case *c, hs_type type, size_t way, const case_limits *limits);

#endif
