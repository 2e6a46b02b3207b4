/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_WHY_H
#define HSI_EXEC_WHY_H

#include <hybridsched/backend.h>

/*
 * Write the reason of a failure into `why` and return the status; hsi_fail() writes the reason into
 * attempt->why and returns HS_OUTCOME_FAILED. Where a setting of the caller's would help, the text
 * names it as `settings.NAME`. A lack of memory needs no text beside the status.
 */
hs_status hsi_refuse(char why[HS_WHY], hs_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
hs_outcome hsi_fail(hs_attempt *attempt, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Make `why`, which may contain foreign text, fit for a terminal. */
void hsi_why_make_printable(char why[HS_WHY]);

#endif
