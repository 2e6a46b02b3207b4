/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/worker_loads.h"

#include <string.h>

#include "core/solve_report.h"

hs_status hsi_worker_loads_open(hsi_worker_loads *loads, const hsi_problem *pb)
{
    loads->pb = pb;
    loads->worker = hsi_arena_alloc(pb->arena, (size_t)pb->m + pb->k, sizeof *loads->worker);
    if (!loads->worker)
        return HS_ENOMEM;
    hsi_worker_loads_reset(loads);
    return HS_OK;
}

void hsi_worker_loads_reset(hsi_worker_loads *loads)
{
    memset(loads->worker, 0, ((size_t)loads->pb->m + loads->pb->k) * sizeof *loads->worker);
}

void hsi_worker_loads_add_copies(hsi_worker_loads *loads, uint32_t worker)
{
    const hsi_problem *pb = loads->pb;
    hsi_worker_load   *w = &loads->worker[worker];
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

void hsi_worker_loads_totals(hsi_worker_loads *loads, double *makespan, double *certified)
{
    uint32_t worker, workers = loads->pb->m + loads->pb->k;

    *makespan = *certified = 0;
    for (worker = 0; worker < workers; worker++) {
        hsi_worker_loads_add_copies(loads, worker);
        if (loads->pb->available && loads->worker[worker].load.high > 0)
            hsi_sum_add(&loads->worker[worker].load, loads->pb->available[worker]);
        *makespan = fmax(*makespan, loads->worker[worker].free_at);
        *certified = fmax(*certified, hsi_sum_round_up(&loads->worker[worker].load));
    }
}
