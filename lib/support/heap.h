/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_HEAP_H
#define HSI_SUPPORT_HEAP_H

#include <stddef.h>

#include "support/sort.h"

/*
 * A binary heap of indices in the caller's array: heap[0] comes before all others, by the
 * order given with each call, which is inlined where it is known. No item comes before its
 * parent, the one at (i - 1) / 2 of item i. Push and pop take O(log size) comparisons.
 */

/* heap[0 .. size - 1] gets one more; there is room for it. */
static inline void hsi_heap_push(uint32_t *heap, size_t size, uint32_t item, hsi_before before,
                                 const void *context)
{
    size_t at = size;

    for (; at > 0 && before(context, item, heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = item;
}

/* Takes heap[0] out of heap[0 .. size - 1], size > 0; the others lie in one place less. */
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
