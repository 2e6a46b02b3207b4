/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_TEXT_NAME_LISTS_H
#define HSI_IO_TEXT_NAME_LISTS_H

#include "core/builder.h"
#include "io/text/csv.h"
#include "io/text/row_places.h"

/*
 * The columns `after` and `data` during reading: lists of names separated by semicolons, each with
 * an optional part after a colon. A row may depend on later rows, so the text of `after` is kept
 * until all rows are read; the text of `data` may be flushed earlier.
 */
struct hsi_list {
    size_t            flushed;   /* number of leading rows already passed to the builder */
    hsi_vector        text;   /* texts of the rows from `flushed` on */
    hsi_vector        ends;   /* size_t: end of each row's text */
    struct hsi_places places; /* position of each text; columns are stored + 1 */
};

/* Append the text of the next row. */
hs_status hsi_list_add_field(struct hsi_list *list, const struct hsi_csv *csv,
                             const struct hsi_field *field);

/* Append the text of a row of another list; nothing if that list has no rows. */
hs_status hsi_list_copy_row(struct hsi_list *list, const struct hsi_list *from, size_t row);

/* Reserve memory for the rest of the file, as hsi_builder_reserve_share() does. */
void hsi_list_reserve_share(struct hsi_list *list, double share);

/* Return the text of a row; empty without this column. */
hsi_text hsi_list_text(const struct hsi_list *list, size_t row);

void hsi_list_close(struct hsi_list *list);

/* Pass the kept text of `data` to the builder and discard it. On failure *error is written. */
hs_status hsi_list_flush_data(struct hsi_list *data, hs_builder *builder, struct hsi_csv *csv);

/*
 * Pass both lists to the builder, which has the same rows. HS_EDUPLICATE: two rows have the same
 * name, and the builder's description of this fault is in *error. Every other failure writes the
 * reader's error.
 */
hs_status hsi_lists_flush(const struct hsi_list *after, struct hsi_list *data, hs_builder *builder,
                          struct hsi_csv *csv, hs_error *error);

/* Find the list that the builder refused with HS_EGRAPH. */
void hsi_lists_find_fault(const struct hsi_list *after, const struct hsi_list *data,
                          const hs_builder *builder, uint64_t *line, uint64_t *column);

#endif
