/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_ESCAPE_H
#define TOOLS_ESCAPE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Encoding of arbitrary bytes as UTF-8 text of a format; invalid UTF-8 becomes U+FFFD. */

/**
 * Print JSON like printf(): %s prints a quoted string, %g a number in the shortest form that reads
 * back to the value (null if it is not finite), %u and %zu integers. No further conversions exist.
 */
void json_format(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Write text for an HTML element or a quoted attribute. */
void html_text(FILE *out, const char *text);

/**
 * Return foreign text made printable on a terminal by hs_printable(), in a buffer that lives as
 * long as the enclosing block; long text is cut. Do not use it for message(), which converts its
 * whole text.
 */
enum { SHOWN_SIZE = 4096 };
#define SHOWN(text) shown((text), (char[SHOWN_SIZE]){0})
const char *shown(const char *text, char buffer[SHOWN_SIZE]);

/** Return whether the text is UTF-8. */
bool utf8_is_valid(const char *text);

/** Return "s", or "" for a count of 1. */
const char *plural(uint64_t count);

/** Return `word` as a shell word, quoted if necessary; the caller frees it. */
char *shell_word(const char *word);

#endif
