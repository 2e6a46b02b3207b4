/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_SHIFT_H
#define HSI_REFINE_GRAPH_SHIFT_H

#include <hybridsched/schedule.h>

#include "core/graph/arcs.h"

/*
 * The order and the workers of a valid schedule, what it aborts left out, each task as soon as its
 * worker and its inputs allow. Inputs move as soon as they are made, and sums of what is no later
 * are no later, rounding included: nothing ends later than before. O(arcs), and the sorting of the
 * schedule.
 */
hs_status hsi_shift(const hsi_arcs *arcs, const hs_schedule *s, hs_schedule **out);

#endif
