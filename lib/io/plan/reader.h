/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_PLAN_READER_H
#define HSI_IO_PLAN_READER_H

#include "io/text/columns.h"
#include "io/text/header.h"
#include "io/text/name_table.h"
#include "io/text/places.h"
#include "io/plan/lines.h"

/* Of plans alone, before the columns that instances have too. */
enum hsi_plan_column {
    HSI_PLAN_ID,
    HSI_PLAN_WORKER,
    HSI_PLAN_START,
    HSI_PLAN_END,
    HSI_PLAN_STATE,
    HSI_PLAN_SHARED,
    HSI_PLAN_COLUMNS = HSI_PLAN_SHARED + HSI_COLUMNS
};

/* A plan while it is being read. */
struct hsi_plan_reader {
    struct hsi_csv        csv;
    struct hsi_header     header;
    struct hsi_plan_lines lines;
    struct hsi_places     places;    /* of tasks: where each stands first */
    struct hsi_name_table tasks;
    hs_read_options       options;
    hs_plan_info          info;
    hs_builder           *builder;
    hsi_vector            placements;
    size_t                count;     /* tasks */
    size_t                width;     /* fields of a row */
    int                   column[HSI_PLAN_COLUMNS];
    unsigned char        *kind;      /* of field 0 .. width-1: what it is */
};

/** The first of the shared columns in which a task's second row differs; -1: none does. */
int hsi_plan_difference(const hsi_store *store, size_t task, const hsi_row *row);

/** A task whose first row stands on `line`, and which is not one too many. */
hs_status hsi_plan_add_task(struct hsi_plan_reader *r, const hsi_row *row, uint64_t line);

/** Make `kind` from `column`. */
hs_status hsi_plain_plan_prepare(struct hsi_plan_reader *r);

/** As hsi_plain_rows() for instances. */
hs_status hsi_plain_plan_rows(struct hsi_plan_reader *r);

#endif
