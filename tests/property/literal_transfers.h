/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_LITERAL_MOVES_H
#define TEST_PROPERTY_LITERAL_MOVES_H

#include "graph_sample.h"

/* A list of transfers: a version of a handle to a node, or edge data to the task that reads it. */
typedef struct literal_transfers {
    hs_transfer list[(GRAPH_TASKS + GRAPH_DATA) * GRAPH_TASKS * GRAPH_NODES];
    size_t      count;
} literal_transfers;

/* Append a transfer that starts at from_when.start, unless source and target coincide or no bytes
 * move. */
void literal_add_transfer(const graph_sample *s, literal_transfers *moves, hs_transfer from_when);

/* Append the transfers of a known schedule: each starts as soon as its data is produced. */
void literal_add_planned_transfers(const graph_sample *s, const hs_schedule *known,
                                   literal_transfers *moves);

/* Check that the schedule has exactly these transfers. For edge data through barriers, only the
 * first start and the last end between two nodes are compared. Return the number of transfers. */
size_t literal_require_transfers(const graph_sample *s, const char *name, literal_transfers *moves,
                                 const hs_schedule *found);

#endif
