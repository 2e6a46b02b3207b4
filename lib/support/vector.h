/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_VECTOR_H
#define HSI_SUPPORT_VECTOR_H

#include <stddef.h>
#include <string.h>

/* A growing array of bytes; its users cast to their type. A zeroed structure is empty. */
typedef struct hsi_vector {
    void  *data;
    size_t size, capacity; /* sizes in bytes */
} hsi_vector;

/* Grow the capacity; called by hsi_vector_reserve(). */
int hsi_vector_grow(hsi_vector *v, size_t bytes);

/* Reserve room for `bytes` more; 0, or -1: out of memory, nothing changed. */
static inline int hsi_vector_reserve(hsi_vector *v, size_t bytes)
{
    return bytes <= v->capacity - v->size ? 0 : hsi_vector_grow(v, bytes);
}

/* Append a copy of `size` bytes; -1: out of memory, nothing changed. */
static inline int hsi_vector_append(hsi_vector *v, const void *bytes, size_t size)
{
    if (hsi_vector_reserve(v, size))
        return -1;
    if (size > 0)
        memcpy((char *)v->data + v->size, bytes, size);
    v->size += size;
    return 0;
}

/* Release unused capacity; the content stays, even on failure. */
void hsi_vector_trim(hsi_vector *v);

void hsi_vector_free(hsi_vector *v);

#endif
