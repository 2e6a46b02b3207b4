/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_ERROR_H
#define HSI_CORE_ERROR_H

#include <stddef.h>

#include <hybridsched/status.h>

/*
 * Fill *error (may be NULL) with `status` and a formatted message without position, and return
 * `status`. A message longer than HS_WHY bytes is truncated.
 */
hs_status hsi_error_set(hs_error *error, hs_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Buffer size for hsi_quote(). */
#define HSI_QUOTE 80

/**
 * Return foreign text made printable for a message: in single quotes, shortened, with control
 * characters as \xHH. The result is in `buffer`.
 */
const char *hsi_quote(const char *text, size_t length, char buffer[HSI_QUOTE]);

#endif
