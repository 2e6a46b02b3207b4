/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_GEN_JOBS_SHELL_PLACE_H
#define TOOLS_GEN_JOBS_SHELL_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Where a text would stand in a shell command: only outside quotes is it safe to insert a word in
 * single quotes. The scan is cautious: behind text that it does not understand, no place is safe.
 */

typedef enum shell_place {
    SHELL_WORDS,      /* outside quotes and comments */
    SHELL_SINGLE,     /* inside '...' */
    SHELL_DOUBLE,     /* inside "..." */
    SHELL_BACKQUOTES, /* inside `...` */
    SHELL_COMMENT,
    SHELL_UNCERTAIN   /* behind `odd`, whose end the scan does not find */
} shell_place;

typedef struct shell_scan {
    shell_place place;
    bool        word_began;   /* whether the text so far ends within a word */
    bool        after_dollar; /* whether the text so far ends in a '$' that no backslash escapes */
    bool        in_name;      /* whether the text so far ends in $NAME, without braces */
    const char *odd;          /* with SHELL_UNCERTAIN: the text that is not understood */
} shell_scan;

/** Scan the next characters of a command, a zeroed scan at its begin; return their number. */
size_t shell_scan_next(shell_scan *scan, const char *at);

/** Note that a word stands next, which is not part of the scanned text. */
void shell_scan_word(shell_scan *scan);

#endif
