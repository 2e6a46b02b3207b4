/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_EXEC_PROGRAM_H
#define TOOLS_EXEC_PROGRAM_H

#include <stddef.h>

/**
 * The program that a shell command starts with, behind assignments: the length of its name, which
 * begins at `*name`. 0: it is a word of the shell's own, or only the shell could tell.
 */
size_t program_find(const char *command, const char **name);

#endif
