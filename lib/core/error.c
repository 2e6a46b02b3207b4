/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>

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
