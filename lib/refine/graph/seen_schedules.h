/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_SEEN_H
#define HSI_REFINE_GRAPH_SEEN_H

#include "refine/graph/time_windows.h"
#include "support/exact.h"

/*
 * Partial schedules that have been searched completely. One of them dominates another with the same
 * tasks under four conditions: on each place, workers are free as early; each output reaches each
 * place as early; its last task is no later in the order of starts; the sum of its starts is no
 * larger. The last two conditions exclude cycles: among all short enough schedules take one with
 * the least sum of starts. If its beginning was pruned, the dominating beginning with the same rest
 * is such a schedule too, and was searched earlier; so one of them was searched first.
 */
typedef struct hsi_seen hsi_seen;

hs_status hsi_seen_open(const hsi_windows *w, hsi_seen **out);
void      hsi_seen_close(hsi_seen *seen);
void      hsi_seen_forget(hsi_seen *seen);

/* Return 1 if a stored partial schedule dominates `partial`; else store it, if memory permits.
 * `position`: topological position of the task that starts last; `starts`: sum of all starts. */
int hsi_seen_before(hsi_seen *seen, const hsi_partial *partial, uint32_t position,
                    const hsi_sum *starts);

#endif
