/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_ERROR_H
#define HSI_CORE_ERROR_H

#include <hybridsched/status.h>

/*
 * Fill *error (may be NULL) with `status` and a formatted message without position, and return
 * `status`. A message longer than HS_WHY bytes is truncated.
 */
hs_status hsi_error_set(hs_error *error, hs_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
