/* SPDX-License-Identifier: BSD-3-Clause */

#include "failing_memory.h"

#include <stdatomic.h>
#include <stdbool.h>

#include <hybridsched/export.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
void  __real_free(void *at);

/* Exported functions, because sanitizers look up the names. */
HS_API void *__wrap_malloc(size_t size);
HS_API void *__wrap_calloc(size_t count, size_t size);
HS_API void *__wrap_realloc(void *old, size_t size);
HS_API void *__wrap_aligned_alloc(size_t alignment, size_t size);
HS_API char *__wrap_strdup(const char *text);
HS_API char *__wrap_strndup(const char *text, size_t size);
HS_API void  __wrap_free(void *at);

/* Atomic counters, because several threads may allocate concurrently. */
static atomic_int     armed, goes_on;
static atomic_long    left, failed, blocks;
static _Atomic size_t largest, requested;

void memory_fail_after(long allocations, int from_there_on)
{
    atomic_store(&left, allocations);
    atomic_store(&failed, 0);
    atomic_store(&goes_on, from_there_on);
    atomic_store(&armed, allocations >= 0);
}

long memory_stop_failing(void)
{
    atomic_store(&armed, 0);
    return atomic_load(&failed);
}

long memory_live_blocks(void)
{
    return atomic_load(&blocks);
}

size_t memory_largest_request(void)
{
    return atomic_exchange(&largest, 0);
}

size_t memory_requested(void)
{
    return atomic_load(&requested);
}

bool allocation_fails(void)
{
    long before;

    if (!atomic_load(&armed))
        return false;
    before = atomic_fetch_sub(&left, 1);
    if (before > 0 || (before < 0 && !atomic_load(&goes_on)))
        return false;
    atomic_fetch_add(&failed, 1);
    return true;
}

static void *counted(void *block)
{
    if (block)
        atomic_fetch_add(&blocks, 1);
    return block;
}

static void note_size(size_t size)
{
    size_t before = atomic_load(&largest);

    atomic_fetch_add(&requested, size);
    while (size > before && !atomic_compare_exchange_weak(&largest, &before, size))
        ;
}

void *__wrap_malloc(size_t size)
{
    note_size(size);
    return allocation_fails() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    note_size(count * size);
    return allocation_fails() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    void *block;

    note_size(size);
    if (allocation_fails())
        return NULL;
    block = __real_realloc(old, size);
    return old ? block : counted(block);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    note_size(size);
    return allocation_fails() ? NULL : counted(__real_aligned_alloc(alignment, size));
}

char *__wrap_strdup(const char *text)
{
    return allocation_fails() ? NULL : counted(__real_strdup(text));
}

char *__wrap_strndup(const char *text, size_t size)
{
    return allocation_fails() ? NULL : counted(__real_strndup(text, size));
}

void __wrap_free(void *at)
{
    if (at)
        atomic_fetch_sub(&blocks, 1);
    __real_free(at);
}
