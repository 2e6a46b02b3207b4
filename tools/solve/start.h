/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SOLVE_START_H
#define TOOLS_SOLVE_START_H

#include <hybridsched/io.h>

/**
 * Read the plan `path` as a schedule of `in`, whose tasks it may have in another
 * order. 0, or an exit code after a message. On 0 the caller frees *out.
 */
int start_read(const char *path, const hs_instance *in, hs_schedule **out);

#endif
