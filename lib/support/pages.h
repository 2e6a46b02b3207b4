/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_PAGES_H
#define HSI_SUPPORT_PAGES_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "support/asker.h"

#define HSI_PAGES_LEAST ((size_t)4 << 20)

/*
 * Memory in large pages, where the system has them: to be given small ones, a fault
 * each, costs a reader of a large file a quarter of its time. Nothing changes for less
 * than 4 MiB, so that what a large page holds beyond need stays small.
 */

/** malloc() for what is going to be filled; begins with a large page. */
void *hsi_pages_alloc(size_t size);

/** calloc() likewise. */
void *hsi_pages_zeroed(size_t count, size_t size);

/** `size` bytes at `data`, not touched yet, are going to be used. A hint; errno is kept. */
static inline void hsi_pages_hint(void *data, size_t size)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = 65536; /* a multiple of what any machine calls a page */
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
 * What hsi_pages_alloc() gave is to be written to here and there: to get all of it may take long,
 * and this asks meanwhile. 1: no more. What is there is lost.
 */
int hsi_pages_touch(void *data, size_t size, hsi_asker *asker);

#endif
