/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_INSTANCE_READER_H
#define HSI_IO_INSTANCE_READER_H

#include "io/text/columns.h"
#include "io/text/header.h"
#include "io/text/places.h"

/* Of instances alone, behind the columns that plans have too. */
enum { HSI_ID = HSI_COLUMNS, HSI_COUNT, HSI_INSTANCE_COLUMNS };

/* An instance while it is being read. */
struct hsi_instance_reader {
    struct hsi_csv    csv;
    struct hsi_header header;
    struct hsi_places places;
    hs_read_options   options;
    hs_builder       *builder;
    size_t            width;                        /* fields of a row */
    int               column[HSI_INSTANCE_COLUMNS]; /* number of the field, or -1 */
    unsigned char    *kind;                         /* of field 0 .. width-1: what it is */
    uint64_t          tasks;
};

/** Make `kind` from `column`. */
hs_status hsi_plain_prepare(struct hsi_instance_reader *r);

/**
 * Read rows of the text at hand, at a speed near that of converting their numbers, as
 * long as they are whole and plain: no quotes, nothing out of the ordinary, nothing
 * wrong. HS_OK: the next one, if there is one, is for the careful reader.
 */
hs_status hsi_plain_rows(struct hsi_instance_reader *r);

#endif
