/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_MEMORY_H
#define TOOLS_MEMORY_H

#include <stddef.h>

/** calloc() that never gives NULL: without memory the program ends (exit 3). */
void *checked_calloc(size_t count, size_t size);

#endif
