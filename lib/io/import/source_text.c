/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/import/source_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/error.h"
#include "support/utf8.h"
#include "support/vector.h"

enum { PIECE = 1 << 16, MOST = 1 << 30 };

static hs_status read_all(int fd, hsi_vector *all)
{
    for (;;) {
        ssize_t got;

        if (hsi_vector_reserve(all, PIECE + 1))
            return HS_ENOMEM;
        got = read(fd, (char *)all->data + all->size, PIECE);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return HS_EIO;
        if (got == 0)
            return HS_OK;
        all->size += (size_t)got;
        if (all->size > MOST)
            return HS_ETOOBIG;
    }
}

static hs_status check(struct hsi_import_text *text)
{
    size_t length = (size_t)(text->end - text->at), good = hsi_utf8_valid_prefix(text->at, length);

    if (good == length)
        return HS_OK;
    if (text->at[good] == '\0')
        return hsi_import_fail(text, text->at + good, "a NUL byte; expected text");
    return hsi_import_fail(text, text->at + good, "a byte that is not UTF-8; expected UTF-8 text");
}

hs_status hsi_import_text_open(struct hsi_import_text *text, int fd, hs_error *error)
{
    hsi_vector all = {0};
    hs_status  st = read_all(fd, &all);

    *text = (struct hsi_import_text){.error = error};
    if (st != HS_OK) {
        hsi_vector_free(&all);
        return st;
    }
    ((char *)all.data)[all.size] = '\0';
    text->buffer = all.data;
    text->at = text->buffer;
    text->end = text->at + all.size;
    if (all.size >= 3 && memcmp(text->at, "\xef\xbb\xbf", 3) == 0)
        text->at += 3;
    return check(text);
}

void hsi_import_text_close(struct hsi_import_text *text)
{
    free(text->buffer);
    text->buffer = NULL;
}

hs_status hsi_import_fail(const struct hsi_import_text *text, const char *position,
                          const char *format, ...)
{
    uint64_t line = 0, column = 0;
    va_list  rest;

    if (position) {
        const char *start = text->at, *next;

        for (line = 1; (next = memchr(start, '\n', (size_t)(position - start))); start = next + 1)
            line++;
        column = (uint64_t)(position - start) + 1;
    }
    va_start(rest, format);
    hsi_error_set_at(text->error, HS_ESYNTAX, line, column, format, rest);
    va_end(rest);
    return HS_ESYNTAX;
}

hs_status hsi_import_copy_error(hs_status status, const hs_error *found, hs_error *error)
{
    if (found->status == HS_OK)
        return hsi_error_set_status(error, status);
    if (status == HS_OK || !error)
        return status;
    *error = *found;
    error->status = status;
    return status;
}
