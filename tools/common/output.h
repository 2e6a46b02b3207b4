/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_OUTPUT_H
#define TOOLS_OUTPUT_H

#include <stdio.h>

#include <hybridsched/status.h>

/*
 * Files that appear whole or not at all: a temporary file in the same folder is renamed on
 * success, and removed on failure, at exit() and on a signal. Only what no program can catch,
 * such as SIGKILL, leaves one behind, called `.hsched-` and six characters.
 */

typedef struct output output;

/**
 * Set up the removal of half-written files, and keep files from taking the place of
 * a closed standard stream; options_begin() calls it.
 */
void output_begin(void);

/**
 * Start to write `path` (`-`: standard output; a device or a pipe is written in
 * place), a string that stays the caller's. 0 and *out, or an exit code after a message.
 */
int output_open(const char *path, output **out);

/**
 * Would output_open() do, as far as can be told without making anything? 0, or the exit
 * code that it would return, after the same message.
 */
int output_look(const char *path);

/** The descriptor to write to, or a stream on it; NULL: out of memory. */
int   output_fd(const output *o);
FILE *output_stream(output *o);

/** Does it go to standard output? */
int output_is_stdout(const output *o);

/**
 * End the file: give it its name if `written` is HS_OK, else remove it and say
 * what went wrong (for HS_EIO, errno says why). Frees `o`; returns an exit code.
 */
int output_close(output *o, hs_status written);

/** Give up on the file, if there is one: nothing of it stays. */
void output_discard(output *o);

/** Do two paths name one file, or what would become one? */
int same_file(const char *a, const char *b);

/** Flush standard output; what goes wrong is for output_finish() to say. */
void output_flush(void);

/** Flush it at the end of the program. Returns `code`, or 3 after a message if that failed. */
int output_finish(int code);

#endif
