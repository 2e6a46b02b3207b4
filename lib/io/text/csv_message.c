/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages about errors in a text, with their place. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/text/csv_window.h"

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
    char text[sizeof csv->why->text];

    csv->why->line = csv->why->column = 0;
    if (at)
        place(csv, at, &csv->why->line, &csv->why->column);
    vsnprintf(text, sizeof text, format, arguments);
    hs_printable(text, csv->why->text, sizeof csv->why->text);
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
    if (csv->next_line != csv->line + 1) {
        place(csv, field->raw, line, column);
        return;
    }
    *line = csv->line;
    *column = (uint64_t)(field->raw - csv->window - csv->record) + 1;
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
