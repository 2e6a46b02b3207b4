/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_INPUT_H
#define TOOLS_INPUT_H

#include <hybridsched/io.h>

/** A file being read, or standard input. */
typedef struct input {
    int         fd;
    const char *name; /* as messages call it */
} input;

/** Open `path` (`-`: standard input). 0, or an exit code after a message. */
int  input_open(const char *path, input *in);
void input_close(input *in);

/**
 * Say why reading `in` failed (`file:line:column: what` if `why` knows) and
 * return the exit code; 0 for HS_OK. For HS_EIO, errno says why.
 */
int input_status(const input *in, hs_status status, const hs_diagnostic *why);

/** Open, read and close an instance. 0, or an exit code after a message. */
int input_instance(const char *path, const hs_read_options *options, hs_instance **out);

#endif
