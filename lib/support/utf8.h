/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_UTF8_H
#define HSI_SUPPORT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* UTF-8 by RFC 3629: shortest forms only, no surrogates, up to U+10FFFF. */

/**
 * Return the length in bytes of the character at `text` (length > 0); 0: malformed; length + 1:
 * truncated.
 */
size_t hsi_utf8_character_bytes(const char *text, size_t length);

/** Return the number of leading bytes that form whole characters other than NUL. */
size_t hsi_utf8_valid_prefix(const char *text, size_t length);

/**
 * Decode the character at `text` (length > 0) and set *size to its bytes. Malformed UTF-8 gives
 * HSI_MALFORMED with *size 1.
 */
#define HSI_MALFORMED UINT32_MAX
uint32_t hsi_utf8_decode(const char *text, size_t length, size_t *size);

/**
 * Return true if the character is safe for a terminal: no control character (C0, C1, DEL),
 * direction mark or line separator, and not HSI_MALFORMED.
 */
bool hsi_utf8_is_printable(uint32_t character);

#endif
