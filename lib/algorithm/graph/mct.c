/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MCT: among tasks whose predecessors are placed, take the one whose last predecessor ends first,
 * and place it on the worker that ends it first, after the worker's other tasks. A heap holds the
 * tasks that may be placed: O(log n + m + k) per task and O(nodes) per edge.
 */
#include "algorithm/algorithm.h"
#include "algorithm/graph/placing.h"
#include "support/heap.h"

/* The tasks that may be placed next. */
typedef struct front {
    const hs_graph *graph;
    uint32_t       *left;  /* indexed by vertex: unplaced predecessors */
    double         *since; /* indexed by vertex: latest end of the placed predecessors */
    uint32_t       *heap;  /* tasks without unplaced predecessors */
    size_t          size;
} front;

static int comes_first(const void *context, uint32_t a, uint32_t b)
{
    const front *f = context;

    if (f->since[a] != f->since[b])
        return f->since[a] < f->since[b];
    return hsi_position(f->graph, a) < hsi_position(f->graph, b);
}

static hs_status open_front(front *f, const hsi_problem *pb)
{
    const hs_graph *g = pb->graph;

    *f = (front){.graph = g};
    f->left = hsi_arena_alloc(pb->arena, g->vertices, sizeof *f->left);
    f->since = hsi_arena_alloc_zeroed(pb->arena, g->vertices, sizeof *f->since);
    f->heap = hsi_arena_alloc(pb->arena, g->tasks, sizeof *f->heap);
    if (!f->left || !f->since || !f->heap)
        return HS_ENOMEM;
    for (uint32_t v = 0; v < g->vertices; v++) {
        if (hsi_poll_at_iteration(pb->token, v))
            return HS_ECANCELED;
        f->left[v] = (uint32_t)hsi_predecessor_count(g, v);
        if (f->left[v] == 0)
            hsi_heap_push(f->heap, f->size++, v, comes_first, f);
    }
    return HS_OK;
}

/* Count down the successors of a placed vertex. Barriers are followed by tasks or one more barrier,
 * so the recursion is shallow. */
static void pass(front *f, uint32_t vertex, double end)
{
    size_t          count;
    const uint32_t *after = hsi_successors(f->graph, vertex, &count);

    for (size_t i = 0; i < count; i++) {
        uint32_t v = after[i];

        if (end > f->since[v])
            f->since[v] = end;
        if (--f->left[v] > 0)
            continue;
        if (hsi_is_barrier(f->graph, v))
            pass(f, v, f->since[v]);
        else
            hsi_heap_push(f->heap, f->size++, v, comes_first, f);
    }
}

static hs_status place_graph(const hsi_problem *pb, hsi_placing *placing)
{
    front     f;
    hs_status st = open_front(&f, pb);

    while (st == HS_OK && f.size > 0) {
        uint32_t task = hsi_heap_pop(f.heap, f.size--, comes_first, &f);

        st = hsi_placing_append(placing, task, HSI_EITHER_TYPE);
        if (st == HS_OK)
            pass(&f, task, placing->end[task]);
    }
    return st;
}

/* Place independent tasks by number. */
static hs_status place_all(const hsi_problem *pb, hsi_placing *placing)
{
    hs_status st = HS_OK;

    for (uint32_t task = 0; st == HS_OK && task < pb->n; task++)
        st = hsi_placing_append(placing, task, HSI_EITHER_TYPE);
    return st;
}

static hs_status run(const hsi_problem *pb, const hs_settings *settings, hsi_recorder *recorder)
{
    hsi_placing placing;
    hs_status   st = hsi_placing_open(&placing, pb);

    (void)settings;
    if (st == HS_OK)
        st = pb->graph ? place_graph(pb, &placing) : place_all(pb, &placing);
    if (st == HS_OK)
        st = hsi_placing_record(&placing, recorder);
    hsi_placing_close(&placing);
    return st;
}

const hsi_algorithm hsi_alg_mct = {
    .about =
        {
            .struct_size = sizeof(hs_algorithm),
            .name = "mct",
            .summary = "in the order in which tasks become ready, each to the worker that ends "
                       "it first",
            .source = "Zhang, Hou: High-Performance Task Scheduling for Heterogeneous Systems",
            .cost = "O(n (log n + m + k)), and O(1) a dependency, O(k) where transfers take time",
            .supports_graphs = true,
            .supports_available = true,
        },
    .run = run,
};
