/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_PACKING_COVER_H
#define HSI_BOUND_PACKING_COVER_H

#include "bound/proof/refute.h"
#include "core/stop.h"
#include "solver/master_lp.h"

/*
 * Can fractions of sets that fit on a worker cover what is demanded of each kind, on so many
 * workers? Sets that were once found are kept, and offered again to the next question.
 */
typedef struct hsi_cover hsi_cover;

/*
 * For capacities up to `most`; it begins with that. HS_ETOOBIG: the tables would be. `weight`
 * (whole, > 0, of a kind) is borrowed.
 */
hs_status hsi_cover_open(size_t kinds, const int64_t *weight, unsigned workers, int64_t most,
                         hsi_cover **out);
void      hsi_cover_close(hsi_cover *cover);

/* A set that fits, to begin with. */
hs_status hsi_cover_add(hsi_cover *cover, const hsi_master_item *items, size_t size);

/* Another capacity from now on; sets that do not fit are forgotten. */
hs_status hsi_cover_hold(hsi_cover *cover, int64_t capacity);

/*
 * HSI_FOUND: they can. HSI_REFUTED: they cannot, which is proved in integers, for `refused` too,
 * a capacity that may be larger. HSI_STOPPED: there was no time, or the solver's numbers are not
 * good enough.
 */
typedef struct hsi_cover_query {
    const uint32_t *demand;  /* of each kind, */
    unsigned        workers; /* all there are or less */
    int64_t         refused; /* out */
} hsi_cover_query;

hs_status hsi_cover_ask(hsi_cover *cover, hsi_cover_query *query, const hsi_stop *stop,
                        hsi_verdict *verdict);

/* The sets, and how many workers each was for in the last answer. */
size_t                 hsi_cover_sets(const hsi_cover *cover);
const hsi_master_item *hsi_cover_set(const hsi_cover *cover, size_t at, size_t *size,
                                     double *share);

#endif
