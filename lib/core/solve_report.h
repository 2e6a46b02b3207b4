/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_SOLVE_REPORT_H
#define HSI_CORE_SOLVE_REPORT_H

#include <hybridsched/solve.h>

#include "support/cancel.h"
#include "support/exact.h"

/* Return a double certainly >= the sum. */
double hsi_sum_round_up(const hsi_sum *sum);

/*
 * Return the certified makespan: the largest exact sum of times over the workers, rounded up. (A
 * schedule's own ends are rounded at every step.) Aborted entries are omitted, because a repetition
 * of the schedule would not need them. For a graph, where tasks wait for others, it is the
 * makespan. A nonempty worker begins at available[]; NULL: at 0. O(entries). Polls `token` (may be
 * NULL), but completes the computation even when cancelled.
 */
double hsi_certified_makespan(const hs_instance *in, const hs_schedule *s, const double *available,
                              hsi_token *token);

#endif
