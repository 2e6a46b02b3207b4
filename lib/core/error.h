/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_ERROR_H
#define HSI_CORE_ERROR_H

#include <stdarg.h>
#include <stddef.h>

#include <hybridsched/status.h>

/*
 * Fill *error (may be NULL) with `status` and a formatted message without position, and return
 * `status`. The message is made printable (hs_printable()); after HS_WHY bytes it is cut off.
 */
hs_status hsi_error_set(hs_error *error, hs_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Fill *error (may be NULL) with the text of `status`, and return `status`. HS_OK leaves *error as
 * it is.
 */
hs_status hsi_error_set_status(hs_error *error, hs_status status);

/* Do the same as hsi_error_set(), with a position in a file. */
hs_status hsi_error_set_at(hs_error *error, hs_status status, uint64_t line, uint64_t column,
                           const char *format, va_list arguments)
    __attribute__((format(printf, 5, 0)));

/** Buffer size for hsi_quote(). */
#define HSI_QUOTE 80

/**
 * Return foreign text made printable for a message: in single quotes, shortened, with control
 * characters as \xHH. The result is in `buffer`.
 */
const char *hsi_quote(const char *text, size_t length, char buffer[HSI_QUOTE]);

#endif
