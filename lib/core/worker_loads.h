/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_WORKER_LOADS_H
#define HSI_CORE_WORKER_LOADS_H

#include "core/problem.h"
#include "support/exact.h"

/*
 * The end of each worker and the exact sum of its times, as a schedule without entries. Consecutive
 * copies of one row are counted and added at once.
 */
typedef struct hsi_worker_load {
    double   free_at; /* end of the worker's last run */
    hsi_sum  load;
    uint32_t row, copies; /* counted, but not yet in `load` */
} hsi_worker_load;

typedef struct hsi_worker_loads {
    const hsi_problem *pb;
    hsi_worker_load   *worker;
} hsi_worker_loads;

/* Allocate the loads in the problem's arena. */
hs_status hsi_worker_loads_open(hsi_worker_loads *loads, const hsi_problem *pb);

/* Forget all runs: each worker is free at 0, with load 0. */
void hsi_worker_loads_reset(hsi_worker_loads *loads);

/* Add the counted copies to the load. */
void hsi_worker_loads_add_copies(hsi_worker_loads *loads, uint32_t worker);

/* Record that a worker runs a copy of `row` until `end`. */
static inline void hsi_worker_loads_add_run(hsi_worker_loads *loads, uint32_t row, uint32_t worker,
                                            double end)
{
    hsi_worker_load *w = &loads->worker[worker];

    if (w->row != row) {
        hsi_worker_loads_add_copies(loads, worker);
        w->row = row;
    }
    w->copies++;
    w->free_at = end;
}

/* Abort the latest run of a worker at the time `when`. */
static inline void hsi_worker_loads_abort_run(hsi_worker_loads *loads, uint32_t worker, double when)
{
    loads->worker[worker].copies--;
    loads->worker[worker].free_at = when;
}

/*
 * Set *makespan to the latest end of a worker, and *certified to the largest exact sum of a
 * worker's times and of the time at which it is available, rounded up. Ends the use of `loads`.
 */
void hsi_worker_loads_totals(hsi_worker_loads *loads, double *makespan, double *certified);

#endif
