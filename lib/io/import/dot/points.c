/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/import/dot/points.h"

#include <stdlib.h>

/*
 * Edges by their later end, to walk back through points. By whatever way a task or a point comes
 * before the task at hand, the way on which most bytes are carried counts.
 */
typedef struct walk {
    hsi_dot        *dot;
    const uint32_t *row;
    hsi_import     *r;
    size_t         *first; /* of each node, and the number of all */
    uint32_t       *stack; /* points that are to be walked through, and from the end of it tasks */
    char           *waits; /* is the point on the stack? */
    uint32_t       *seen;  /* by the node (+ 1) from which the walk began */
    double         *most;  /* bytes from there to the task at hand */
    const char    **at;    /* the edge that they are on */
    size_t          points, tasks; /* on the stack */
    size_t          steps;
} walk;

static int compare_edges(const void *a, const void *b)
{
    const hsi_dot_edge *x = a, *y = b;

    if (x->later != y->later)
        return x->later < y->later ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void index_edges(walk *w)
{
    hsi_dot_edge *edge = w->dot->edges.data;
    size_t        count = w->dot->edges.size / sizeof *edge, next = 0;

    if (count > 1)
        qsort(edge, count, sizeof *edge, compare_edges);
    for (size_t node = 0; node <= w->dot->names.count; node++) {
        while (next < count && edge[next].later < node)
            next++;
        w->first[node] = next;
    }
}

/* `before` is before the task at hand. */
static void meet(walk *w, uint32_t task, uint32_t before, double bytes, const char *at)
{
    int known = w->seen[before] == task + 1;

    if (known && bytes <= w->most[before])
        return;
    w->most[before] = bytes;
    w->at[before] = at;
    w->seen[before] = task + 1;
    if (w->row[before] != HSI_DOT_POINT) {
        if (!known)
            w->stack[w->dot->names.count - ++w->tasks] = before;
    } else if (!w->waits[before]) {
        w->waits[before] = 1;
        w->stack[w->points++] = before;
    }
}

/* What is before a point on the way to the task at hand, which carries so many bytes. */
static hs_status step(walk *w, uint32_t task, uint32_t point)
{
    const hsi_dot_edge *edge = w->dot->edges.data;

    w->waits[point] = 0;
    for (size_t i = w->first[point]; i < w->first[point + 1]; i++) {
        if (++w->steps > hsi_dot_most_edges(w->dot))
            return hsi_import_fail(&w->r->text, edge[i].at,
                                   "more edges through points than a "
                                   "file of this size may mean, which is %zu",
                                   hsi_dot_most_edges(w->dot));
        meet(w, task, edge[i].earlier,
             edge[i].bytes > w->most[point] ? edge[i].bytes : w->most[point], edge[i].at);
    }
    return HS_OK;
}

/* Its own edges, of which none may be there twice. */
static hs_status begin(walk *w, uint32_t task)
{
    const hsi_dot_edge *edge = w->dot->edges.data;
    hs_status           st = HS_OK;

    w->points = w->tasks = 0;
    for (size_t i = w->first[task]; i < w->first[task + 1] && st == HS_OK; i++) {
        uint32_t before = edge[i].earlier;

        if (w->row[before] != HSI_DOT_POINT && w->seen[before] == task + 1)
            st = hsi_import_edge(w->r, edge[i].at, w->row[task], w->row[before], edge[i].bytes);
        else
            meet(w, task, before, edge[i].bytes, edge[i].at);
    }
    return st;
}

static hs_status walk_back(walk *w)
{
    size_t    nodes = w->dot->names.count;
    hs_status st = HS_OK;

    for (uint32_t task = 0; task < nodes && st == HS_OK; task++) {
        if (w->row[task] == HSI_DOT_POINT)
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

hs_status hsi_dot_edges(hsi_dot *d, const uint32_t *row, hsi_import *r)
{
    size_t    nodes = d->names.count;
    walk      w = {.dot = d, .row = row, .r = r};
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
