/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_GRAPH_GRAPH_H
#define HSI_CORE_GRAPH_GRAPH_H

#include <hybridsched/instance.h>

#include "core/store.h"
#include "support/asker.h"

/*
 * Task graphs. Two views of one thing, both immutable:
 *
 * What was told (told.h) is kept by rows, as files have it: a row's `after`, each a row with all
 * its copies or one of them, and its accesses to data. A row with a count is one row there,
 * however many tasks it stands for. Files and digests are made of it.
 *
 * The graph (here) is what everybody else works with: its vertices are the tasks, and behind them
 * barriers, which take no time and have no worker. A row of c copies that others come after as a
 * whole has a join (after all copies, before those others), one that comes after something has a
 * fork (after that, before all copies): so c tasks after c others are 2 c edges, not c^2. What
 * follows from the data (read after write, write after read, write after write, in the order of
 * the tasks) is edges between tasks. Edges are stored twice, by what comes after (with bytes) and
 * by what comes before: 4 + 8 + 4 bytes each, 4 + 4 if nothing is said of bytes. Where rows are
 * tasks and there is no data, what was told is the edges into each vertex, and stored once.
 *
 * Invariants: predecessors and successors of a vertex ascend and are there once; there is no
 * cycle; tasks in order of their positions, each barrier as soon as all before it are there, are a
 * topological order. Where every edge goes from a smaller task to a larger one, that order is
 * theirs and nothing is stored for it.
 *
 * Bytes: an edge's are a piece that the task before makes and the one after alone reads. On an
 * edge from a join each copy makes such a piece, on one into a fork each copy reads one. Pieces of
 * data are in the accesses, with who wrote them last.
 *
 * Where tasks come after others, and without counts, the instance makes its graph when it is
 * built, since that is how cycles are found; else when it is first asked for one. O(tasks + edges +
 * accesses), and a heap's log factor where the order is not that of the tasks.
 */
struct hs_graph {
    size_t     tasks, vertices;
    int        is_told; /* the next three are what was told, and belong to that */
    size_t    *pred_at; /* of each vertex, and the number of all edges */
    uint32_t  *pred;
    double    *bytes; /* of the edges in `pred`; NULL: all 0 */
    size_t    *succ_at;
    uint32_t  *succ;
    uint32_t  *position;  /* of tasks; NULL: that of task i is i */
    uint32_t  *order;     /* vertices; NULL: the i-th is i */
    size_t    *access_at; /* of tasks; NULL: there is no data */
    hs_access *access;
};

/* Of an instance that has one, else NULL; HS_ENOMEM, HS_ECANCELED. It is the instance's. */
hs_status hsi_graph_of(const hs_instance *in, hsi_asker *asker, const hs_graph **out);

/*
 * The graph of all tasks, or with `by_rows` that of the rows, as if each were one task: it has a
 * cycle if and only if the other has one, since what a row comes after, all its copies do. On
 * HS_EGRAPH `cycle` gets its vertices (size_t), each before the next and the last before the
 * first.
 */
hs_status hsi_graph_build(const hsi_store *store, int by_rows, hsi_asker *asker, hs_graph **out,
                          hsi_vector *cycle);
void      hsi_graph_free(hs_graph *g);

/* For hsi_graph_build(): positions and order, once the edges are there. */
hs_status hsi_graph_sort(hs_graph *g, hsi_asker *asker, hsi_vector *cycle);

static inline const uint32_t *hsi_predecessors(const hs_graph *g, size_t vertex, size_t *count)
{
    *count = g->pred_at[vertex + 1] - g->pred_at[vertex];
    return g->pred + g->pred_at[vertex];
}

/* Of the edges from them, in the same order; NULL: all 0. */
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

static inline int hsi_is_barrier(const hs_graph *g, size_t vertex)
{
    return vertex >= g->tasks;
}

static inline size_t hsi_position(const hs_graph *g, size_t task)
{
    return g->position ? g->position[task] : task;
}

/* The i-th vertex of a topological order. */
static inline uint32_t hsi_in_order(const hs_graph *g, size_t i)
{
    return g->order ? g->order[i] : (uint32_t)i;
}

#endif
