/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_TALLY_H
#define HSI_CORE_TALLY_H

#include "core/problem.h"
#include "support/exact.h"

/*
 * The end of each worker and the exact sum of its times, as a schedule without entries. Consecutive
 * copies of one row are counted and added at once.
 */
typedef struct hsi_tally_worker {
    double   free_at;
    hsi_sum  load;
    uint32_t row, copies; /* counted, but not yet in `load` */
} hsi_tally_worker;

typedef struct hsi_tally {
    const hsi_problem *pb;
    hsi_tally_worker  *worker;
} hsi_tally;

/* Allocate a tally in the problem's arena. */
hs_status hsi_tally_open(hsi_tally *tally, const hsi_problem *pb);
void      hsi_tally_restart(hsi_tally *tally);

/* Add the counted copies to the load. */
void hsi_tally_settle(hsi_tally *tally, uint32_t worker);

static inline void hsi_tally_put(hsi_tally *tally, uint32_t row, uint32_t worker, double end)
{
    hsi_tally_worker *w = &tally->worker[worker];

    if (w->row != row) {
        hsi_tally_settle(tally, worker);
        w->row = row;
    }
    w->copies++;
    w->free_at = end;
}

/* Abort the latest run of a worker. */
static inline void hsi_tally_abort(hsi_tally *tally, uint32_t worker, double when)
{
    tally->worker[worker].copies--;
    tally->worker[worker].free_at = when;
}

/* Compute the makespan and the largest load, rounded up. */
void hsi_tally_sum(hsi_tally *tally, double *makespan, double *certified);

#endif
