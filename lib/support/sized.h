/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_SIZED_H
#define HSI_SUPPORT_SIZED_H

#include <stddef.h>
#include <string.h>

/*
 * Versioned public structs begin with `size_t struct_size`: the size in the caller's version. Here
 * `full` is the library's version of the struct, of full_size bytes.
 */

/*
 * Initialise a caller's struct of `size` bytes from `full`; members unknown to the library become
 * 0.
 */
static inline void hsi_sized_init(void *to, size_t size, const void *full, size_t full_size)
{
    memset(to, 0, size);
    memcpy(to, full, size < full_size ? size : full_size);
    memcpy(to, &size, sizeof size);
}

/*
 * Copy the caller's members over the defaults in `full`. Returns true, or false if the caller's
 * struct was not initialised.
 */
static inline bool hsi_sized_copy_in(void *full, size_t full_size, const void *given)
{
    size_t size;

    memcpy(&size, given, sizeof size);
    if (size < sizeof size)
        return false;
    memcpy((char *)full + sizeof size, (const char *)given + sizeof size,
           (size < full_size ? size : full_size) - sizeof size);
    return true;
}

/*
 * Copy to the caller's struct its version's members of `full`; nothing if it was not initialised.
 */
static inline void hsi_sized_copy_out(void *to, const void *full, size_t full_size)
{
    size_t size, known;

    memcpy(&size, to, sizeof size);
    known = size < full_size ? size : full_size;
    if (known > sizeof size)
        memcpy((char *)to + sizeof size, (const char *)full + sizeof size, known - sizeof size);
}

#endif
