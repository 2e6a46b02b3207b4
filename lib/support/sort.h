/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_SORT_H
#define HSI_SUPPORT_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "support/asker.h"

/* A strict order over indices. */
typedef int (*hsi_before)(const void *context, uint32_t a, uint32_t b);

/*
 * Sorts indices by comparing them, stable; `scratch` has room for n. O(n log n). 1: `asker` (may
 * be NULL) wants no more, and what is in `indices` is in no order; else 0.
 */
int hsi_sort_indices_asking(uint32_t *indices, uint32_t *scratch, size_t n, hsi_before before,
                            const void *context, hsi_asker *asker);

/* The same, to its end. */
void hsi_sort_indices(uint32_t *indices, uint32_t *scratch, size_t n, hsi_before before,
                      const void *context);

/* The same order, and keys that say nearly all of it. */
typedef struct hsi_index_order {
    uint64_t (*key)(const void *context, uint32_t index); /* a smaller key comes before */
    hsi_before  before;                                   /* the whole order, index included */
    const void *context;
    hsi_asker  *asker; /* may be NULL */
} hsi_index_order;

/*
 * order[] = given[0 .. n-1] in that order; given increases, NULL: 0 .. n-1, and may be
 * `order` itself. keys[i] is the key of given[i]; `keys` and `scratch` hold n each and are
 * used up. O(n) for keys that spread, O(n log n) at worst. 1: the asker wants no more, and
 * what is in order[] is nothing; else 0.
 *
 * What is sorted is 32 bits of what each key exceeds the least by, with the index beside
 * them: half of what keys and indices are, in memory and in each of three passes over it.
 */
int hsi_sort_by_keys(uint64_t *keys, uint64_t *scratch, size_t n, const hsi_index_order *how,
                     const uint32_t *given, uint32_t *order);

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
