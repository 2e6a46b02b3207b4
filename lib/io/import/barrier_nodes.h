/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_IMPORT_BARRIER_NODES_H
#define HSI_IO_IMPORT_BARRIER_NODES_H

#include "io/import/import.h"

/*
 * An edge of an imported graph. A node is a task or a barrier, which takes no time but orders
 * tasks.
 */
typedef struct hsi_node_edge {
    uint32_t    later, earlier; /* numbers of the nodes at both ends */
    double      bytes;
    bool        is_data; /* the edge follows from accesses to data; used by dot.c only */
    const char *at;
} hsi_node_edge;

#define HSI_NO_ROW UINT32_MAX

/*
 * Add the edges between rows: row[i] is the row of node i, or HSI_NO_ROW for a barrier. A path
 * through barriers becomes an edge from the task before the barriers to the task after them. Sorts
 * `edges`. HS_ESYNTAX: too many edges.
 */
hs_status hsi_import_add_edges_through_barriers(hsi_import *importer, hsi_node_edge *edges,
                                                size_t count, size_t nodes, const uint32_t *row);

/* Return the limit on edges, which grows with the size of the text. */
size_t hsi_import_edge_limit(const hsi_import *importer);

#endif
