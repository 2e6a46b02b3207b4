/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include <stddef.h>

/*
 * One line on standard error, if that is a terminal and the work lasts more
 * than two seconds: what is being done, how much of it, and when it should end.
 */

/** Begin on `total` steps; 0 if their number is not known. */
void progress_begin(size_t total);

/** `done` steps are behind; "READING FILE" or the like is next. */
void progress_step(size_t done, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** So many seconds are left, by the caller's own reckoning: it stands until called again. */
void progress_left(double seconds);

/** This step reads `fd`: if that is a file, how far says how much is done. -1: no longer. */
void progress_watch(int fd);

/** Erase the line; it comes back while work goes on. Call it before printing on a terminal. */
void progress_hide(void);

/** Erase the line and keep it away until progress_release(): for what is printed in pieces. */
void progress_hold(void);
void progress_release(void);

/** progress_hide(), for a signal handler about to end the program. */
void progress_hide_in_handler(void);

/** The work is over: erase the line for good. */
void progress_end(void);

#endif
