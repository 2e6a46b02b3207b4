/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_SHIFT_H
#define HSI_REFINE_GRAPH_SHIFT_H

#include <hybridsched/schedule.h>

#include "core/graph/arcs.h"

/*
 * Build a schedule with the order and workers of `s`, without its aborted entries, in which each
 * task starts as soon as its worker and inputs permit. Transfers start when the data is written. No
 * task ends later than in `s`, even with rounding, since sums of smaller numbers are no larger. The
 * caller owns *out. O(arcs), plus sorting the tasks.
 */
hs_status hsi_shift_to_earliest_starts(const hsi_arcs *arcs, const hs_schedule *s,
                                       hs_schedule **out);

#endif
