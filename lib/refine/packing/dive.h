/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_PACKING_DIVE_H
#define HSI_REFINE_PACKING_DIVE_H

#include "bound/proof/refute.h"
#include "core/stop.h"
#include "support/random.h"

/*
 * Can tasks of whole weights be shared out so that no worker of some that are alike holds more than
 * a capacity? By fractions of sets (cover.h): they often say no; or sets that they use much are
 * settled, one after the other, and the last few workers are left to bin completion.
 */
typedef struct hsi_dive hsi_dive;

/* For capacities up to `most`. `weight` (of a task, > 0) is not needed afterwards. */
hs_status hsi_dive_open(size_t n, const int64_t *weight, unsigned workers, int64_t most,
                        hsi_dive **out);
void      hsi_dive_close(hsi_dive *dive);

/*
 * Until there is an answer, some dives have been in vain or it is time to stop: then the next call
 * goes on, if it is about the same capacity. `worker` has a worker of each task; sets that fit are
 * taken from there, the first time, and it is where to find what is found. If it is refuted,
 * *capacity becomes the largest that is, too. HS_ETOOBIG: not for that.
 */
hs_status hsi_dive_go(hsi_dive *dive, int64_t *capacity, hsi_random *random, const hsi_stop *stop,
                      uint32_t *worker, hsi_verdict *verdict);

/* Is it known that fractions of sets do for the capacity, so that they refute no more of it? */
int hsi_dive_covers(const hsi_dive *dive, int64_t capacity);

/* Has the last call been stopped on its way? */
int hsi_dive_goes_on(const hsi_dive *dive);

#endif
