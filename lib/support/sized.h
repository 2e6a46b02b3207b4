/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_SIZED_H
#define HSI_SUPPORT_SIZED_H

#include <stddef.h>
#include <string.h>

/*
 * Public structs begin with `size_t struct_size`: what the caller's version of one takes. `full`
 * is all that this version knows, of full_size bytes.
 */

/* A caller's struct of `size` bytes becomes what `full` is; what it has beyond that is 0. */
static inline void hsi_init_sized(void *to, size_t size, const void *full, size_t full_size)
{
    memset(to, 0, size);
    memcpy(to, full, size < full_size ? size : full_size);
    memcpy(to, &size, sizeof size);
}

/*
 * 1, and `full`, which has its defaults, takes over what the caller's struct has; 0: the caller's
 * has not been initialised.
 */
static inline int hsi_take_sized(void *full, size_t full_size, const void *given)
{
    size_t size;

    memcpy(&size, given, sizeof size);
    if (size < sizeof size)
        return 0;
    memcpy((char *)full + sizeof size, (const char *)given + sizeof size,
           (size < full_size ? size : full_size) - sizeof size);
    return 1;
}

/* What the caller's version of the struct knows of `full`; nothing if it was not initialised. */
static inline void hsi_fill_sized(void *to, const void *full, size_t full_size)
{
    size_t size, known;

    memcpy(&size, to, sizeof size);
    known = size < full_size ? size : full_size;
    if (known > sizeof size)
        memcpy((char *)to + sizeof size, (const char *)full + sizeof size, known - sizeof size);
}

#endif
