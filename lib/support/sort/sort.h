/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_SORT_SORT_H
#define HSI_SUPPORT_SORT_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct hsi_keyed {
    uint64_t key;
    uint32_t index;
} hsi_keyed;

/*
 * Sorts by key, upwards, keeping the order of equal keys. `scratch` has room for
 * n as well. Returns the one of the two arrays that holds the result. O(n) for
 * keys that spread, O(n log n) at worst.
 */
hsi_keyed *hsi_sort(hsi_keyed *items, hsi_keyed *scratch, size_t n);

/* A strict order over indices. */
typedef int (*hsi_before)(const void *context, uint32_t a, uint32_t b);

/* Sorts indices, stable; `scratch` has room for n. O(n log n). */
void hsi_sort_indices(uint32_t *indices, uint32_t *scratch, size_t n, hsi_before before,
                      const void *context);

/* Doubles >= 0, infinity included, in the order of their bits. */
static inline uint64_t hsi_key_of_double(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double hsi_double_of_key(uint64_t key)
{
    double x;

    memcpy(&x, &key, sizeof x);
    return x;
}

#endif
