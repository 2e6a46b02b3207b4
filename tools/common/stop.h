/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_STOP_H
#define TOOLS_STOP_H

/*
 * Ending with the best result so far: once the work has begun, the first SIGINT or SIGTERM asks for
 * that, and a second one ends the program at once, as either does before the work begins.
 */

/** Install the handlers at the start of the work. Further calls do nothing. Thread-safe. */
void stop_begin(void);

/** 1 once a signal has asked to stop. Fits hs_settings.cancel. */
int stop_asked(void *unused);

/** Return 128 plus the number of the signal that asked to stop; without a signal, `code`. */
int stop_exit_code(int code);

#endif
