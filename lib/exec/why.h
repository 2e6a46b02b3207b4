/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_WHY_H
#define HSI_EXEC_WHY_H

#include <hybridsched/backend.h>

/*
 * Say in `why` what is wrong, and return the status; or of an attempt, and return
 * HS_OUTCOME_FAILED. Where a setting of the caller's would help, the text names it as
 * `settings.NAME`. Want of memory needs no words: the status has them.
 */
hs_status hsi_refuse(char why[HS_WHY], hs_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
hs_outcome hsi_fail(hs_attempt *attempt, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** What a caller is told goes through this: foreign names in it are fit for a terminal then. */
void hsi_why_tell(char why[HS_WHY]);

#endif
