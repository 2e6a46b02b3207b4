/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_KERNEL_TABLE_H
#define TOOLS_KERNEL_TABLE_H

#include <hybridsched/io.h>

/** Return the name of built-in kernel table `index`, for completion; NULL past the last. */
const char *kernel_table_name_at(size_t index);

/**
 * Find the built-in table `name`, or read the file `name` (`-`: standard input). A table from a
 * file is also put in *read, which the caller frees. Return 0, or an exit code after a message.
 */
int kernel_table_find_or_read(const char *name, const hs_kernel_table **table,
                              hs_kernel_table **read);

#endif
