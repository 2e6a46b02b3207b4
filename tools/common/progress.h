/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include <stddef.h>

/*
 * One line on standard error, if that is a terminal and the work lasts more
 * than two seconds: the time that has passed, when the work should end, how much of it
 * is done, and the present step. A caller can add a view of several lines above it.
 */

/** Begin on `total` steps; 0 if their number is not known. */
void progress_begin(size_t total);

/** `done` steps are behind; "READING FILE" or the like is next. */
void progress_step(size_t done, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** So many seconds are left, by the caller's own reckoning: it stands until called again. */
void progress_left(double seconds);

/**
 * Show the view that `draw` returns above the line from now on, also in the first two seconds.
 * `draw` writes at most `rows` lines of at most `columns` signs into `text`, each ended by a
 * newline, and returns their number; PROGRESS_VIEW bytes are enough for what it may write. It runs
 * in the thread of the progress line. NULL: no view. Call it after progress_begin().
 */
enum { PROGRESS_VIEW = 16384 };
typedef int progress_view(char text[PROGRESS_VIEW], int rows, int columns);
void progress_show_view(progress_view *draw);

/** Can standard error show a progress line: is it a terminal that moves its cursor? */
int progress_is_possible(void);

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
