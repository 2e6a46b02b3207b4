/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SOLVE_TEXT_H
#define TOOLS_SOLVE_TEXT_H

#include "solve/solve.h"

/** One instance's results as aligned tables, best first. */
void solve_text(const solve_request *request, const solve_result *result, int first);

#endif
