/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_ORDERED_SET_H
#define HSI_SUPPORT_ORDERED_SET_H

#include "support/sort.h"
#include "support/vector.h"

/*
 * An ordered set of items, each with a key: by rising key (never NaN), those with equal keys by
 * the caller's `before`, a strict order. What decides about an item must not change while it is in
 * the set.
 *
 * Neighbours lie in sorted blocks, with what is free at either end; a directory has the blocks in
 * order, each with its first key. Both are searched by halving. A full block is split; an empty
 * one is dropped; and, so that the blocks of n items are never more than n / 32 + 3, two
 * neighbours become one when they hold no more than half a block together. That does not go for
 * the first and the last block, which may hold as little as one item: takes do not move items.
 *
 * O(1) at either end. Elsewhere O(log n) comparisons, as many items moved as half a block
 * holds, and of the directory what is nearer to one of its ends, once in half a block of inserts.
 */
enum { HSI_SET_BLOCK = 128 };

typedef enum hsi_set_end { HSI_SET_FRONT, HSI_SET_BACK } hsi_set_end;

typedef struct hsi_ordered_set {
    hsi_before  before;
    const void *context;
    size_t      count, room; /* items */
    hsi_vector  blocks;      /* in no order; of those that were ever used */
    uint32_t    free_block;  /* the first of a list */
    hsi_vector  directory;
    size_t      first, used; /* entries of the directory */
} hsi_ordered_set;

/* Empty, and without room. */
void hsi_set_open(hsi_ordered_set *set, hsi_before before, const void *context);
void hsi_set_close(hsi_ordered_set *set);

/* Makes room for `count` items in all; -1 when memory is short and nothing has changed. */
int hsi_set_reserve(hsi_ordered_set *set, size_t count);

/* There is room for one more. Nothing changes if it is there already. */
void hsi_set_insert(hsi_ordered_set *set, double key, uint32_t item);

/* With the key it was inserted with; 0: it is not there. */
int hsi_set_remove(hsi_ordered_set *set, double key, uint32_t item);

/* The item with i others between it and that end, i < count. O(1 + i / 64). */
uint32_t hsi_set_at(const hsi_ordered_set *set, hsi_set_end end, size_t i);

/* Takes out the item at that end of a set that is not empty. */
uint32_t hsi_set_take(hsi_ordered_set *set, hsi_set_end end);

#endif
