/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_TEXT_TASK_TABLE_H
#define HSI_IO_TEXT_TASK_TABLE_H

#include "core/builder.h"
#include "io/text/csv.h"
#include "io/text/file_header.h"
#include "io/text/name_lists.h"
#include "io/text/row_places.h"

/* The state of reading a file of tasks, shared by the readers of instances and plans. */
struct hsi_rows {
    struct hsi_csv    csv;
    struct hsi_header header;
    struct hsi_places places; /* positions of the builder's rows in the file */
    hs_read_settings  settings;
    struct hsi_list   after, data;
    unsigned          links;     /* a bit for each link that has a line */
    bool              has_usual; /* a '# data-bytes' line was read */
    bool              allows_unknown; /* true: times may be `?`, and their columns absent */
    hs_builder       *builder;
    size_t            width;               /* number of fields in a row */
    int               column[HSI_COLUMNS]; /* field number of each column, or -1 */
    int               count;               /* number of columns present */
    unsigned char     there[HSI_COLUMNS];
    uint32_t          given;               /* set of the columns present, HSI_BIT() of each */
};

/**
 * Start reading `fd`; `kind` is the expected kind in the version line. The caller closes `r` in any
 * case.
 */
hs_status hsi_rows_open(struct hsi_rows *r, int fd, const char *kind,
                        const hs_read_settings *settings, hs_error *error);

void hsi_rows_close(struct hsi_rows *r);

/**
 * Interpret the '#' line last read if its subject is links or data, and set *taken; otherwise leave
 * the line to the caller.
 */
hs_status hsi_rows_read_header_line(struct hsi_rows *r, int *used);

/* Columns of a kind of file besides the task table's. */
struct hsi_own_columns {
    size_t             count, required; /* the first `required` columns must be present */
    const char *const *names;
};

/**
 * Read the header, and resolve the workers: own columns go to own_column, the first `column_count`
 * columns of the task table, of which HSI_REQUIRED must be present, to r->column; -1: missing.
 */
hs_status hsi_rows_read_header(struct hsi_rows *r, const struct hsi_own_columns *own,
                               int *own_column, int column_count);

/** Convert the record last read to a row of the task table. */
hs_status hsi_rows_convert_record(struct hsi_rows *r, hsi_row *row);

/** Add the row to the builder. `field` gives the place of its name; NULL: column 1. */
hs_status hsi_rows_add_to_builder(struct hsi_rows *r, const hsi_row *row,
                                  const struct hsi_field *field);

/** Pass the lists to the builder and make the instance. */
hs_status hsi_rows_finish(struct hsi_rows *r, hs_instance **out);

#endif
