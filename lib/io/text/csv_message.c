/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages about errors in a text, with their place. */
#include <stdarg.h>
#include <string.h>

#include "core/error.h"
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

/* Report a syntax error at a place in the window. */
__attribute__((format(printf, 3, 0))) static hs_status report(struct hsi_csv *csv, const char *at,
                                                              const char *format, va_list arguments)
{
    uint64_t line, column;

    place(csv, at, &line, &column);
    return hsi_error_set_at(csv->error, HS_ESYNTAX, line, column, format, arguments);
}

hs_status hsi_csv_fail_here(struct hsi_csv *csv, const char *at, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    report(csv, at, format, arguments);
    va_end(arguments);
    return HS_ESYNTAX;
}

hs_status hsi_csv_fail(struct hsi_csv *csv, const struct hsi_field *field, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    report(csv, field ? field->raw : csv->window + csv->record, format, arguments);
    va_end(arguments);
    return HS_ESYNTAX;
}

hs_status hsi_csv_fail_wrong_kind(struct hsi_csv *csv)
{
    if (csv->error)
        csv->error->status = HS_EKIND;
    return HS_EKIND;
}

void hsi_csv_position(const struct hsi_csv *csv, const struct hsi_field *field, uint64_t *line,
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
    hsi_error_set_at(csv->error, HS_ESYNTAX, line, column, format, arguments);
    va_end(arguments);
    return HS_ESYNTAX;
}

hs_status hsi_csv_fail_status(struct hsi_csv *csv, hs_status status)
{
    return hsi_error_set_status(csv->error, status);
}
