/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/vertex_order.h"

#include <stdlib.h>

static void add_free(hsi_vertex_order *order, size_t *left)
{
    size_t vertices = hs_graph_vertex_count(order->graph), count;

    for (size_t v = 0; v < vertices; v++) {
        (void)hs_graph_predecessors(order->graph, v, &left[v], NULL);
        if (left[v] == 0)
            order->vertex[order->count++] = (uint32_t)v;
    }
    for (size_t i = 0; i < order->count; i++) {
        const uint32_t *after = hs_graph_successors(order->graph, order->vertex[i], &count);

        for (; count > 0; count--, after++)
            if (--left[*after] == 0)
                order->vertex[order->count++] = *after;
    }
}

hs_status hsi_vertex_order_find(hsi_vertex_order *order, const hs_instance *in)
{
    size_t   *left;
    hs_status st;

    *order = (hsi_vertex_order){0};
    st = hs_instance_graph(in, &order->graph);
    if (st != HS_OK || !order->graph)
        return st;
    left = malloc((hs_graph_vertex_count(order->graph) + 1) * sizeof *left);
    order->vertex = malloc((hs_graph_vertex_count(order->graph) + 1) * sizeof *order->vertex);
    if (left && order->vertex)
        add_free(order, left);
    else
        hsi_vertex_order_free(order);
    free(left);
    return order->vertex ? HS_OK : HS_ENOMEM;
}

void hsi_vertex_order_free(hsi_vertex_order *order)
{
    free(order->vertex);
    *order = (hsi_vertex_order){0};
}
