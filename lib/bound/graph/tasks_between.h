/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_GRAPH_TASKS_BETWEEN_H
#define HSI_BOUND_GRAPH_TASKS_BETWEEN_H

#include "core/certificate.h"
#include "core/problem.h"
#include "core/time_limit.h"

/*
 * The tasks between two vertices of a graph: successors of the first and predecessors of the
 * second, direct or not. Vertices are numbered in topological order here; HSI_BEGIN comes before
 * all, HSI_END after all.
 *
 * A task between the two starts after the first has ended, and ends before the second starts. So
 * the workers of a type have this time for the tasks between that they run.
 */
#define HSI_BEGIN (UINT32_MAX - 1)
#define HSI_END UINT32_MAX

typedef struct hsi_tasks_between {
    const hsi_problem *pb;
    size_t             vertices, words;
    uint64_t          *after, *before; /* bit sets by vertex: successors and predecessors, direct or
                                          not */
    uint32_t *position;                /* topological number of each vertex of the graph */
    bool      stopped;                 /* whether `stop` ended the search, so that the sets are
                                          incomplete */
} hsi_tasks_between;

enum {
    HSI_TASKS_BETWEEN_MOST = 20000
}; /* limit of the vertices; the bit sets then take 100
      megabytes */

/* Compute the sets, in the arena. HS_ETOOBIG: more than HSI_TASKS_BETWEEN_MOST vertices. O(vertices
 * x edges / 64). */
hs_status hsi_tasks_between_open(hsi_tasks_between *b, const hsi_problem *pb, const hsi_stop *stop,
                                 hsi_arena *arena);

static inline int hsi_task_precedes(const hsi_tasks_between *b, uint32_t first, uint32_t second)
{
    return (int)(b->after[first * b->words + second / 64] >> second % 64 & 1);
}

/* Add up the weights of the vertices between, for both types. */
void hsi_tasks_between_sum(const hsi_tasks_between *b, uint32_t first, uint32_t second,
                           const double (*weight)[2], double sum[2]);

/* List the tasks between in topological order, each with `over`; return their number. */
size_t hsi_tasks_between_list(const hsi_tasks_between *b, uint32_t first, uint32_t second,
                              uint32_t over, hsi_counted *counted);

#endif
