/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_ESCAPE_H
#define TOOLS_ESCAPE_H

#include <stdint.h>
#include <stdio.h>

/* Any bytes as UTF-8 text of some format; what is not UTF-8 becomes U+FFFD. */

/**
 * printf() of JSON: %s is a string in quotes, %g a number in the shortest form that reads back to
 * the value (null if it is not finite); besides these %u and %zu, and nothing else.
 */
void json_format(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Text of an HTML element or of an attribute in quotes. */
void html_text(FILE *out, const char *text);

/**
 * Foreign text for a line on a terminal, as hs_printable() has it, in a buffer that lasts as long
 * as the block; cut short if it is long. Messages need none of this: it is done to them as a whole.
 */
enum { SHOWN_SIZE = 4096 };
#define SHOWN(text) shown((text), (char[SHOWN_SIZE]){0})
const char *shown(const char *text, char buffer[SHOWN_SIZE]);

/** "s", or nothing behind 1. */
const char *plural(uint64_t count);

/** Return a shell word that stands for the text, quoted if necessary; the caller frees it. */
char *shell_word(const char *word);

#endif
