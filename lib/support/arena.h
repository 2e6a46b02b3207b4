/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_ARENA_H
#define HSI_SUPPORT_ARENA_H

#include <stddef.h>

/*
 * An arena: memory for one call, released in the reverse order of allocation. Released chunks are
 * reused before the system is asked for more, so pages touched once serve the whole call and, if
 * the arena is kept, the next call. A zeroed structure is an empty arena.
 */
typedef struct hsi_chunk hsi_chunk;

typedef struct hsi_arena {
    hsi_chunk *first, *current;
    size_t     used; /* allocated bytes, over all chunks */
    size_t     peak; /* maximum of `used` */
} hsi_arena;

typedef struct hsi_mark {
    hsi_chunk *chunk;
    size_t     chunk_used, used;
} hsi_mark;

/* Allocate `count` items of `size` bytes, aligned for any type; NULL: out of memory. */
void *hsi_arena_alloc(hsi_arena *arena, size_t count, size_t size);
void *hsi_arena_alloc_zeroed(hsi_arena *arena, size_t count, size_t size);

/*
 * Remember the present allocation, and release everything allocated since a mark. Released memory
 * keeps its content until the next allocation.
 */
hsi_mark hsi_arena_mark(const hsi_arena *arena);
void     hsi_arena_release(hsi_arena *arena, hsi_mark mark);

/* Reserve one contiguous chunk for the next `bytes`; -1: out of memory. */
int hsi_arena_reserve_chunk(hsi_arena *arena, size_t bytes);

/* Release everything, but keep the memory for a similar next call. */
void hsi_arena_reset(hsi_arena *arena);

void hsi_arena_close(hsi_arena *arena);

#endif
