/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_MESSAGE_H
#define TOOLS_MESSAGE_H

#include <stdio.h>

#include <hybridsched/status.h>

/* How every tool ends; a signal adds its number to 128. */
enum {
    EXIT_OK = 0,
    EXIT_WORK = 1,    /* the work failed: a schedule is not valid, a task failed */
    EXIT_USAGE = 2,   /* wrong usage, or bad input */
    EXIT_RESOURCE = 3 /* no memory, disk full, not in this build */
};

/** The exit code that a status of the library asks for. */
int exit_code(hs_status status);

/** What messages start with. Call it first. */
void        message_begin(const char *tool_name);
const char *message_tool(void);

/**
 * "hsched-solve: ..." and a newline on standard error, after erasing a progress line. All of it
 * goes through hs_printable(): names out of files and of files may be anything.
 */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** The text as it stands, with no tool's name: for `file:line:column: ...`. */
void message_plain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** From here on, this thread's messages are written to that; NULL: as ever. */
void message_hold(FILE *to);

/** What was held. */
void message_text(const char *text, size_t length);

/** message(), a hint at --help, and exit 2. */
_Noreturn void usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** message() with the status in words; returns its exit code. */
int message_status(hs_status status, const char *what);

#endif
