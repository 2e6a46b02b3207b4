/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_SIZED_H
#define HSI_SUPPORT_SIZED_H

#include <stddef.h>
#include <string.h>

/*
 * Public structs begin with `size_t struct_size`: what the caller's version of one takes. Fill
 * the part of `to` that its caller knows from `full`, which is all that this version knows.
 */
static inline void hsi_fill_sized(void *to, const void *full, size_t full_size)
{
    size_t size, known;

    memcpy(&size, to, sizeof size);
    known = size < full_size ? size : full_size;
    if (known > sizeof size)
        memcpy((char *)to + sizeof size, (const char *)full + sizeof size, known - sizeof size);
}

#endif
