/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_MESSAGE_H
#define TOOLS_MESSAGE_H

#include <stdio.h>

#include <hybridsched/status.h>

/* Exit codes of the tools; a signal gives 128 plus its number. */
enum {
    EXIT_OK = 0,
    EXIT_WORK = 1,    /* the work failed: an invalid schedule, a failed task */
    EXIT_USAGE = 2,   /* wrong usage, or bad input */
    EXIT_RESOURCE = 3 /* out of memory, disk full, feature missing in this build */
};

/** Return the exit code for a status of the library. */
int exit_code(hs_status status);

/** Set the tool's name, the prefix of messages. Call this function before any message. */
void        message_begin(const char *tool_name);
const char *message_tool(void);

/**
 * Print "hsched-solve: ..." and a newline on standard error, after erasing a progress line. The
 * whole text goes through hs_printable(), because file names and file contents may hold any bytes.
 */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Print a message without the tool's name, for `file:line:column: ...`. */
void message_without_tool(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Write this thread's messages to `to` from now on; NULL: to standard error again. */
void message_redirect(FILE *to);

/** Print the text of messages that message_redirect() collected. */
void message_print_held(const char *text, size_t length);

/** Print the message and a hint at --help, and exit with code 2. */
_Noreturn void usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Print "WHAT: text of the status" and return the exit code of the status. */
int message_status(hs_status status, const char *what);

#endif
