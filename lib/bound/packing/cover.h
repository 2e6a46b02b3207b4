/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_PACKING_COVER_H
#define HSI_BOUND_PACKING_COVER_H

#include "bound/proof/refute.h"
#include "core/time_limit.h"
#include "glpk/master_lp.h"

/* A query whether fractions of sets, each of which fits on a worker, cover a demand of each kind on
 * a number of workers. Sets found are kept for the next query. */
typedef struct hsi_cover hsi_cover;

/* Create a cover for capacities up to `most`, with the capacity `most`. HS_ETOOBIG: the tables
 * would be too large. `weight` of the kinds, > 0, is borrowed. */
hs_status hsi_cover_open(size_t kinds, const int64_t *weight, unsigned workers, int64_t most,
                         hsi_cover **out);
void      hsi_cover_close(hsi_cover *cover);

/* Add a set that fits. */
hs_status hsi_cover_add(hsi_cover *cover, const hsi_master_item *items, size_t size);

/* Change the capacity; sets that do not fit any more are dropped. */
hs_status hsi_cover_hold(hsi_cover *cover, int64_t capacity);

/*
 * HSI_FOUND: the demand can be covered. HSI_REFUTED: it cannot, as integers prove, also for the
 * capacity `refused`, which may be larger. HSI_STOPPED: the time was over, or the solver's numbers
 * are too inexact.
 */
typedef struct hsi_cover_query {
    const uint32_t *demand;  /* demand of each kind */
    unsigned        workers; /* at most the workers of the cover */
    int64_t         refused; /* result: largest capacity refused */
} hsi_cover_query;

hs_status hsi_cover_ask(hsi_cover *cover, hsi_cover_query *query, const hsi_stop *stop,
                        hsi_verdict *verdict);

/* Return the sets, and for each the number of workers in the last answer. */
size_t                 hsi_cover_sets(const hsi_cover *cover);
const hsi_master_item *hsi_cover_set(const hsi_cover *cover, size_t at, size_t *size,
                                     double *share);

#endif
