/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_BUILDER_IMPL_H
#define HSI_CORE_BUILDER_IMPL_H

#include "core/builder.h"

/* What adds rows to a builder: one after the other, or many that another one holds. */

/*
 * Columns that rows seldom fill are made when the first row does, and then
 * filled up with zeros for the rows before it.
 */
struct hs_builder {
    hsi_store  content; /* rows, tasks, strings, notes, unit */
    hsi_vector cpu, gpu, priority, count, restartable;
    unsigned   cpus, gpus;
    unsigned   threads;     /* that may verify the ids; 0: 1 */
    int        special;     /* a column other than the times and the id has begun */
    int        unordered;   /* the ids so far do not ascend: see add_id() */
    size_t     last_length; /* of the last row's id, as long as they do */
};

static inline void hsi_column_append(hsi_vector *v, const void *bytes, size_t size)
{
    memcpy((char *)v->data + v->size, bytes, size);
    v->size += size;
}

/* Room for row `rows` in a column of `size` bytes a row that may not have begun yet. */
static inline int hsi_column_reserve(hsi_vector *v, size_t rows, size_t size)
{
    size_t bytes = rows * size, had = v->size;

    if (hsi_vector_reserve(v, bytes - had + size))
        return -1;
    if (had < bytes)
        memset((char *)v->data + had, 0, bytes - had);
    v->size = bytes;
    return 0;
}

/* Counts before the first that is not 1 are 1, not 0. */
int hsi_builder_reserve_count(hs_builder *b, uint32_t count);

static inline uint64_t hsi_id_word(const char *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Does `a` stand before `b` in the order of bytes? Mostly without a call. */
static inline int hsi_id_before(const char *a, const char *b, size_t length)
{
    uint64_t x, y;

    if (length < 8 || length > 16)
        return memcmp(a, b, length) < 0;
    x = hsi_id_word(a);
    y = hsi_id_word(b);
    if (x != y)
        return x < y;
    return hsi_id_word(a + length - 8) < hsi_id_word(b + length - 8);
}

/*
 * Notes whether the ids ascend, the shorter first, as counters make them: then none is
 * there twice, which need not be found out the long way.
 */
static inline int hsi_id_ascends(const hs_builder *b, size_t row, hsi_text id)
{
    const hsi_vector *text = &b->content.id.text;

    if (b->last_length == 0)
        return row == 0 && id.length > 0;
    if (b->last_length != id.length)
        return b->last_length < id.length;
    return hsi_id_before((const char *)text->data + text->size - id.length - 1, id.at, id.length);
}

#endif
