/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_PICTURE_RUNS_H
#define HSI_PICTURE_RUNS_H

#include <hybridsched/schedule.h>

#include "core/graph/graph.h"

/*
 * Where and when the tasks of a graph ran: what arrows and critical paths go by. A task that has no
 * run, of a schedule that was not finished, has none here.
 */
typedef struct hsi_runs {
    const hs_instance *in;
    const hs_graph    *graph; /* NULL: the tasks are independent, and the rest is not there */
    const hs_schedule *s;
    uint32_t          *worker; /* of tasks; HS_NOBODY: it has no run */
    size_t            *entry;  /* of tasks: which one of the worker's */
} hsi_runs;

/* One step of a critical path: an entry of a worker. */
typedef struct hsi_step {
    uint32_t worker;
    size_t   entry;
    int      by_task; /* 1: the step before is a task that this task comes after or reads from;
                         0: the step before is the worker's previous entry, or none */
} hsi_step;

/* HS_ENOMEM. Close it whatever comes of this. */
hs_status hsi_runs_open(hsi_runs *runs, const hs_instance *in, const hs_schedule *s);
void      hsi_runs_close(hsi_runs *runs);

/* The run of a task that has one. */
static inline const hs_entry *hsi_run_of(const hsi_runs *runs, uint32_t task)
{
    size_t count;

    return hs_schedule_entries(runs->s, runs->worker[task], &count) + runs->entry[task];
}

/*
 * The critical path of what happened, from its end: the entry that ends last; before an entry, what
 * it had news of last: the end of a task before its own and the transfer of what that made, or the
 * end of what its worker did before; of equals, a task. To be freed. O(tasks + what is before those
 * on it), and each barrier once for each memory node.
 */
hs_status hsi_critical_path(const hsi_runs *runs, hsi_step **steps, size_t *count);

/* One of a task's neighbours; anything but 0 ends it. */
typedef int hsi_neighbour(void *data, uint32_t task);

/* All tasks right before one, or after it, through barriers; the last answer. */
int hsi_each_before(const hs_graph *g, uint32_t task, hsi_neighbour *tell, void *data);
int hsi_each_after(const hs_graph *g, uint32_t task, hsi_neighbour *tell, void *data);

/* How many pairs of tasks that is, or more than `most`. */
size_t hsi_count_dependencies(const hs_graph *g, size_t most);

#endif
