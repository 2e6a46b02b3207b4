/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_GRAPH_LONGEST_PATHS_H
#define HSI_BOUND_GRAPH_LONGEST_PATHS_H

#include "bound/graph/tasks_between.h"

/*
 * The longest paths through a graph whose tasks run on both types in given shares. A path is a list
 * of tasks in which each depends on the one before; with `between` it may also jump, see
 * hsi_proof_way.
 */
/* The next step of a path from a vertex. */
typedef struct hsi_next {
    uint32_t vertex; /* next vertex of the path; HS_NONE: the path ends */
    uint32_t over;   /* way to the next vertex: HSI_OVER_... for a jump, 0 for a direct
                        dependency */
} hsi_next;

typedef struct hsi_longest_paths {
    const hsi_problem *pb;
    const hsi_tasks_between *between; /* sets of tasks between two vertices; NULL: paths have
                                         no jumps */
    double            *time;        /* by vertex */
    double            *head, *tail; /* lengths of the longest paths to and from each vertex, each
                                       with the vertex's own time */
    hsi_next *before, *after;       /* next steps on the longest paths to and from each vertex */
    double (*weight)[2];            /* load per worker of each type, by topological number,
                                       summed from the first vertex */
    double *load;                   /* load between two vertices, by pairs of topological numbers;
                                       negative: the load of GPUs */
    const hsi_stop *stop;    /* stop condition, polled if paths jump, since jumps take time */
    bool            stopped; /* whether the search was stopped, so that results are invalid */
} hsi_longest_paths;

hs_status hsi_longest_paths_open(hsi_longest_paths *w, const hsi_problem *pb,
                                 const hsi_tasks_between *between, const hsi_stop *stop,
                                 hsi_arena *arena);

/* List the tasks on a path, with those that it jumps over; no task occurs twice, since steps follow
 * each other. Return their number. `between` is needed only for paths with jumps. */
size_t hsi_path_expand_jumps(const hsi_tasks_between *between, const uint32_t *step, size_t count,
                             hsi_counted *counted);

/* Find the longest paths and return the longest length, or 0 if `stop` ended the search (`stopped`);
 * share[i]: part of task i on CPUs. */
double hsi_longest_paths_find(hsi_longest_paths *w, const double *share);

/* Return the length of the longest path through a vertex. */
static inline double hsi_longest_path_length(const hsi_longest_paths *w, uint32_t vertex)
{
    return w->head[vertex] + w->tail[vertex] - w->time[vertex];
}

/* Write the steps of the longest path through a vertex, at most 2 `vertices` + 1, and mark its
 * vertices in `seen`. Return the number of steps. */
size_t hsi_longest_path_through(const hsi_longest_paths *w, uint32_t vertex, uint32_t *step,
                                unsigned char *seen);

#endif
