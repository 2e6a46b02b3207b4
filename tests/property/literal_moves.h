/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_LITERAL_MOVES_H
#define TEST_PROPERTY_LITERAL_MOVES_H

#include "graph_sample.h"

/* What is moved, one by one: a version of data to a memory, or a piece to the task that reads it.
 */
typedef struct literal_moves {
    hs_transfer list[(GRAPH_TASKS + GRAPH_DATA) * GRAPH_TASKS * GRAPH_NODES];
    size_t      count;
} literal_moves;

/* From when on; nothing where nothing has to be moved. */
void literal_move(const graph_sample *s, literal_moves *moves, hs_transfer from_when);

/* As whoever knows the schedule starts them: when what is moved was made. */
void literal_foreseen(const graph_sample *s, const hs_schedule *known, literal_moves *moves);

/* Those of the schedule are these; of pieces that go through barriers the first start and the last
 * end from node to node. How many there are. */
size_t literal_require_moves(const graph_sample *s, const char *name, literal_moves *moves,
                             const hs_schedule *found);

#endif
