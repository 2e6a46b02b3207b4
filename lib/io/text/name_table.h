/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_TEXT_NAME_TABLE_H
#define HSI_IO_TEXT_NAME_TABLE_H

#include "core/store.h"

/*
 * Rows by their ids while they are being read. All zero is empty; the ids
 * themselves stand in the builder's store.
 */
struct hsi_name_table {
    uint64_t *slots; /* upper half: of the hash; lower half: row + 1, or 0 */
    size_t    mask;
    size_t    used;
    uint64_t  seed;  /* differs from run to run: no file is slow by design */
};

/**
 * The row whose id is `name`. If there is none, `next` is entered as the one
 * whose id it will be, and *row = next. HS_ENOMEM: nothing was entered.
 */
hs_status hsi_name_table_enter(struct hsi_name_table *table, const hsi_strings *ids,
                               hsi_text name, size_t next, size_t *row);

/*
 * The same in steps, for several names at a time: room for so many more; then the hash of
 * each, whose place is asked for from memory; then its row. HS_ENOMEM: there is no room.
 */
hs_status hsi_name_table_expect(struct hsi_name_table *table, size_t more);
uint64_t  hsi_name_table_hash(const struct hsi_name_table *table, hsi_text name);
size_t    hsi_name_table_at(struct hsi_name_table *table, const hsi_strings *ids, hsi_text name,
                            uint64_t hash, size_t next);

void hsi_name_table_close(struct hsi_name_table *table);

#endif
