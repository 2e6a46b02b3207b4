/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_READ_CERTIFICATE_LINES_H
#define TOOLS_CHECK_READ_CERTIFICATE_LINES_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "check/read/certificate_read.h"

/*
 * Reading certificates line by line. Only the first error gets a message, and every later call
 * fails.
 */

enum { MOST_EXPONENT = 2200, MOST_KINDS = 1 << 22 };

typedef struct reader {
    const char *path;
    char       *text, *at; /* whole text; begin of the next line */
    size_t      size;
    unsigned    line;
    bool        bad; /* whether a message was printed */
} reader;

void report_bad_line(reader *r, const char *what);

/* Read the whole file. Return 0, or an exit code after a message. */
int read_all(reader *r, int fd);

/* Return the text after "NAME," in the next line, or NULL after a message. */
char *take(reader *r, const char *name);

/* Return whether the next line is "NAME,...". */
bool next_line_is(const reader *r, const char *name);

/* Return the number of remaining lines that start with `begin`. */
size_t count_lines_left(const reader *r, const char *begin);

/* End the text at its first comma; return the rest, or NULL after a message. */
char *split_at_comma(reader *r, char *text);

int64_t  integer_of(reader *r, const char *text);
int64_t  read_integer_line(reader *r, const char *name, int64_t least, int64_t most);
uint64_t read_hex_line(reader *r, const char *name);
double   double_of(reader *r, const char *text);
dyadic   dyadic_of(reader *r, char *text);
void     dyadic_to_fraction(dyadic from, mpq_t value);
dyadic   read_real_line(reader *r, const char *name, char decimal[32]);

#endif
