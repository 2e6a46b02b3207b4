/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/tally.h"

#include <string.h>

#include "core/report.h"

hs_status hsi_tally_open(hsi_tally *tally, const hsi_problem *pb)
{
    tally->pb = pb;
    tally->worker = hsi_arena_take(pb->arena, (size_t)pb->m + pb->k, sizeof *tally->worker);
    if (!tally->worker)
        return HS_ENOMEM;
    hsi_tally_restart(tally);
    return HS_OK;
}

void hsi_tally_restart(hsi_tally *tally)
{
    memset(tally->worker, 0, ((size_t)tally->pb->m + tally->pb->k) * sizeof *tally->worker);
}

void hsi_tally_settle(hsi_tally *tally, uint32_t worker)
{
    const hsi_problem *pb = tally->pb;
    hsi_tally_worker  *w = &tally->worker[worker];
    double             time;

    if (!w->copies)
        return;
    time = worker < pb->m ? pb->p[w->row] : pb->q[w->row];
    if (w->copies == 1)
        hsi_sum_add(&w->load, time);
    else
        hsi_sum_add_product(&w->load, w->copies, time);
    w->copies = 0;
}

void hsi_tally_sum(hsi_tally *tally, double *makespan, double *certified)
{
    uint32_t worker, workers = tally->pb->m + tally->pb->k;

    *makespan = *certified = 0;
    for (worker = 0; worker < workers; worker++) {
        hsi_tally_settle(tally, worker);
        if (tally->pb->available && tally->worker[worker].load.high > 0)
            hsi_sum_add(&tally->worker[worker].load, tally->pb->available[worker]);
        *makespan = fmax(*makespan, tally->worker[worker].free_at);
        *certified = fmax(*certified, hsi_sum_round_up(&tally->worker[worker].load));
    }
}
