/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_TEXT_LISTS_H
#define HSI_IO_TEXT_LISTS_H

#include "core/builder.h"
#include "io/text/csv.h"
#include "io/text/places.h"

/*
 * The columns `after` and `data` while a file is being read: lists of names, each with something
 * behind a colon, parted by semicolons. A row may come after rows that stand below it, so that this
 * text is kept until all rows are there; what is said of data need not be kept.
 */
struct hsi_list {
    size_t            told;   /* rows whose text is not kept: it was told, or there is none */
    hsi_vector        text;   /* of those behind them */
    hsi_vector        ends;   /* size_t: where a row's text ends and the next one's begins */
    struct hsi_places places; /* where each begins; the columns 1 too large, so that none is 1 */
};

/* What the next row has there. */
hs_status hsi_list_add(struct hsi_list *list, const struct hsi_csv *csv,
                       const struct hsi_field *field);

/* The same as a row of another list has; nothing if that has no rows. */
hs_status hsi_list_copy(struct hsi_list *list, const struct hsi_list *from, size_t row);

/* As hsi_builder_expect(). */
void hsi_list_expect(struct hsi_list *list, double share);

/* That of a row; empty if there is no such column. */
hsi_text hsi_list_text(const struct hsi_list *list, size_t row);

void hsi_list_close(struct hsi_list *list);

/* Tells the builder what is kept of `data`, and keeps it no longer. What is wrong is said. */
hs_status hsi_list_tell_data(struct hsi_list *data, hs_builder *builder, struct hsi_csv *csv);

/*
 * Tells the builder, whose rows are those of the lists, what they say. The names of its rows are
 * found to be distinct on the way; HS_EDUPLICATE and *row if they are not. What else is wrong is
 * said.
 */
hs_status hsi_lists_tell(const struct hsi_list *after, struct hsi_list *data, hs_builder *builder,
                         struct hsi_csv *csv, size_t *row);

/* What is wrong after HS_EGRAPH. */
hs_status hsi_lists_fail(const struct hsi_list *after, const struct hsi_list *data,
                         const hs_builder *builder, struct hsi_csv *csv);

#endif
