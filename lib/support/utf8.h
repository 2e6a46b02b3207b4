/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_UTF8_H
#define HSI_SUPPORT_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* UTF-8 as RFC 3629 has it: no longer forms than need be, no surrogates, up to U+10FFFF. */

/**
 * Bytes of the character at `text` (length > 0); 0: none begins there; length + 1: it begins,
 * but is cut short.
 */
size_t hsi_utf8_bytes(const char *text, size_t length);

/** Bytes at the start that are whole characters other than NUL. */
size_t hsi_utf8_good(const char *text, size_t length);

/**
 * The character at the start of `text` (length > 0). *size is the bytes it
 * takes; where no well-formed UTF-8 stands, 1 and the result is HSI_MALFORMED.
 */
#define HSI_MALFORMED UINT32_MAX
uint32_t hsi_utf8_next(const char *text, size_t length, size_t *size);

/**
 * May a terminal get the character as it is? Not one that controls it (C0, C1, DEL), that turns the
 * direction of writing or ends a line, nor HSI_MALFORMED.
 */
int hsi_utf8_is_shown(uint32_t c);

#endif
