/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_ESCAPE_H
#define TOOLS_ESCAPE_H

#include <stdio.h>

/* Any bytes as UTF-8 text of some format; what is not UTF-8 becomes U+FFFD. */

/** A JSON string, quotes included. */
void json_string(FILE *out, const char *text);

/** A JSON number in the shortest form that reads back to `value`; null if it is not finite. */
void json_number(FILE *out, double value);

/** Text of an HTML element or of an attribute in quotes. */
void html_text(FILE *out, const char *text);

#endif
