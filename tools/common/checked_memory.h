/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECKED_MEMORY_H
#define TOOLS_CHECKED_MEMORY_H

#include <stddef.h>
#include <stdio.h>

/** Allocate zeroed memory and never return NULL: without memory the program ends (exit 3). */
void *checked_calloc(size_t count, size_t size);

/** Resize memory, and never return NULL: without memory the program ends (exit 3). */
void *checked_realloc(void *memory, size_t size);

/**
 * Open a stream that writes to memory, which the caller frees after fclose(); without memory the
 * program ends (exit 3).
 */
FILE *checked_memory_stream(char **text, size_t *length);

/** Return a copy of the text, which the caller frees; without memory the program ends (exit 3). */
char *checked_strdup(const char *text);

#endif
