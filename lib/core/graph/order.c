/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kahn's algorithm. Among tasks without unplaced predecessors the smallest is next; a barrier is
 * placed as soon as it is free. If every edge leads from a smaller to a larger task and there are
 * no barriers, the order is the order of the tasks, and none is stored.
 */
#include <stdlib.h>

#include "core/graph/graph.h"
#include "support/heap.h"

typedef struct work {
    hs_graph *g;
    size_t   *missing;  /* per vertex: number of unplaced predecessors */
    uint32_t *free;     /* heap of free tasks */
    uint32_t *barriers; /* stack of free barriers */
    size_t    free_count, barrier_count, placed, tasks_placed;
} work;

static bool is_forward(const hs_graph *g)
{
    if (g->vertices > g->tasks)
        return false;
    for (size_t v = 0; v < g->vertices; v++) {
        size_t          count;
        const uint32_t *pred = hsi_predecessors(g, v, &count);

        if (count > 0 && pred[count - 1] >= v)
            return false;
    }
    return true;
}

static int is_smaller(const void *context, uint32_t a, uint32_t b)
{
    (void)context;
    return a < b;
}

static void release_successor(work *w, uint32_t vertex)
{
    if (hsi_is_barrier(w->g, vertex))
        w->barriers[w->barrier_count++] = vertex;
    else
        hsi_heap_push(w->free, w->free_count++, vertex, is_smaller, NULL);
}

static void append_to_order(work *w, uint32_t vertex)
{
    size_t          count;
    const uint32_t *succ = hsi_successors(w->g, vertex, &count);

    w->g->order[w->placed++] = vertex;
    if (!hsi_is_barrier(w->g, vertex))
        w->g->position[vertex] = (uint32_t)w->tasks_placed++;
    for (size_t i = 0; i < count; i++)
        if (--w->missing[succ[i]] == 0)
            release_successor(w, succ[i]);
}

static hs_status place_all(work *w, hsi_token *token)
{
    for (size_t v = 0; v < w->g->vertices; v++) {
        if (hsi_poll_at_iteration(token, v))
            return HS_ECANCELED;
        w->missing[v] = hsi_predecessor_count(w->g, v);
        if (w->missing[v] == 0)
            release_successor(w, (uint32_t)v);
    }
    while (w->barrier_count || w->free_count) {
        uint32_t next;

        if (w->barrier_count)
            next = w->barriers[--w->barrier_count];
        else
            next = hsi_heap_pop(w->free, w->free_count--, is_smaller, NULL);
        append_to_order(w, next);
        if (hsi_poll_after_work(token, 32 + hsi_predecessor_count(w->g, next)))
            return HS_ECANCELED;
    }
    return HS_OK;
}

/* Return an unplaced predecessor of an unplaced vertex; one always exists. */
static uint32_t unplaced_before(const work *w, size_t vertex)
{
    size_t          count;
    const uint32_t *pred = hsi_predecessors(w->g, vertex, &count);

    while (w->missing[*pred] == 0)
        pred++;
    return *pred;
}

/*
 * Find a cycle: go backwards from an unplaced vertex until one repeats. `seen` is scratch memory
 * with a mark per vertex.
 */
static hs_status find_cycle(const work *w, uint32_t *seen, hsi_vector *cycle)
{
    size_t vertex = 0, first, *list;
    size_t count = 0;

    memset(seen, 0, w->g->vertices * sizeof *seen);
    while (w->missing[vertex] == 0)
        vertex++;
    for (; !seen[vertex]; vertex = unplaced_before(w, vertex))
        seen[vertex] = 1;
    first = vertex;
    cycle->size = 0;
    do {
        if (hsi_vector_append(cycle, &vertex, sizeof vertex))
            return HS_ENOMEM;
        vertex = unplaced_before(w, vertex);
    } while (vertex != first);
    list = cycle->data;
    count = cycle->size / sizeof *list;
    for (size_t i = 0; i < count / 2; i++) {
        size_t other = list[i];

        list[i] = list[count - 1 - i];
        list[count - 1 - i] = other;
    }
    return HS_EGRAPH;
}

hs_status hsi_graph_sort(hs_graph *g, hsi_token *token, hsi_vector *cycle)
{
    work      w = {.g = g};
    hs_status st = HS_ENOMEM;

    if (is_forward(g))
        return HS_OK;
    g->position = malloc((g->tasks + 1) * sizeof *g->position);
    g->order = malloc((g->vertices + 1) * sizeof *g->order);
    w.missing = malloc((g->vertices + 1) * sizeof *w.missing);
    w.free = malloc((g->vertices + 1) * sizeof *w.free);
    w.barriers = malloc((g->vertices - g->tasks + 1) * sizeof *w.barriers);
    if (g->position && g->order && w.missing && w.free && w.barriers) {
        st = place_all(&w, token);
        if (st == HS_OK && w.placed < g->vertices)
            st = cycle ? find_cycle(&w, w.free, cycle) : HS_EGRAPH;
    }
    free(w.missing);
    free(w.free);
    free(w.barriers);
    return st;
}
