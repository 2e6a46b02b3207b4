/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_GRAPH_GRAPH_H
#define HSI_CORE_GRAPH_GRAPH_H

#include <hybridsched/instance.h>

#include "core/instance_store.h"
#include "support/cancel.h"

/*
 * Task graphs, in two immutable forms:
 *
 * Relations (relations.h) are stored by row, in the form of files: a row's `after`, each a row with
 * all its copies or one of them, and its accesses to handles. A row with a count is a single row
 * there. Files and digests use the relations.
 *
 * The graph (here) is used by all other code. Its vertices are the tasks and then barriers, which
 * take no time and have no worker. A row of c copies with successors of the whole row has a join
 * (after all copies, before these successors); a row of copies with predecessors has a fork (after
 * the predecessors, before all copies). So c tasks after c others need 2 c edges instead of c^2.
 * Accesses to handles (read after write, write after read, write after write, in the order of
 * tasks) give edges between tasks. Edges are stored twice, by successor (with bytes) and by
 * predecessor: 4 + 8 + 4 bytes per edge, 4 + 4 without bytes. If rows are tasks and no row accesses
 * data, the relations serve as the edges by successor.
 *
 * Invariants: predecessors and successors of a vertex ascend without repetition; the graph has no
 * cycle; the tasks by position, with each barrier as soon as its predecessors are placed, form a
 * topological order. If every edge leads from a smaller to a larger task, this is the order of the
 * tasks, and no order is stored.
 *
 * Bytes: the bytes of an edge are a piece produced by the predecessor and read only by the
 * successor. On an edge from a join each copy produces such a piece; on an edge into a fork each
 * copy reads one. Pieces in handles are in the accesses, with their last writers.
 *
 * hs_builder_finish() builds the graph of an instance with `after` and without counts, because it
 * must find cycles; otherwise the graph is built on first use. O(tasks + edges + accesses), plus a
 * heap's log factor if the order differs from the order of tasks.
 */
struct hs_graph {
    size_t     tasks, vertices;
    bool       is_borrowed; /* whether pred_at, pred and bytes belong to the relations, which
                               free them */
    size_t    *pred_at; /* start of each vertex's edges, and the number of edges */
    uint32_t  *pred;
    double    *bytes; /* bytes of the edges in `pred`; NULL: all 0 */
    size_t    *succ_at;
    uint32_t  *succ;
    uint32_t  *position;  /* topological position of each task; NULL: task i has position i */
    uint32_t  *order;     /* vertices in topological order; NULL: 0, 1, ... */
    const uint64_t *number;    /* graph of recycled rows, which stores no edges: positions that rise
                                  with each task; else NULL */
    size_t    *access_at; /* accesses of each task; NULL: no task accesses a handle */
    hs_access *access;
};

/*
 * Set *out to the instance's graph, owned by the instance, or NULL for independent tasks.
 * HS_ENOMEM, HS_ECANCELED.
 */
hs_status hsi_graph_of(const hs_instance *in, hsi_token *token, const hs_graph **out);

/*
 * Build the graph of all tasks, or with `by_rows` the graph of the rows, each as a single task.
 * Both have cycles or neither has, because the copies of a row share their predecessors. On
 * HS_EGRAPH `cycle` gets the vertices (size_t) of a cycle, each a predecessor of the next and the
 * last of the first.
 */
hs_status hsi_graph_build(const hsi_store *store, bool by_rows, hsi_token *token, hs_graph **out,
                          hsi_vector *cycle);
void      hsi_graph_free(hs_graph *g);

/* Compute positions and order from the edges; called by hsi_graph_build(). */
hs_status hsi_graph_sort(hs_graph *g, hsi_token *token, hsi_vector *cycle);

static inline const uint32_t *hsi_predecessors(const hs_graph *g, size_t vertex, size_t *count)
{
    *count = g->pred_at[vertex + 1] - g->pred_at[vertex];
    return g->pred + g->pred_at[vertex];
}

/* Return the bytes of the edges from a vertex's predecessors, in the same order; NULL: all 0. */
static inline const double *hsi_predecessor_bytes(const hs_graph *g, size_t vertex)
{
    return g->bytes ? g->bytes + g->pred_at[vertex] : NULL;
}

static inline const uint32_t *hsi_successors(const hs_graph *g, size_t vertex, size_t *count)
{
    *count = g->succ_at[vertex + 1] - g->succ_at[vertex];
    return g->succ + g->succ_at[vertex];
}

static inline size_t hsi_predecessor_count(const hs_graph *g, size_t vertex)
{
    return g->pred_at[vertex + 1] - g->pred_at[vertex];
}

static inline const hs_access *hsi_accesses(const hs_graph *g, size_t task, size_t *count)
{
    *count = g->access_at ? g->access_at[task + 1] - g->access_at[task] : 0;
    return g->access_at ? g->access + g->access_at[task] : NULL;
}

static inline bool hsi_is_barrier(const hs_graph *g, size_t vertex)
{
    return vertex >= g->tasks;
}

static inline size_t hsi_position(const hs_graph *g, size_t task)
{
    if (g->position)
        return g->position[task];
    return g->number ? (size_t)g->number[task] : task;
}

/* Return the i-th vertex in topological order. */
static inline uint32_t hsi_vertex_at_position(const hs_graph *g, size_t position)
{
    return g->order ? g->order[position] : (uint32_t)position;
}

#endif
