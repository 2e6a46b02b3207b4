/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_PAGES_H
#define HSI_SUPPORT_PAGES_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "support/cancel.h"

#define HSI_PAGES_LEAST ((size_t)4 << 20)

/*
 * Memory in large pages, where the system supports them: page faults on small pages cost the reader
 * of a large file a quarter of its time. Below 4 MiB normal pages are used, to limit the waste in
 * the last large page.
 */

/** Allocate like malloc(), aligned to a large page, memory that is filled at once; free() frees it.
 */
void *hsi_large_pages_alloc(size_t size);

/** Allocate zeroed memory like calloc(), in large pages; free() frees it. */
void *hsi_large_pages_zeroed(size_t count, size_t size);

/** Advise the kernel that `size` untouched bytes at `data` will be used. A hint; errno is kept. */
static inline void hsi_large_pages_hint(void *data, size_t size)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = 65536; /* a multiple of the page size of every machine */
    uintptr_t       from = ((uintptr_t)data + page - 1) & ~(page - 1);
    uintptr_t       to = ((uintptr_t)data + size) & ~(page - 1);
    int             error = errno;

    if (size < HSI_PAGES_LEAST)
        return;
    (void)madvise((void *)from, to - from, MADV_HUGEPAGE);
    errno = error;
#else
    (void)data;
    (void)size;
#endif
}

/**
 * Touch memory from hsi_large_pages_alloc() before scattered writes, polling the cancel token,
 * because mapping all of it may take long. Returns true when cancelled. Destroys the content.
 */
bool hsi_large_pages_touch(void *data, size_t size, hsi_token *token);

#endif
