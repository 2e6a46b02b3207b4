/* SPDX-License-Identifier: BSD-3-Clause */
#include "bound/graph/tasks_between.h"

#include <string.h>

static uint64_t *row_of_vertex(uint64_t *bits, const hsi_tasks_between *b, size_t vertex)
{
    return bits + vertex * b->words;
}

/* Add `other` and its own set to a vertex's set, unless `other` is in the set already. */
static void add_vertex(const hsi_tasks_between *b, uint64_t *to, const uint64_t *bits,
                       uint32_t other)
{
    const uint64_t *from = bits + other * b->words;

    if (to[other / 64] >> other % 64 & 1)
        return;
    to[other / 64] |= 1ull << other % 64;
    for (size_t i = 0; i < b->words; i++)
        to[i] |= from[i];
}

/* Return a vertex's empty set. Sets are cleared one by one: to clear all at once would delay a
 * stop. */
static uint64_t *empty_row(hsi_tasks_between *b, uint64_t *bits, size_t vertex)
{
    return memset(row_of_vertex(bits, b, vertex), 0, b->words * sizeof *bits);
}

/* Fill both kinds of sets. Add the nearest neighbours first, by their numbers: their sets contain
 * most of the others. */
static void find_sets(hsi_tasks_between *b, const hsi_stop *stop)
{
    const hs_graph *g = b->pb->graph;
    size_t          count;

    for (size_t i = 0; i < b->vertices && !b->stopped; i++) {
        const uint32_t *before = hsi_predecessors(g, hsi_vertex_at_position(g, i), &count);
        uint64_t       *to = empty_row(b, b->before, i);

        for (size_t j = count; j-- > 0;)
            add_vertex(b, to, b->before, b->position[before[j]]);
        b->stopped = hsi_stop_is_due(stop);
    }
    for (size_t i = b->vertices; i-- > 0 && !b->stopped;) {
        const uint32_t *after = hsi_successors(g, hsi_vertex_at_position(g, i), &count);
        uint64_t       *to = empty_row(b, b->after, i);

        for (size_t j = 0; j < count; j++)
            add_vertex(b, to, b->after, b->position[after[j]]);
        b->stopped = hsi_stop_is_due(stop);
    }
}

hs_status hsi_tasks_between_open(hsi_tasks_between *b, const hsi_problem *pb, const hsi_stop *stop,
                                 hsi_arena *arena)
{
    const hs_graph *g = pb->graph;

    *b = (hsi_tasks_between){.pb = pb, .vertices = g->vertices, .words = (g->vertices + 63) / 64};
    if (g->vertices > HSI_TASKS_BETWEEN_MOST)
        return HS_ETOOBIG;
    b->after = hsi_arena_alloc(arena, b->vertices * b->words, sizeof *b->after);
    b->before = hsi_arena_alloc(arena, b->vertices * b->words, sizeof *b->before);
    b->position = hsi_arena_alloc(arena, b->vertices, sizeof *b->position);
    if (!b->after || !b->before || !b->position)
        return HS_ENOMEM;
    for (size_t i = 0; i < b->vertices; i++)
        b->position[hsi_vertex_at_position(g, i)] = (uint32_t)i;
    find_sets(b, stop);
    return HS_OK;
}

/* The words that may have bits of vertices between two others, with the sets to intersect. */
typedef struct range {
    const uint64_t *after, *before;
    size_t          from, to;
} range;

static range range_of(const hsi_tasks_between *b, uint32_t first, uint32_t second)
{
    return (range){.after = first == HSI_BEGIN ? NULL : b->after + first * b->words,
                   .before = second == HSI_END ? NULL : b->before + second * b->words,
                   .from = first == HSI_BEGIN ? 0 : first / 64,
                   .to = second == HSI_END ? b->words : second / 64 + 1};
}

static inline uint64_t bits_at(const range *r, size_t word)
{
    return (r->after ? r->after[word] : UINT64_MAX) & (r->before ? r->before[word] : UINT64_MAX);
}

void hsi_tasks_between_sum(const hsi_tasks_between *b, uint32_t first, uint32_t second,
                           const double (*weight)[2], double sum[2])
{
    range  r = range_of(b, first, second);
    double cpu = 0, gpu = 0;

    for (size_t word = r.from; word < r.to; word++)
        for (uint64_t bits = bits_at(&r, word); bits; bits &= bits - 1) {
            const double *w = weight[64 * word + (unsigned)__builtin_ctzll(bits)];

            cpu += w[0];
            gpu += w[1];
        }
    sum[0] = cpu;
    sum[1] = gpu;
}

size_t hsi_tasks_between_list(const hsi_tasks_between *b, uint32_t first, uint32_t second,
                              uint32_t over, hsi_counted *counted)
{
    range  r = range_of(b, first, second);
    size_t count = 0;

    for (size_t word = r.from; word < r.to; word++)
        for (uint64_t bits = bits_at(&r, word); bits; bits &= bits - 1) {
            uint32_t vertex = (uint32_t)(64 * word) + (uint32_t)__builtin_ctzll(bits);

            vertex = hsi_vertex_at_position(b->pb->graph, vertex);
            if (!hsi_is_barrier(b->pb->graph, vertex))
                counted[count++] = (hsi_counted){vertex, over};
        }
    return count;
}
