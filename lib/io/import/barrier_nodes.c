/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/import/barrier_nodes.h"

#include <stdlib.h>

/*
 * A search from a task back through barriers to the preceding tasks, over edges sorted by their
 * later end. If several paths lead from a node to the present task, the path with most bytes
 * counts.
 */
typedef struct walk {
    hsi_import     *r;
    hsi_node_edge *edges;
    size_t          count, nodes;
    const uint32_t *row;
    /* index of the first edge of each node; then the number of edges */
    size_t         *first;
    /* barriers to continue from, at the front; tasks found, from the back */
    uint32_t       *stack;
    char           *waits;         /* per node: whether the barrier is on the stack */
    uint32_t       *seen;          /* per node: the task (+ 1) whose search last met the node */
    double         *most;          /* per node: bytes of the path to the present task */
    const char    **at;            /* per node: position of the edge with these bytes */
    size_t          barriers, tasks; /* numbers of nodes at both ends of the stack */
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

/* Record that a path with `bytes` leads from `before` to the task; push a new node on the stack. */
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
        w->stack[w->barriers++] = before;
    }
}

/* Continue the search from a barrier to the nodes before it. */
static hs_status step(walk *w, uint32_t task, uint32_t barrier)
{
    const hsi_node_edge *edge = w->edges;

    w->waits[barrier] = 0;
    for (size_t i = w->first[barrier]; i < w->first[barrier + 1]; i++) {
        if (++w->steps > hsi_import_edge_limit(w->r))
            return hsi_import_fail(&w->r->text, edge[i].at,
                                   "more than %zu edges lead through barriers; expected fewer in "
                                   "a file of this size",
                                   hsi_import_edge_limit(w->r));
        meet(w, task, edge[i].earlier,
             edge[i].bytes > w->most[barrier] ? edge[i].bytes : w->most[barrier], edge[i].at);
    }
    return HS_OK;
}

/* Begin the search of a task with its edges. A duplicate edge is added too, and refused later. */
static hs_status begin(walk *w, uint32_t task)
{
    const hsi_node_edge *edge = w->edges;
    hs_status             st = HS_OK;

    w->barriers = w->tasks = 0;
    for (size_t i = w->first[task]; i < w->first[task + 1] && st == HS_OK; i++) {
        uint32_t before = edge[i].earlier;

        if (w->row[before] != HSI_NO_ROW && w->seen[before] == task + 1)
            st = hsi_import_add_edge(w->r, edge[i].at, w->row[task], w->row[before], edge[i].bytes);
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
        while (w->barriers > 0 && st == HS_OK)
            st = step(w, task, w->stack[--w->barriers]);
        for (size_t i = 1; i <= w->tasks && st == HS_OK; i++) {
            uint32_t before = w->stack[nodes - i];

            st = hsi_import_add_edge(w->r, w->at[before], w->row[task], w->row[before],
                                     w->most[before]);
        }
    }
    return st;
}

size_t hsi_import_edge_limit(const hsi_import *importer)
{
    return ((size_t)1 << 20) + (size_t)(importer->text.end - importer->text.at);
}

hs_status hsi_import_add_edges_through_barriers(hsi_import *importer, hsi_node_edge *edges,
                                                size_t count, size_t nodes, const uint32_t *row)
{
    walk      w = {.r = importer, .edges = edges, .count = count, .nodes = nodes, .row = row};
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
