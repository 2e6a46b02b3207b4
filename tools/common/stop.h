/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_STOP_H
#define TOOLS_STOP_H

/*
 * Ending with the best result so far: once the work has begun, the first SIGINT or SIGTERM asks for
 * that, and a second one ends the program at once, as either does before the work begins.
 */

/** The work begins, so that there may be a result. Further calls do nothing. For any thread. */
void stop_begin(void);

/** 1 once a signal has asked to stop. Fits hs_settings.cancel. */
int stop_asked(void *unused);

/** What such a signal makes of the program's exit code: 128 and its number. */
int stop_exit_code(int code);

#endif
