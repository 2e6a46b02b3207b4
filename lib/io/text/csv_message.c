/* SPDX-License-Identifier: BSD-3-Clause */
/* What is wrong with a text, and where. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/text/csv_window.h"
#include "support/utf8.h"

static void place(const struct hsi_csv *csv, const char *at, uint64_t *line, uint64_t *column)
{
    const char *start = csv->window + csv->record, *next;

    *line = csv->line;
    while ((next = memchr(start, '\n', (size_t)(at - start)))) {
        start = next + 1;
        ++*line;
    }
    *column = (uint64_t)(at - start) + 1;
}

__attribute__((format(printf, 3, 0)))
static void describe(struct hsi_csv *csv, const char *at, const char *format, va_list arguments)
{
    csv->why->line = csv->why->column = 0;
    if (at)
        place(csv, at, &csv->why->line, &csv->why->column);
    vsnprintf(csv->why->text, sizeof csv->why->text, format, arguments);
}

hs_status hsi_csv_fail_here(struct hsi_csv *csv, const char *at, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    describe(csv, at, format, arguments);
    va_end(arguments);
    return HS_ESYNTAX;
}

hs_status hsi_csv_fail(struct hsi_csv *csv, const struct hsi_field *field, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    describe(csv, field ? field->raw : csv->window + csv->record, format, arguments);
    va_end(arguments);
    return HS_ESYNTAX;
}

void hsi_csv_place(const struct hsi_csv *csv, const struct hsi_field *field, uint64_t *line,
                   uint64_t *column)
{
    place(csv, field->raw, line, column);
}

hs_status hsi_csv_fail_at(struct hsi_csv *csv, uint64_t line, uint64_t column,
                          const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    describe(csv, NULL, format, arguments);
    va_end(arguments);
    csv->why->line = line;
    csv->why->column = column;
    return HS_ESYNTAX;
}

hs_status hsi_csv_fail_whole(struct hsi_csv *csv, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    describe(csv, NULL, format, arguments);
    va_end(arguments);
    return HS_ESYNTAX;
}

hs_status hsi_csv_fail_status(struct hsi_csv *csv, hs_status status)
{
    if (status != HS_OK)
        hsi_csv_fail_whole(csv, "%s", hs_status_text(status));
    return status;
}

/* Bytes of the character at `text`, or 0 if it may not be shown as it is. */
static size_t printable(const char *text, size_t length)
{
    size_t   bytes;
    uint32_t c = hsi_utf8_next(text, length, &bytes);

    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == HSI_MALFORMED ? 0 : bytes;
}

const char *hsi_csv_quote(const char *text, size_t length, char buffer[HSI_QUOTE])
{
    const char *tail = "'";
    size_t      used = 1, left = length, step;

    buffer[0] = '\'';
    for (; left; left -= step, text += step) {
        size_t shown = printable(text, left);

        step = shown ? shown : 1;
        if (used + (shown ? shown : 4) > HSI_QUOTE - 8) {
            tail = "...'";
            break;
        }
        if (shown)
            memcpy(buffer + used, text, shown);
        else
            snprintf(buffer + used, 5, "\\x%02X", (unsigned char)*text);
        used += shown ? shown : 4;
    }
    memcpy(buffer + used, tail, strlen(tail) + 1);
    return buffer;
}
