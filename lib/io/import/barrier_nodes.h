/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_IMPORT_BARRIER_NODES_H
#define HSI_IO_IMPORT_BARRIER_NODES_H

#include "io/import/import.h"

/*
 * An edge between nodes of a file. A node is a task or a point: a node without time that tasks only
 * wait for.
 */
typedef struct hsi_node_edge {
    uint32_t    later, earlier; /* nodes */
    double      bytes;
    bool        is_data; /* the edge follows from data; for the reader */
    const char *at;
} hsi_node_edge;

#define HSI_NO_ROW UINT32_MAX

/*
 * Add the edges between rows: `row` has the row of each node, or HSI_NO_ROW. A path through points
 * becomes an edge from each task before the points to each task after them. Sorts `edges`.
 */
hs_status hsi_import_barrier_edges(hsi_import *r, hsi_node_edge *edges, size_t count, size_t nodes,
                          const uint32_t *row);

/* Return the limit on edges for a text of this size. */
size_t hsi_import_most_edges(const hsi_import *r);

#endif
