/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <hybridsched/io.h>

hs_status hsi_error_set(hs_error *error, hs_status status, const char *format, ...)
{
    va_list arguments;

    if (error == NULL)
        return status;
    error->status = status;
    error->line = error->column = 0;
    va_start(arguments, format);
    vsnprintf(error->why, sizeof error->why, format, arguments);
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
