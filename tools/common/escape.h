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

/** For a line of text: control characters, line ends among them, become question marks. */
void printable(char *text);

/** "s", or nothing behind 1. */
const char *plural(uint64_t count);

#endif
