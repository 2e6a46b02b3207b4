/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_OUTPUT_H
#define TOOLS_OUTPUT_H

#include <stdio.h>

#include <hybridsched/status.h>

/*
 * Output files that appear whole or not at all: a temporary file in the destination folder is
 * renamed on success, and removed on failure, at exit() and on a signal. Only an uncatchable end,
 * e.g. by SIGKILL, leaves a temporary file behind, named `.hsched-` and six characters.
 */

typedef struct output output;

/**
 * Install the removal of half-written files, and occupy closed standard streams so that no opened
 * file gets their numbers. options_read() calls this function.
 */
void output_begin(void);

/**
 * Open `path` for writing (`-`: standard output; a device or a pipe is written in place). The
 * caller keeps the string alive. Return 0 and *out, or an exit code after a message.
 */
int output_open(const char *path, output **out);

/**
 * Check whether output_open() would succeed, without creating any file. Return 0, or the exit code
 * output_open() would return, after the same message.
 */
int output_check_creatable(const char *path);

/**
 * Return the exit code of a write error (an errno): wrong usage for an unusable path, a missing
 * resource for a full disk.
 */
int output_exit_code(int error);

/** Return the descriptor to write to, or a stream on it (NULL: out of memory). */
int   output_fd(const output *o);
FILE *output_stream(output *o);

/** Return whether the output is standard output. */
bool output_is_stdout(const output *o);

/**
 * Finish the file and free `o`: rename it to its final name if `written` is HS_OK, otherwise remove
 * it and print the error (for HS_EIO, errno says why). Return an exit code.
 */
int output_close(output *o, hs_status written);

/** Abandon and remove the file; NULL is allowed. */
void output_discard(output *o);

/** Return whether two paths name one file, also if the file does not exist yet. */
bool same_file(const char *a, const char *b);

/** Flush standard output after a write; output_finish() reports the first failure by its errno. */
void output_flush(void);

/**
 * Flush standard output at the end of the program. Return `code`, or 3 after a message on failure.
 */
int output_finish(int code);

#endif
