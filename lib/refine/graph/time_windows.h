/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_WINDOWS_H
#define HSI_REFINE_GRAPH_WINDOWS_H

#include "core/graph/arcs.h"

enum { HSI_SCHEDULE_TREE_TASKS = 64 }; /* limit of the tasks of a graph */

/* A partial schedule: tasks in the order of their starts. */
typedef struct hsi_partial {
    uint64_t done; /* bit set of the placed tasks */
    double   start[HSI_SCHEDULE_TREE_TASKS], end[HSI_SCHEDULE_TREE_TASKS];
    uint32_t worker[HSI_SCHEDULE_TREE_TASKS], place[HSI_SCHEDULE_TREE_TASKS];
    double  *free_at; /* time from which each worker is free */
    double   last;    /* latest start; later tasks start no earlier */
} hsi_partial;

/*
 * Test whether a partial schedule can be completed below a cutoff. On each type a task has a
 * window: it starts after the longest path that leads to it, over any types and the transfers
 * between them, and early enough for its longest tail of successors. A type with a too short window
 * is closed for the task. Then, for each tail length, the tasks with at least this tail must fit
 * into the remaining time of the workers before it, cut at will. All GPUs count as one memory, and
 * so do all hosts, without transfers between them.
 *
 * A refusal is safe: the test leaves a margin for rounding.
 */
typedef struct hsi_windows {
    const hsi_arcs *arcs;
    uint32_t        n;
    double          cutoff;
    size_t         *before_at; /* first arc of each task in `before`; the last entry is the total */
    hsi_arc        *before;    /* arcs by target; their `task` is the source */
    uint64_t follow[HSI_SCHEDULE_TREE_TASKS]; /* bits of all direct and indirect successors */
    uint64_t lead[HSI_SCHEDULE_TREE_TASKS];   /* bits of all direct predecessors */
    double   tail[HSI_SCHEDULE_TREE_TASKS][2];
    double   head[HSI_SCHEDULE_TREE_TASKS][2];    /* earliest start by type, for the latest partial
                                              schedule */
    int open[HSI_SCHEDULE_TREE_TASKS][2];         /* by task and type: whether the task may run
                                                     on the type, for the latest partial schedule */
    uint32_t by_ratio[HSI_SCHEDULE_TREE_TASKS];   /* tasks by decreasing p/q, the GPUs' first */
    double   initial[HSI_SCHEDULE_TREE_TASKS][2]; /* earliest arrival of the initial data that the
                                              task reads, by type */
    double   leaving[HSI_SCHEDULE_TREE_TASKS][2]; /* longest transfer of the task's outputs, by
                                              type */
    hsi_arena arena;
} hsi_windows;

/* Create the test for the graph in `arcs`. HS_ETOOBIG: more than HSI_SCHEDULE_TREE_TASKS tasks. */
hs_status hsi_windows_open(hsi_windows *w, const hsi_arcs *arcs);
void      hsi_windows_close(hsi_windows *w);

/* Set the cutoff and compute tails for it. Return false if the cutoff is refuted already. */
bool hsi_windows_set_cutoff(hsi_windows *w, const hsi_partial *empty_schedule, double cutoff);

/* Return false if the partial schedule certainly cannot be completed below the cutoff. O(arcs +
 * tasks^2). */
bool hsi_windows_can_complete(hsi_windows *w, const hsi_partial *partial);

/* Return the largest cutoff from `low` to `high` that is refuted for the empty schedule, to nine
 * digits. */
double hsi_windows_largest_refuted(hsi_windows *w, const hsi_partial *empty_schedule, double low,
                                   double high);

#endif
