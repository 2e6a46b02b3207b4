/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_ARENA_H
#define HSI_SUPPORT_ARENA_H

#include <stddef.h>

/*
 * Memory for one call, given back in the reverse order of taking. What was given
 * back is taken again before the system is asked for more: pages that were touched
 * once are used again, within a call and, if the arena is kept, by the next one.
 * All zero is an empty arena.
 */
typedef struct hsi_chunk hsi_chunk;

typedef struct hsi_arena {
    hsi_chunk *first, *current;
    size_t     used; /* bytes of what is taken, in all chunks */
    size_t     peak; /* the most that was */
} hsi_arena;

typedef struct hsi_mark {
    hsi_chunk *chunk;
    size_t     chunk_used, used;
} hsi_mark;

/* `count` items of `size` bytes, aligned for anything; NULL: memory is short. */
void *hsi_arena_take(hsi_arena *arena, size_t count, size_t size);
void *hsi_arena_take_zeroed(hsi_arena *arena, size_t count, size_t size);

/* What is taken after a mark is given back together; it keeps its content until it is taken. */
hsi_mark hsi_arena_mark(const hsi_arena *arena);
void     hsi_arena_release(hsi_arena *arena, hsi_mark mark);

/* Makes room in one piece for what is going to be taken; -1: memory is short. */
int hsi_arena_expect(hsi_arena *arena, size_t bytes);

/* Gives back everything; a call like the last one then finds its memory there. */
void hsi_arena_reset(hsi_arena *arena);

void hsi_arena_close(hsi_arena *arena);

#endif
