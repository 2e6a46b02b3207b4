/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_BUILDER_H
#define HSI_CORE_BUILDER_H

#include "core/store.h"

/* hs_task with strings that need no terminator: what readers have in hand. */
typedef struct hsi_row {
    hsi_text       id, kernel, cpu_command, gpu_command;
    double         cpu, gpu;
    int64_t        priority;
    uint32_t       count;
    hs_restartable restartable;
} hsi_row;

/* An id with the number of a copy behind it, as plans have them. */
#define HSI_MAX_NAME (HS_MAX_ID + 11)

/*
 * As hs_builder_add(): HS_ETIME, HS_ETOOBIG (2^31 tasks, or an id longer than
 * HSI_MAX_NAME), HS_ENOMEM.
 */
hs_status hsi_builder_add(hs_builder *b, const hsi_row *row);

/* Rows of which nothing is told but their times, and perhaps ids: as readers meet most. */
enum { HSI_BATCH = 64 };

typedef struct hsi_batch {
    size_t   count;
    size_t   id_bytes; /* length of all ids; 0: there are none */
    double   cpu[HSI_BATCH];
    double   gpu[HSI_BATCH];
    hsi_text id[HSI_BATCH]; /* not looked at if id_bytes is 0 */
} hsi_batch;

/*
 * The same for all of them, whose times are positive and ids no longer than may be, and
 * which are no more than there may be. HS_ENOMEM.
 */
hs_status hsi_builder_add_batch(hs_builder *b, const hsi_batch *batch);

/*
 * What was added so far is this share of all that will come, about: take the
 * memory for the rest. Only a hint; nothing comes of it if there is too little.
 */
void hsi_builder_expect(hs_builder *b, double share);

hs_status hsi_builder_note(hs_builder *b, hsi_text key, hsi_text value);

/* What is there so far, to be read only and until the next row. */
const hsi_store *hsi_builder_store(hs_builder *b);

#endif
