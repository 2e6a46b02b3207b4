/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SCRATCH_H
#define TOOLS_SCRATCH_H

/**
 * A folder TOOL.XXXXXX in TMPDIR, or /tmp, for as long as the program lasts: it goes with all files
 * in it at exit() and on a signal that output_begin() catches. One at a time; the string is the
 * folder's. NULL: none can be made, and errno says why.
 */
const char *scratch_create(void);

/** Where it would be, or is. */
const char *scratch_parent(void);

/** If there is one. Safe in a signal handler. */
void scratch_remove(void);

#endif
