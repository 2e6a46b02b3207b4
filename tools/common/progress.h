/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The progress line: one line on standard error, if this is a terminal and the work lasts more than
 * two seconds, with the elapsed time, the estimated time left, the part done and the present step.
 * A caller can add a view of several lines above it.
 */

/** Start the progress line with `total` steps; 0: unknown number. */
void progress_begin(size_t total);

/** Set the number of steps done and the label of the present step, e.g. "reading FILE". */
void progress_set_done(size_t done, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Set the caller's estimate of the seconds left; it is used until the next call. */
void progress_set_seconds_left(double seconds);

/**
 * Show the view drawn by `draw` above the line from now on, also in the first two seconds. `draw`
 * writes at most `rows` lines of at most `columns` characters into `text`, each ended by a newline,
 * and returns their number; PROGRESS_VIEW bytes suffice. `draw` runs in the thread of the progress
 * line. NULL: no view. Call this function after progress_begin().
 */
enum { PROGRESS_VIEW = 16384 };
typedef int progress_view(char text[PROGRESS_VIEW], int rows, int columns);
void progress_show_view(progress_view *draw);

/** Return whether standard error can show a progress line: a terminal with a movable cursor. */
bool progress_is_possible(void);

/**
 * Measure the present step by the position of `fd`, if this is a regular file. -1: stop measuring.
 */
void progress_measure_reading(int fd);

/** Erase the line until the next drawing. Call this function before printing on a terminal. */
void progress_hide(void);

/**
 * Erase the line and keep it erased until progress_resume(), while output is printed in pieces.
 */
void progress_pause(void);
void progress_resume(void);

/** Erase the line from a signal handler that is about to end the program. */
void progress_hide_in_handler(void);

/** End the progress line and erase it for good. */
void progress_end(void);

#endif
