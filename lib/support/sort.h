/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_SORT_H
#define HSI_SUPPORT_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "support/cancel.h"

/* A strict order on indices. */
typedef int (*hsi_before)(const void *context, uint32_t a, uint32_t b);

/*
 * Sort indices by comparison, stable; `scratch` has room for n. O(n log n). Returns true when
 * cancelled by `token` (may be NULL), with `indices` in arbitrary order; else false.
 */
bool hsi_sort_indices_polling(uint32_t *indices, uint32_t *scratch, size_t count, hsi_before before,
                              const void *context, hsi_token *token);

/* Sort indices as hsi_sort_indices_polling() does, without cancellation. */
void hsi_sort_indices(uint32_t *indices, uint32_t *scratch, size_t count, hsi_before before,
                      const void *context);

/* An order on indices for hsi_sort_by_keys(). */
typedef struct hsi_index_order {
    hsi_before  before; /* the complete order, ties broken by index; decides between equal keys */
    const void *context;
    hsi_token  *token; /* cancel token; may be NULL */
} hsi_index_order;

/*
 * Sort order[] = given[0 .. n-1]; `given` increases and may be `order` itself; NULL means 0 .. n-1.
 * keys[i] is the key of given[i], smaller keys first; `keys` and `scratch` have n elements each and
 * are overwritten. O(n log n). Return true when cancelled, with order[] invalid; else false.
 *
 * The sorted words are the leading 32 bits of each key's excess over the least key, combined with
 * the index.
 */
bool hsi_sort_by_keys(uint64_t *keys, uint64_t *scratch, size_t count, const hsi_index_order *rule,
                      const uint32_t *given, uint32_t *order);

/* Map doubles >= 0, infinity included, to integers of the same order: their bits. */
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
