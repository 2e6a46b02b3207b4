/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_INPUT_H
#define TOOLS_INPUT_H

#include <hybridsched/io.h>

/** An open input file, or standard input. */
typedef struct input {
    int         fd;
    const char *name; /* file name in messages */
} input;

/** Open `path` (`-`: standard input). Return 0, or an exit code after a message. */
int  input_open(const char *path, input *in);
void input_close(input *in);

/**
 * Print why reading `in` failed (`file:line:column: what` if `why` has a position) and return the
 * exit code; 0 for HS_OK. For HS_EIO, errno says why.
 */
int input_status(const input *in, hs_status status, const hs_error *error);

/** Read an instance from `path`. Return 0, or an exit code after a message. */
int input_instance(const char *path, const hs_read_settings *options, hs_instance **out);

/**
 * Read the rest of the file into a NUL-terminated string, which the caller frees, but at most one
 * byte more than `most`. Return 0, or an exit code after a message.
 */
int input_read_all(const input *in, size_t most, char **text, size_t *length);

#endif
