/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/pages.h"

enum { ALIGN = 16, LEAST = 32768 };

struct hsi_chunk {
    hsi_chunk *next;
    size_t     size, used; /* sizes of `bytes`, without this header */
    _Alignas(ALIGN) unsigned char bytes[];
};

/* Insert a new chunk after the current chunk. */
static hsi_chunk *add_chunk(hsi_arena *arena, size_t bytes)
{
    size_t     size = bytes < LEAST ? LEAST : bytes;
    hsi_chunk *chunk, **link = arena->current ? &arena->current->next : &arena->first;

    if (bytes > SIZE_MAX / 2)
        return NULL;
    chunk = hsi_large_pages_alloc(sizeof *chunk + size);
    if (!chunk)
        return NULL;
    chunk->size = size;
    chunk->used = 0;
    chunk->next = *link;
    *link = chunk;
    return chunk;
}

static void *take_from(hsi_arena *arena, hsi_chunk *chunk, size_t bytes)
{
    void *taken = chunk->bytes + chunk->used;

    chunk->used += bytes;
    arena->current = chunk;
    arena->used += bytes;
    if (arena->used > arena->peak)
        arena->peak = arena->used;
    return taken;
}

static hsi_chunk *next_chunk(const hsi_arena *arena)
{
    return arena->current ? arena->current->next : arena->first;
}

void *hsi_arena_alloc(hsi_arena *arena, size_t count, size_t size)
{
    hsi_chunk *chunk = arena->current;
    size_t     bytes;

    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - ALIGN)
        return NULL;
    bytes = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (chunk && bytes <= chunk->size - chunk->used)
        return take_from(arena, chunk, bytes);
    chunk = next_chunk(arena);
    if (!chunk || bytes > chunk->size)
        chunk = add_chunk(arena, bytes);
    if (!chunk)
        return NULL;
    chunk->used = 0;
    return take_from(arena, chunk, bytes);
}

void *hsi_arena_alloc_zeroed(hsi_arena *arena, size_t count, size_t size)
{
    void *taken = hsi_arena_alloc(arena, count, size);

    return taken ? memset(taken, 0, count * size) : NULL;
}

hsi_mark hsi_arena_mark(const hsi_arena *arena)
{
    return (hsi_mark){arena->current, arena->current ? arena->current->used : 0, arena->used};
}

void hsi_arena_release(hsi_arena *arena, hsi_mark mark)
{
    arena->current = mark.chunk;
    arena->used = mark.used;
    if (mark.chunk)
        mark.chunk->used = mark.chunk_used;
}

int hsi_arena_reserve_chunk(hsi_arena *arena, size_t bytes)
{
    hsi_chunk *chunk = arena->current;

    if (arena->used + bytes > arena->peak)
        arena->peak = arena->used + bytes;
    if (chunk && bytes <= chunk->size - chunk->used)
        return 0;
    chunk = next_chunk(arena);
    return (chunk && bytes <= chunk->size) || add_chunk(arena, bytes) ? 0 : -1;
}

static void free_chunks(hsi_arena *arena)
{
    hsi_chunk *chunk = arena->first, *next;

    for (; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    arena->first = arena->current = NULL;
}

/*
 * Replace several chunks by one of the peak size, so the next call fits in any order of allocation.
 */
void hsi_arena_reset(hsi_arena *arena)
{
    arena->current = NULL;
    arena->used = 0;
    if (!arena->first || !arena->first->next)
        return;
    free_chunks(arena);
    (void)add_chunk(arena, arena->peak);
}

void hsi_arena_close(hsi_arena *arena)
{
    free_chunks(arena);
    arena->used = arena->peak = 0;
}
