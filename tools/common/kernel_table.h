/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_KERNEL_TABLE_H
#define TOOLS_KERNEL_TABLE_H

#include <hybridsched/io.h>

/** Names of the built-in kernel tables, for completion; NULL past the last. */
const char *kernel_table_word(size_t index);

/**
 * The built-in table of that name, or else the one in the file `name` (`-`: standard input), which
 * is *read then, to be freed. 0, or an exit code after a message.
 */
int kernel_table_open(const char *name, const hs_kernel_table **table, hs_kernel_table **read);

#endif
