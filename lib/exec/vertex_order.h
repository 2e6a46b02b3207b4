/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_VERTEX_ORDER_H
#define HSI_EXEC_VERTEX_ORDER_H

#include <hybridsched/instance.h>

/* The vertices of an instance's graph in topological order; empty without a graph. */
typedef struct hsi_vertex_order {
    const hs_graph *graph;
    uint32_t       *vertex;
    size_t          count;
} hsi_vertex_order;

/* Return HS_OK or HS_ENOMEM. O(tasks + edges). */
hs_status hsi_vertex_order_find(hsi_vertex_order *order, const hs_instance *in);
void      hsi_vertex_order_free(hsi_vertex_order *order);

#endif
