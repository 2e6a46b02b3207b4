/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_SORT_INDEX_SORT_H
#define HSI_SUPPORT_SORT_INDEX_SORT_H

#include "support/sort/sort.h"

/* A strict order over indices, and keys that say nearly all of it. */
typedef struct hsi_index_order {
    uint64_t (*key)(const void *context, uint32_t index); /* a smaller key comes before */
    hsi_before  before;                                   /* the whole order, index included */
    const void *context;
} hsi_index_order;

/*
 * order[] = given[0 .. n-1] in that order; given increases, NULL: 0 .. n-1, and may be
 * `order` itself. keys[i] is the key of given[i]; `keys` and `scratch` hold n each and are
 * used up. O(n) for keys that spread, O(n log n) at worst.
 *
 * What is sorted is 32 bits of what each key exceeds the least by, with the index beside
 * them: half of what keys and indices are, in memory and in each of three passes over it.
 */
void hsi_sort_by_keys(uint64_t *keys, uint64_t *scratch, size_t n, const hsi_index_order *how,
                      const uint32_t *given, uint32_t *order);

#endif
