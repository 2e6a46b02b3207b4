/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_EXEC_SHELL_PROGRAM_H
#define TOOLS_EXEC_SHELL_PROGRAM_H

#include <stddef.h>

/**
 * Return the length of the program name that a shell command starts with, after assignments, and
 * set *name to its begin. Return 0 for a shell built-in, and if only the shell could tell.
 */
size_t program_find(const char *command, const char **name);

#endif
