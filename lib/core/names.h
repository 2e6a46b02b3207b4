/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_NAMES_H
#define HSI_CORE_NAMES_H

#include "core/store.h"

/* Rows by their ids, which stay in the store: an open hash table. All zero is empty. */
typedef struct hsi_names {
    uint32_t *slot;     /* row + 1, or 0, in the bits of row_mask; above it bits of the hash */
    size_t    size;     /* of slot */
    size_t    room;     /* rows that may be entered */
    size_t    missing;  /* rows without an id */
    uint32_t  row_mask;
    uint64_t  seed;     /* differs from run to run: no file is slow by design */
} hsi_names;

/* Of all rows. HS_EDUPLICATE and *row if two tasks have one name. */
hs_status hsi_names_create(const hsi_store *store, hsi_names *names, size_t *row);
void      hsi_names_free(hsi_names *names);

/* The same without keeping them. */
hs_status hsi_names_verify(const hsi_store *store, size_t *row);

/* The task of that name: 1 and *task, or 0. */
int hsi_names_find(const hsi_store *store, const hsi_names *names, const char *name,
                   size_t length, size_t *task);

/* The row of that name, all its copies (*copy is 0) or the one that the name is of (from 1). */
int hsi_names_find_row(const hsi_store *store, const hsi_names *names, hsi_text name, size_t *row,
                       uint32_t *copy);

/* The same for a name whose hash is known. */
int hsi_names_find_hashed(const hsi_store *store, const hsi_names *names, hsi_text name,
                          uint64_t hash, size_t *row, uint32_t *copy);

/* What is before the number in a copy's name, ID#3, and the number; all of it and 0 in others. */
hsi_text hsi_names_split(hsi_text name, uint32_t *copy);

/* The hash of a name that is going to be looked for soon; memory is asked for its slot. */
uint64_t hsi_names_expect(const hsi_names *names, hsi_text name);

/* The same a little later: memory is asked for what the slot leads to. */
void hsi_names_approach(const hsi_store *store, const hsi_names *names, uint64_t hash);

/*
 * While rows are being added: makes room for one more, hashes `id` and asks memory for its
 * slot; what is done before hsi_names_enter() is done while that comes. HS_ENOMEM.
 */
hs_status hsi_names_hash(const hsi_store *store, hsi_names *names, hsi_text id, uint64_t *hash);

/* The row of that id; if there is none, it is entered as that of the row to be added next. */
size_t hsi_names_enter(const hsi_store *store, hsi_names *names, hsi_text id, uint64_t hash);

#endif
