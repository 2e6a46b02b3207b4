/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_SEEN_H
#define HSI_REFINE_GRAPH_SEEN_H

#include "refine/graph/windows.h"
#include "support/exact.h"

/*
 * Partial schedules of the same tasks that were searched through. One makes another superfluous if
 * it is no worse in all that matters to what follows: on each place as many workers are free as
 * early, what was made is everywhere as early, it ends no later in the order of starts, and the sum
 * of its starts is no larger. The last two make it the beginning of a schedule in that order: of
 * all schedules that are short enough, take one whose sum of starts is least. If its beginning was
 * passed over for another, that one with the same rest is such a schedule as well, and was looked
 * at before; so one of them was looked at first.
 */
typedef struct hsi_seen hsi_seen;

hs_status hsi_seen_open(const hsi_windows *w, hsi_seen **out);
void      hsi_seen_close(hsi_seen *seen);
void      hsi_seen_forget(hsi_seen *seen);

/*
 * Is it superfluous? If not, it is noted, if there is room. `position`: of the task that starts
 * last, in topological order; `starts`: the sum.
 */
int hsi_seen_before(hsi_seen *seen, const hsi_partial *partial, uint32_t position,
                    const hsi_sum *starts);

#endif
