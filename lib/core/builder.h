/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_BUILDER_H
#define HSI_CORE_BUILDER_H

#include "core/store.h"

/* An id with the number of a copy behind it, as plans have them. */
#define HSI_MAX_NAME (HS_MAX_ID + 11)

/* A row that was found right: positive times, no task too many, no name too long. HS_ENOMEM. */
hs_status hsi_builder_add(hs_builder *b, const hsi_row *row);

/*
 * What was added so far is this share of all that will come, about: take the
 * memory for the rest. Only a hint; nothing comes of it if there is too little.
 */
void hsi_builder_expect(hs_builder *b, double share);

/* Every row has an id and no other row has the same: it need not be found out. */
void hsi_builder_distinct(hs_builder *b);

hs_status hsi_builder_note(hs_builder *b, hsi_text key, hsi_text value);

/* What is there so far, to be read only and until the next row. */
const hsi_store *hsi_builder_store(const hs_builder *b);

#endif
