/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SCRATCH_H
#define TOOLS_SCRATCH_H

/**
 * Create a folder TOOL.XXXXXX in TMPDIR, or /tmp, and return its path. The folder with all its
 * files is removed at exit() and on a signal that output_begin() catches. Only one folder exists at
 * a time; the string belongs to this module. Return NULL with errno on failure.
 */
const char *scratch_create(void);

/** Return the parent folder: TMPDIR, or /tmp. */
const char *scratch_parent(void);

/** Remove the folder, if it exists. Async-signal-safe. */
void scratch_remove(void);

#endif
