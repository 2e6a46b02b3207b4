/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_WALK_H
#define HSI_EXEC_WALK_H

#include <hybridsched/instance.h>

/* The vertices of an instance's graph in topological order; empty without a graph. */
typedef struct hsi_walk {
    const hs_graph *graph;
    uint32_t       *vertex;
    size_t          count;
} hsi_walk;

/* Return HS_OK or HS_ENOMEM. O(tasks + edges). */
hs_status hsi_walk_begin(hsi_walk *walk, const hs_instance *in);
void      hsi_walk_end(hsi_walk *walk);

#endif
