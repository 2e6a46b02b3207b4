/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/pages.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define LARGE_PAGE ((size_t)2 << 20)

void *hsi_large_pages_alloc(size_t size)
{
    void *data;

    if (size < HSI_PAGES_LEAST || size > SIZE_MAX - LARGE_PAGE)
        return malloc(size);
    data = aligned_alloc(LARGE_PAGE, (size + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1));
    if (data)
        hsi_large_pages_hint(data, size);
    return data;
}

void *hsi_large_pages_zeroed(size_t count, size_t size)
{
    void *data = calloc(count, size);

    if (data) /* memory of this size is usually fresh from the system, hence zero and untouched */
        hsi_large_pages_hint(data, count * size);
    return data;
}

bool hsi_large_pages_touch(void *data, size_t size, hsi_token *token)
{
    enum { APART = 4096, WORK = 512 };

    if (!token || !token->cancel || size < HSI_PAGES_LEAST)
        return false;
    for (size_t at = 0; at < size; at += APART) {
        if (hsi_poll_after_work(token, WORK))
            return true;
        ((volatile char *)data)[at] = 0;
    }
    return false;
}
