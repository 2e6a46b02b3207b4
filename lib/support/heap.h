/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_HEAP_H
#define HSI_SUPPORT_HEAP_H

#include <stddef.h>

#include "support/sort.h"

/*
 * A binary heap of indices in the caller's array: heap[0] comes first in the order given with each
 * call, which the compiler inlines if it is constant. The parent of item i is item (i - 1) / 2 and
 * never comes after it. Push and pop take O(log size) comparisons.
 */

/* Add an item to heap[0 .. size - 1]; the array must have room. */
static inline void hsi_heap_push(uint32_t *heap, size_t size, uint32_t item, hsi_before before,
                                 const void *context)
{
    size_t at = size;

    for (; at > 0 && before(context, item, heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = item;
}

/* Remove and return heap[0] of heap[0 .. size - 1], size > 0; the heap then has size - 1 items. */
static inline uint32_t hsi_heap_pop(uint32_t *heap, size_t size, hsi_before before,
                                    const void *context)
{
    uint32_t first = heap[0], last = heap[--size];
    size_t   at = 0, child;

    for (; (child = 2 * at + 1) < size; at = child) {
        if (child + 1 < size && before(context, heap[child + 1], heap[child]))
            child++;
        if (!before(context, heap[child], last))
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return first;
}

#endif
