/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_UNNAMED_H
#define TOOLS_UNNAMED_H

/*
 * Files that have no name while they are written: however the program ends, nothing
 * of them stays behind.
 */

/** A descriptor to write what `target` will be in the end; -1: it cannot be done there. */
int unnamed_open(const char *target);

/** Call it `target`, in place of what is there. 0, or an errno. */
int unnamed_publish(int fd, const char *target);

#endif
