/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/walk.h"

#include <stdlib.h>

static void add_free(hsi_walk *walk, size_t *left)
{
    size_t vertices = hs_graph_vertices(walk->graph), count;

    for (size_t v = 0; v < vertices; v++) {
        (void)hs_graph_predecessors(walk->graph, v, &left[v], NULL);
        if (left[v] == 0)
            walk->vertex[walk->count++] = (uint32_t)v;
    }
    for (size_t i = 0; i < walk->count; i++) {
        const uint32_t *after = hs_graph_successors(walk->graph, walk->vertex[i], &count);

        for (; count > 0; count--, after++)
            if (--left[*after] == 0)
                walk->vertex[walk->count++] = *after;
    }
}

hs_status hsi_walk_begin(hsi_walk *walk, const hs_instance *in)
{
    size_t   *left;
    hs_status st;

    *walk = (hsi_walk){0};
    st = hs_instance_graph(in, &walk->graph);
    if (st != HS_OK || !walk->graph)
        return st;
    left = malloc((hs_graph_vertices(walk->graph) + 1) * sizeof *left);
    walk->vertex = malloc((hs_graph_vertices(walk->graph) + 1) * sizeof *walk->vertex);
    if (left && walk->vertex)
        add_free(walk, left);
    else
        hsi_walk_end(walk);
    free(left);
    return walk->vertex ? HS_OK : HS_ENOMEM;
}

void hsi_walk_end(hsi_walk *walk)
{
    free(walk->vertex);
    *walk = (hsi_walk){0};
}
