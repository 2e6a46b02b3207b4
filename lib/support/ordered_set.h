/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_ORDERED_SET_H
#define HSI_SUPPORT_ORDERED_SET_H

#include <stdbool.h>

#include "support/sort.h"
#include "support/vector.h"

/*
 * An ordered set of items with keys: sorted by rising key (never NaN), and equal keys by the
 * caller's `before`, a strict order. Neither may change for an item while it is in the set.
 *
 * Neighbours lie in sorted blocks with free space at either end; a directory lists the blocks in
 * order, each with its first key. Both are searched by bisection. A full block is split; an empty
 * block is dropped; and two neighbours with at most half a block together are joined, so n items
 * need at most n / 32 + 3 blocks. The first and the last block are never joined and may have a
 * single item: taking an item at an end moves no other item.
 *
 * O(1) at either end. Elsewhere O(log n) comparisons and at most half a block of moved items; once
 * per half a block of inserts also the shorter part of the directory moves.
 */
enum { HSI_SET_BLOCK = 128 };

typedef enum hsi_set_end { HSI_SET_FRONT, HSI_SET_BACK } hsi_set_end;

typedef struct hsi_ordered_set {
    hsi_before  before;
    const void *context;
    size_t      count, room; /* numbers of items */
    hsi_vector  blocks;      /* every block ever used, in no order */
    uint32_t    free_block;  /* head of the list of free blocks */
    hsi_vector  directory;
    size_t      first, used; /* range of used directory entries */
} hsi_ordered_set;

/* Create an empty set without room; and free its memory. */
void hsi_set_open(hsi_ordered_set *set, hsi_before before, const void *context);
void hsi_set_close(hsi_ordered_set *set);

/* Reserve room for `count` items in total; -1: out of memory, nothing changed. */
int hsi_set_reserve(hsi_ordered_set *set, size_t count);

/* Insert an item, with room reserved before; no effect if it is already in the set. */
void hsi_set_insert(hsi_ordered_set *set, double key, uint32_t item);

/* Remove an item, given the key of its insertion; 0: it was not in the set. */
bool hsi_set_remove(hsi_ordered_set *set, double key, uint32_t item);

/*
 * Change the key of an item in place, if the new key lies strictly between the keys of its
 * neighbours: then true. Afterwards the item's place does not depend on `before`.
 */
bool hsi_set_change_key(hsi_ordered_set *set, double key, uint32_t item, double new_key);

/* Return the item at position i < count, counted from an end. O(1 + i / 64). */
uint32_t hsi_set_at(const hsi_ordered_set *set, hsi_set_end end, size_t index);

/* Remove and return the item at an end of a non-empty set. */
uint32_t hsi_set_remove_end(hsi_ordered_set *set, hsi_set_end end);

#endif
