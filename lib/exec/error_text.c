/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/error_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <hybridsched/io.h>

hs_outcome hsi_attempt_fail(hs_attempt *attempt, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(attempt->why, HS_WHY, format, arguments);
    va_end(arguments);
    return HS_OUTCOME_FAILED;
}

void hsi_text_make_printable(char why[HS_WHY])
{
    char raw[HS_WHY];

    why[HS_WHY - 1] = '\0'; /* the backend of an application may omit the NUL */
    strcpy(raw, why);
    hs_printable(raw, why, HS_WHY);
}

hs_status hsi_error_copy_to_caller(hs_error *error, hs_status status, const hs_error *fault)
{
    if (!error || status == HS_OK)
        return status;
    *error = *fault;
    if (!error->why[0])
        snprintf(error->why, sizeof error->why, "%s", hs_status_text(status));
    hsi_text_make_printable(error->why);
    error->status = status;
    return status;
}
