/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_SEEN_H
#define HSI_REFINE_GRAPH_SEEN_H

#include "refine/graph/time_windows.h"
#include "support/exact.h"

/*
 * Store of completely searched partial schedules. Schedule A dominates schedule B of the same tasks
 * if, in A, workers of each place are free as early, each output reaches each place as early, the
 * last task is no later in the order of starts, and the sum of starts is no larger. The last two
 * conditions exclude cycles: take a short enough schedule with the least sum of starts. If its
 * beginning was pruned, the dominating beginning with the same rest is also such a schedule, and
 * was searched earlier.
 */
typedef struct hsi_seen hsi_seen;

hs_status hsi_seen_open(const hsi_windows *w, hsi_seen **out);
void      hsi_seen_close(hsi_seen *seen);

/* Return true if a stored partial schedule dominates `partial`; else store it, if memory permits.
 * `position`: topological position of the task that starts last; `starts`: sum of all starts. */
bool hsi_seen_is_dominated(hsi_seen *seen, const hsi_partial *partial, uint32_t position,
                           const hsi_sum *starts);

#endif
