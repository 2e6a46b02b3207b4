/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/error.h"

#include <stdio.h>
#include <string.h>

#include <hybridsched/io.h>

hs_status hsi_error_set_at(hs_error *error, hs_status status, uint64_t line, uint64_t column,
                           const char *format, va_list arguments)
{
    char message[HS_WHY];

    if (error == NULL)
        return status;
    error->status = status;
    error->line = line;
    error->column = column;
    vsnprintf(message, sizeof message, format, arguments);
    hs_printable(message, error->why, sizeof error->why);
    return status;
}

hs_status hsi_error_set_status(hs_error *error, hs_status status)
{
    return status == HS_OK ? HS_OK : hsi_error_set(error, status, "%s", hs_status_text(status));
}

hs_status hsi_error_set(hs_error *error, hs_status status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    hsi_error_set_at(error, status, 0, 0, format, arguments);
    va_end(arguments);
    return status;
}

const char *hsi_quote(const char *text, size_t length, char buffer[HSI_QUOTE])
{
    enum { SHOWN = HSI_QUOTE - 8 };
    char   raw[HSI_QUOTE] = "";
    size_t some = length < sizeof raw ? length : sizeof raw - 1;
    size_t whole;

    memcpy(raw, text, some);
    buffer[0] = '\'';
    whole = hs_printable(raw, buffer + 1, SHOWN);
    strcat(buffer, some < length || whole >= SHOWN ? "...'" : "'");
    return buffer;
}
