/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_VECTOR_H
#define HSI_SUPPORT_VECTOR_H

#include <stddef.h>
#include <string.h>

/* A growing array of bytes; its users know the type. All zero is empty. */
typedef struct hsi_vector {
    void  *data;
    size_t size, capacity; /* bytes */
} hsi_vector;

/* Takes more memory: for hsi_vector_reserve(). */
int hsi_vector_grow(hsi_vector *v, size_t bytes);

/* Makes room for `bytes` more; 0, or -1 when memory is short and nothing has changed. */
static inline int hsi_vector_reserve(hsi_vector *v, size_t bytes)
{
    return bytes <= v->capacity - v->size ? 0 : hsi_vector_grow(v, bytes);
}

/* Copies `size` bytes behind what is there; -1 when memory is short and nothing has changed. */
static inline int hsi_vector_append(hsi_vector *v, const void *bytes, size_t size)
{
    if (hsi_vector_reserve(v, size))
        return -1;
    if (size > 0)
        memcpy((char *)v->data + v->size, bytes, size);
    v->size += size;
    return 0;
}

/* Gives back what is not used; keeps the content whatever happens. */
void hsi_vector_trim(hsi_vector *v);

void hsi_vector_free(hsi_vector *v);

#endif
