/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_TASK_NAMES_H
#define HSI_CORE_TASK_NAMES_H

#include "core/instance_store.h"

/*
 * Index of rows by id, an open hash table; the ids themselves stay in the store. A zeroed structure
 * is empty.
 */
typedef struct hsi_names {
    uint32_t *slot;    /* bits of row_mask: row + 1, or 0; bits above: part of the hash */
    size_t    size;    /* number of slots */
    size_t    room;    /* capacity in rows */
    size_t    missing; /* number of rows without an id */
    uint32_t  row_mask;
    uint64_t  seed; /* hash seed, differs from run to run; prevents files crafted to be slow */
} hsi_names;

/* Index all rows. HS_EDUPLICATE with *row: two tasks have one name. */
hs_status hsi_names_create(const hsi_store *store, hsi_names *names, size_t *row);
void      hsi_names_free(hsi_names *names);

/* Check for duplicate names without keeping the index. */
hs_status hsi_names_check_unique(const hsi_store *store, size_t *row);

/* Find the task of a name: returns true and *task, or false. */
bool hsi_names_find(const hsi_store *store, const hsi_names *names, const char *name, size_t length,
                    size_t *task);

/*
 * Find the row of a name: *copy is 0 for the whole row, or the number of the copy named (from 1).
 * Returns true or 0.
 */
bool hsi_names_find_row(const hsi_store *store, const hsi_names *names, hsi_text name, size_t *row,
                        uint32_t *copy);

/* Find the row of a name as hsi_names_find_row() does, given the hash of the name. */
bool hsi_names_find_hashed(const hsi_store *store, const hsi_names *names, hsi_text name,
                           uint64_t hash, size_t *row, uint32_t *copy);

/* Split a copy's name ID#3 into ID and its number; other names are returned whole with *copy 0. */
hsi_text hsi_split_copy_name(hsi_text name, uint32_t *copy);

/* Return the hash of a name for a later lookup, and prefetch its slot. */
uint64_t hsi_names_prefetch_slot(const hsi_names *names, hsi_text name);

/* Prefetch the id that the slot refers to; the second stage after hsi_names_prefetch_slot(). */
void hsi_names_prefetch_id(const hsi_store *store, const hsi_names *names, uint64_t hash);

/*
 * Prepare to add a row: reserve room, hash `id` and prefetch its slot. Do other work before
 * hsi_names_insert() to hide the latency. HS_ENOMEM.
 */
hs_status hsi_names_prepare_insert(const hsi_store *store, hsi_names *names, hsi_text id,
                                   uint64_t *hash);

/* Return the row of an id; if there is none, enter the id for the next row to be added. */
size_t hsi_names_insert(const hsi_store *store, hsi_names *names, hsi_text id, uint64_t hash);

#endif
