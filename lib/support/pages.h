/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_PAGES_H
#define HSI_SUPPORT_PAGES_H

#include <stddef.h>

#include "support/asker.h"

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
void hsi_pages_hint(void *data, size_t size);

/**
 * What hsi_pages_alloc() gave is to be written to here and there: to get all of it may take long,
 * and this asks meanwhile. 1: no more. What is there is lost.
 */
int hsi_pages_touch(void *data, size_t size, hsi_asker *asker);

#endif
