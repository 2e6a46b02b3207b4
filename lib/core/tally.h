/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_TALLY_H
#define HSI_CORE_TALLY_H

#include "core/problem.h"
#include "support/exact.h"

/*
 * What a schedule comes to, without its entries: when each worker ends, and the exact
 * sum of the times that it runs. Copies of one row that follow each other are counted
 * and added at once.
 */
typedef struct hsi_tally_worker {
    double   free_at;
    hsi_sum  load;
    uint32_t row, copies; /* not in the load yet */
} hsi_tally_worker;

typedef struct hsi_tally {
    const hsi_problem *pb;
    hsi_tally_worker  *worker;
} hsi_tally;

/* In the problem's arena. */
hs_status hsi_tally_open(hsi_tally *tally, const hsi_problem *pb);
void      hsi_tally_restart(hsi_tally *tally);

/* Adds to the load what was only counted. */
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

/* What was put last on a worker is aborted. */
static inline void hsi_tally_abort(hsi_tally *tally, uint32_t worker, double when)
{
    tally->worker[worker].copies--;
    tally->worker[worker].free_at = when;
}

/* When the last worker ends, and the largest load, rounded up. */
void hsi_tally_sum(hsi_tally *tally, double *makespan, double *certified);

#endif
