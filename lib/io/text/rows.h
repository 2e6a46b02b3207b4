/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_TEXT_ROWS_H
#define HSI_IO_TEXT_ROWS_H

#include "core/builder.h"
#include "io/text/csv.h"
#include "io/text/header.h"
#include "io/text/lists.h"
#include "io/text/places.h"

/* A file of tasks while it is being read: what the readers of instances and of plans share. */
struct hsi_rows {
    struct hsi_csv    csv;
    struct hsi_header header;
    struct hsi_places places; /* of the builder's rows */
    hs_read_options   options;
    struct hsi_list   after, data;
    unsigned          links;     /* bits of those that were met */
    int               has_usual; /* a '# data-bytes' line was met */
    hs_builder       *builder;
    size_t            width;               /* fields of a row */
    int               column[HSI_COLUMNS]; /* number of the field, or -1 */
    int               count;               /* columns that are there */
    unsigned char     there[HSI_COLUMNS];
    uint32_t          given;               /* HSI_BIT() of them */
};

/** Start on `fd`; `kind` is what the first line has to say. Closed by the caller in any case. */
hs_status hsi_rows_open(struct hsi_rows *r, int fd, const char *kind,
                        const hs_read_options *options, hs_diagnostic *why);

void hsi_rows_close(struct hsi_rows *r);

/**
 * If the '#' line last read is one of links or data, take it: *taken = 1. Else it is somebody
 * else's.
 */
hs_status hsi_rows_note(struct hsi_rows *r, int *taken);

/* Columns that a kind of files has beside those of the task table. */
struct hsi_own_columns {
    size_t             count, required; /* the first `required` of them must be there */
    const char *const *names;
};

/**
 * The header, and then the workers: columns of its own into own_column, and the first `end` of the
 * task table, of which HSI_REQUIRED must be there, into r->column; -1 for what is not there.
 */
hs_status hsi_rows_header(struct hsi_rows *r, const struct hsi_own_columns *own, int *own_column,
                          int end);

/** What the record last read says in those columns of the task table. */
hs_status hsi_rows_read(struct hsi_rows *r, hsi_row *row);

/** Add it to the builder. The place of its name is kept: `field` 's, or NULL: column 1. */
hs_status hsi_rows_add(struct hsi_rows *r, const hsi_row *row, const struct hsi_field *field);

/** The builder is told what the lists say, and makes the instance; on HS_EDUPLICATE nothing is said yet, and *row is to blame. */
hs_status hsi_rows_finish(struct hsi_rows *r, hs_instance **out, size_t *row);

#endif
