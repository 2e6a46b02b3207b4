/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/vector.h"

#include <stdint.h>
#include <stdlib.h>

int hsi_vector_grow(hsi_vector *v, size_t bytes)
{
    size_t needed, capacity;
    void  *data;

    if (bytes > SIZE_MAX / 2 - v->size)
        return -1;
    needed = v->size + bytes;
    capacity = v->capacity + v->capacity / 2;
    if (capacity < needed)
        capacity = needed;
    if (capacity < 256)
        capacity = 256;
    data = realloc(v->data, capacity);
    if (!data)
        return -1;
    v->data = data;
    v->capacity = capacity;
    return 0;
}

void hsi_vector_trim(hsi_vector *v)
{
    void *data;

    if (v->size == v->capacity || v->size == 0)
        return;
    data = realloc(v->data, v->size);
    if (data) {
        v->data = data;
        v->capacity = v->size;
    }
}

void hsi_vector_free(hsi_vector *v)
{
    free(v->data);
    v->data = NULL;
    v->size = v->capacity = 0;
}
