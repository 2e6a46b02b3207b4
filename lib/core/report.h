/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_REPORT_H
#define HSI_CORE_REPORT_H

#include <hybridsched/solve.h>

#include "support/asker.h"
#include "support/exact.h"

/* A double that is surely >= the sum. */
double hsi_sum_round_up(const hsi_sum *sum);

/*
 * The largest sum of times that a worker runs, exactly, rounded up: what is
 * certified. A schedule's own ends are rounded at every step. Aborted entries
 * need not be repeated, so they do not count. Of a graph, whose tasks wait for others, the
 * makespan. A worker that runs anything begins at available[], NULL: at 0. O(entries). Where
 * `asker` (may be NULL) wants no more, it is told so, but what is returned is right.
 */
double hsi_certified_makespan(const hs_instance *in, const hs_schedule *s, const double *available,
                              hsi_asker *asker);

#endif
