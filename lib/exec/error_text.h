/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_ERROR_TEXT_H
#define HSI_EXEC_ERROR_TEXT_H

#include <hybridsched/backend.h>

/*
 * Write the reason of a failure into attempt->why and return HS_OUTCOME_FAILED. A text that advises
 * to change a setting names it as `settings.GROUP.NAME`.
 */
hs_outcome hsi_attempt_fail(hs_attempt *attempt, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Make `why`, which may contain foreign text, fit for a terminal. */
void hsi_text_make_printable(char why[HS_WHY]);

/*
 * End a public call. On failure copy *fault to *error (may be NULL): with `status`, with the text
 * of the status if the fault has no text, and fit for a terminal. Return `status`.
 */
hs_status hsi_error_copy_to_caller(hs_error *error, hs_status status, const hs_error *fault);

#endif
