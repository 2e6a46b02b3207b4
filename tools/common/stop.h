/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_STOP_H
#define TOOLS_STOP_H

/*
 * Stopping early with the best result so far: after the work has begun, the first SIGINT or SIGTERM
 * requests a stop and the second ends the program at once. Before the work begins, the first signal
 * ends the program at once.
 */

/** Install the handlers at the start of the work. Further calls do nothing. Thread-safe. */
void stop_begin(void);

/**
 * Return 1 after a signal has requested a stop, otherwise 0. The type is that of
 * hs_settings.cancel.
 */
int stop_requested(void *unused);

/** Return 128 plus the number of the signal that requested a stop; without a signal, `code`. */
int stop_exit_code(int code);

#endif
