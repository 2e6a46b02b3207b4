/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_IMPORT_TEXT_H
#define HSI_IO_IMPORT_TEXT_H

#include <hybridsched/io.h>

#include "core/columns.h"
#include "io/text/csv.h"

/* A file as a whole, in memory: UTF-8 without NULs, a NUL behind it, a byte order mark left out. */
struct hsi_import_text {
    char          *buffer;
    const char    *at, *end;
    hs_diagnostic *why;
};

/* HS_ESYNTAX: it is not such text; HS_ETOOBIG: more than a gigabyte. */
hs_status hsi_import_text_open(struct hsi_import_text *text, int fd, hs_diagnostic *why);
void      hsi_import_text_close(struct hsi_import_text *text);

/* What is wrong at that place; NULL: with all of it. Returns HS_ESYNTAX. */
hs_status hsi_import_fail(const struct hsi_import_text *text, const char *at, const char *format,
                          ...) __attribute__((format(printf, 3, 4)));

/* The same for a failure that has no place; keeps what is said already. Returns it. */
hs_status hsi_import_fail_status(const struct hsi_import_text *text, hs_status status);

/* A piece of the text, in quotes, fit for a message. */
#define HSI_SHOWN HSI_QUOTE
static inline const char *hsi_import_quote(hsi_text piece, char buffer[HSI_SHOWN])
{
    return hsi_csv_quote(piece.at ? piece.at : "", piece.length, buffer);
}

static inline int hsi_text_is(hsi_text text, const char *word)
{
    return text.length == strlen(word) && memcmp(text.at, word, text.length) == 0;
}

#endif
