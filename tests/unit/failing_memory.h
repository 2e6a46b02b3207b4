/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_UNIT_FAILING_MEMORY_H
#define TEST_UNIT_FAILING_MEMORY_H

/*
 * For the one source of a program linked with --wrap=malloc, calloc and realloc: the
 * allocation that comes after `until_failure` others fails.
 */

#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static long until_failure = -1; /* -1: none fails */

static inline int fails(void)
{
    return until_failure >= 0 && until_failure-- == 0;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

#endif
