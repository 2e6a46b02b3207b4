/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_PICTURE_TASK_RUNS_H
#define HSI_PICTURE_TASK_RUNS_H

#include <hybridsched/schedule.h>

#include "core/graph/graph.h"

/*
 * The complete run of each task in a schedule (its worker and entry), for arrows and critical
 * paths. A task of an unfinished schedule may have no run.
 */
typedef struct hsi_runs {
    const hs_instance *in;
    const hs_graph    *graph; /* graph of the tasks; NULL: independent tasks, and no arrays */
    const hs_schedule *s;
    uint32_t          *worker; /* worker of each task's run; HS_NONE: no run */
    size_t            *entry;  /* index of each task's run among the worker's entries */
} hsi_runs;

/* A step of a critical path: an entry of a worker. */
typedef struct hsi_path_step {
    uint32_t worker;
    size_t   entry;
    /*
     * whether the step before is a task that this task depends on, instead of the worker's previous
     * entry or no step
     */
    bool     by_task;
} hsi_path_step;

/* Find the run of each task. HS_ENOMEM. Call hsi_runs_close() in any case. */
hs_status hsi_runs_open(hsi_runs *runs, const hs_instance *in, const hs_schedule *s);
void      hsi_runs_close(hsi_runs *runs);

/* Return the entry of a task's run. The task must have a run. */
static inline const hs_entry *hsi_run_of(const hsi_runs *runs, uint32_t task)
{
    size_t count;

    return hs_schedule_entries(runs->s, runs->worker[task], &count) + runs->entry[task];
}

/*
 * Find the critical path of a schedule, from its end: the entry that ends last, then repeatedly the
 * cause of an entry's start: the later of the end of the worker's previous entry, and the end of a
 * predecessor plus the transfer of its result; a task wins a tie. The caller frees *steps. O(tasks
 * + predecessors of the path's tasks), and each barrier is visited once per memory node.
 */
hs_status hsi_critical_path(const hsi_runs *runs, hsi_path_step **steps, size_t *count);

/* A callback for a neighbour of a task; a result other than 0 ends the iteration. */
typedef int hsi_neighbour(void *data, uint32_t task);

/*
 * Call `visit` for each task directly before (after) a task, or connected through barriers only.
 * Return the last result.
 */
int hsi_visit_predecessors(const hs_graph *g, uint32_t task, hsi_neighbour *visit, void *data);
int hsi_visit_successors(const hs_graph *g, uint32_t task, hsi_neighbour *visit, void *data);

/* Return the number of dependent pairs of tasks; a number above `most` if they are more. */
size_t hsi_count_dependent_pairs(const hs_graph *g, size_t most);

#endif
