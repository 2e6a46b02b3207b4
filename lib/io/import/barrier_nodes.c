/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/import/barrier_nodes.h"

#include <stdlib.h>

/*
 * A walk back from a task through points, over edges sorted by their later end. If several paths
 * lead from a task or point to the present task, the path with most bytes counts.
 */
typedef struct walk {
    hsi_import     *r;
    hsi_node_edge *edges;
    size_t          count, nodes;
    const uint32_t *row;
    size_t         *first;         /* first edge of each node; at the end the number of edges */
    uint32_t       *stack;         /* points to walk through; tasks from the end */
    char           *waits;         /* per node: the point is on the stack */
    uint32_t       *seen;          /* node (+ 1) whose walk last met this node */
    double         *most;          /* bytes from the node to the present task */
    const char    **at;            /* place of the edge with these bytes */
    size_t          points, tasks; /* on the stack */
    size_t          steps;
} walk;

static int compare_edges(const void *a, const void *b)
{
    const hsi_node_edge *x = a, *y = b;

    if (x->later != y->later)
        return x->later < y->later ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void index_edges(walk *w)
{
    size_t next = 0;

    if (w->count > 1)
        qsort(w->edges, w->count, sizeof *w->edges, compare_edges);
    for (size_t node = 0; node <= w->nodes; node++) {
        while (next < w->count && w->edges[next].later < node)
            next++;
        w->first[node] = next;
    }
}

/* Note that `before` precedes the present task, by a path with `bytes`. */
static void meet(walk *w, uint32_t task, uint32_t before, double bytes, const char *at)
{
    bool known = w->seen[before] == task + 1;

    if (known && bytes <= w->most[before])
        return;
    w->most[before] = bytes;
    w->at[before] = at;
    w->seen[before] = task + 1;
    if (w->row[before] != HSI_NO_ROW) {
        if (!known)
            w->stack[w->nodes - ++w->tasks] = before;
    } else if (!w->waits[before]) {
        w->waits[before] = 1;
        w->stack[w->points++] = before;
    }
}

/* Walk from a point on the stack to its predecessors. */
static hs_status step(walk *w, uint32_t task, uint32_t point)
{
    const hsi_node_edge *edge = w->edges;

    w->waits[point] = 0;
    for (size_t i = w->first[point]; i < w->first[point + 1]; i++) {
        if (++w->steps > hsi_import_most_edges(w->r))
            return hsi_import_fail(&w->r->text, edge[i].at,
                                   "more edges through points than a "
                                   "file of this size may mean, which is %zu",
                                   hsi_import_most_edges(w->r));
        meet(w, task, edge[i].earlier,
             edge[i].bytes > w->most[point] ? edge[i].bytes : w->most[point], edge[i].at);
    }
    return HS_OK;
}

/* Begin the walk of a task with its own edges; duplicates are passed on, to be refused later. */
static hs_status begin(walk *w, uint32_t task)
{
    const hsi_node_edge *edge = w->edges;
    hs_status             st = HS_OK;

    w->points = w->tasks = 0;
    for (size_t i = w->first[task]; i < w->first[task + 1] && st == HS_OK; i++) {
        uint32_t before = edge[i].earlier;

        if (w->row[before] != HSI_NO_ROW && w->seen[before] == task + 1)
            st = hsi_import_edge(w->r, edge[i].at, w->row[task], w->row[before], edge[i].bytes);
        else
            meet(w, task, before, edge[i].bytes, edge[i].at);
    }
    return st;
}

static hs_status walk_back(walk *w)
{
    size_t    nodes = w->nodes;
    hs_status st = HS_OK;

    for (uint32_t task = 0; task < nodes && st == HS_OK; task++) {
        if (w->row[task] == HSI_NO_ROW)
            continue;
        st = begin(w, task);
        while (w->points > 0 && st == HS_OK)
            st = step(w, task, w->stack[--w->points]);
        for (size_t i = 1; i <= w->tasks && st == HS_OK; i++) {
            uint32_t before = w->stack[nodes - i];

            st =
                hsi_import_edge(w->r, w->at[before], w->row[task], w->row[before], w->most[before]);
        }
    }
    return st;
}

size_t hsi_import_most_edges(const hsi_import *r)
{
    return ((size_t)1 << 20) + (size_t)(r->text.end - r->text.at);
}

hs_status hsi_import_barrier_edges(hsi_import *r, hsi_node_edge *edges, size_t count, size_t nodes,
                          const uint32_t *row)
{
    walk      w = {.r = r, .edges = edges, .count = count, .nodes = nodes, .row = row};
    hs_status st = HS_ENOMEM;

    w.first = calloc(nodes + 2, sizeof *w.first);
    w.stack = malloc((nodes + 1) * sizeof *w.stack);
    w.waits = calloc(nodes + 1, sizeof *w.waits);
    w.seen = calloc(nodes + 1, sizeof *w.seen);
    w.most = malloc((nodes + 1) * sizeof *w.most);
    w.at = malloc((nodes + 1) * sizeof *w.at);
    if (w.first && w.stack && w.waits && w.seen && w.most && w.at) {
        index_edges(&w);
        st = walk_back(&w);
    }
    free(w.first);
    free(w.stack);
    free(w.waits);
    free(w.seen);
    free(w.most);
    free(w.at);
    return st;
}
