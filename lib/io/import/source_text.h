/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_IMPORT_SOURCE_TEXT_H
#define HSI_IO_IMPORT_SOURCE_TEXT_H

#include <hybridsched/io.h>

#include "core/columns.h"
#include "io/text/csv.h"

/*
 * The text of a file to import, whole in memory: UTF-8 without NULs, NUL-terminated, without a byte
 * order mark.
 */
struct hsi_import_text {
    char          *buffer;
    const char    *at, *end;
    hs_error      *error; /* first fault in the text; not NULL */
};

/*
 * Read all of `fd`. HS_ESYNTAX: not UTF-8 or with NULs; HS_ETOOBIG: more than a gigabyte. *error
 * receives all later faults in the text and must outlive it.
 */
hs_status hsi_import_text_open(struct hsi_import_text *text, int fd, hs_error *error);
void      hsi_import_text_close(struct hsi_import_text *text);

/*
 * Describe a fault at position `position` of the text; NULL: a fault of the whole file. Return
 * HS_ESYNTAX.
 */
hs_status hsi_import_fail(const struct hsi_import_text *text, const char *position,
                          const char *format, ...) __attribute__((format(printf, 3, 4)));

/*
 * Copy the fault found by a failed import to *error (may be NULL); without a fault, describe the
 * status. HS_OK leaves *error as it is. Return `status`.
 */
hs_status hsi_import_copy_error(hs_status status, const hs_error *found, hs_error *error);

/* Return a part of the text in quotes for a message, with unprintable characters escaped. */
#define HSI_SHOWN HSI_QUOTE
static inline const char *hsi_import_quote(hsi_text piece, char buffer[HSI_SHOWN])
{
    return hsi_quote(piece.at ? piece.at : "", piece.length, buffer);
}

static inline bool hsi_text_is(hsi_text text, const char *word)
{
    return text.length == strlen(word) && memcmp(text.at, word, text.length) == 0;
}

#endif
