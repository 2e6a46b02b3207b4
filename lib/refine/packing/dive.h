/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_PACKING_DIVE_H
#define HSI_REFINE_PACKING_DIVE_H

#include "bound/proof/refute.h"
#include "core/time_limit.h"
#include "support/random.h"

/*
 * Dives: distribute tasks of integer weights over equal workers, none of which may exceed a
 * capacity. An LP over fractions of task sets (cover.h) often refutes a capacity; else sets with
 * large fractions are settled one after the other, and the last workers are left to bin completion.
 */
typedef struct hsi_dive hsi_dive;

/* Create a search for capacities up to `most`. `weight` (> 0 for each task) is read during the call
 * only. HS_ENOMEM. */
hs_status hsi_dive_open(size_t n, const int64_t *weight, unsigned workers, int64_t most,
                        hsi_dive **out);
void      hsi_dive_close(hsi_dive *dive);

/*
 * Search until a verdict, some failed dives or `stop`; the next call with the same capacity
 * continues. `worker` gives a start schedule, whose fitting sets enter the first LP, and receives
 * the assignment found. After HSI_REFUTED, *capacity is the largest refuted one. HS_ETOOBIG: the
 * weights are too many or too large.
 */
hs_status hsi_dive_go(hsi_dive *dive, int64_t *capacity, hsi_random *random, const hsi_stop *stop,
                      uint32_t *worker, hsi_verdict *verdict);

/* Return 1 if the LP is known to be feasible for the capacity, so that it cannot refute it. */
int hsi_dive_covers(const hsi_dive *dive, int64_t capacity);

/* Return 1 if the last call stopped within a series of dives. */
int hsi_dive_goes_on(const hsi_dive *dive);

#endif
