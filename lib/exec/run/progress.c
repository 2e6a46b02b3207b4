/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/run/dispatcher.h"

#include <math.h>
#include <string.h>

#include <hybridsched/bound.h>

#include "exec/run/atomic.h"
#include "exec/run/clock.h"

/*
 * How much is left is told in parts of the whole, a task counting for its shorter
 * time, and the whole lasts as long as the plan says or, without one, the area bound.
 */

static double weight_of(const hs_exec *exec, uint32_t task)
{
    return fmin(hs_instance_time(exec->in, task, HS_CPU), hs_instance_time(exec->in, task, HS_GPU));
}

hs_status hsi_progress_prepare(hs_exec *exec)
{
    size_t    n = hs_instance_tasks(exec->in), i;
    double    makespan = 0;
    hs_status st = HS_OK;

    if (!exec->settings.progress)
        return HS_OK;
    if (exec->plan)
        makespan = hs_schedule_makespan(exec->plan);
    else
        st = hs_bound_compute(hs_bound_find("theorem2"), exec->in, NULL, &makespan);
    exec->predicted = makespan * exec->seconds_per_unit;
    for (i = 0; i < n; i++) {
        exec->total_weight += weight_of(exec, (uint32_t)i);
        if (exec->skip && exec->skip[i])
            exec->resumed_weight += weight_of(exec, (uint32_t)i);
    }
    return st;
}

static double read_weight(const hsi_worker *worker)
{
    uint64_t bits = hsi_peek64(&worker->weight);
    double   weight;

    memcpy(&weight, &bits, sizeof weight);
    return weight;
}

void hsi_progress_add(hsi_worker *worker, uint32_t task)
{
    double   weight = read_weight(worker) + weight_of(worker->exec, task);
    uint64_t bits;

    memcpy(&bits, &weight, sizeof bits);
    hsi_poke64(&worker->weight, bits);
}

/* The part of its present task that a worker should have behind it. */
static double running_weight(const hsi_worker *worker, int64_t now, int64_t since)
{
    const hs_exec *exec = worker->exec;
    uint32_t       task = (uint32_t)hsi_peek(&worker->running);
    double seconds = hs_instance_time(exec->in, task, worker->type) * exec->seconds_per_unit;
    double part = 1e-9 * (double)(now - since) / seconds;

    return weight_of(exec, task) * fmin(fmax(part, 0), 1);
}

void hsi_progress_tell(hs_exec *exec)
{
    int64_t          now = hsi_clock_ns();
    double           weight = exec->resumed_weight;
    hs_exec_progress p = {.seconds = 1e-9 * (double)(now - exec->start_ns),
                          .total = hs_instance_tasks(exec->in),
                          .done = exec->resumed};
    unsigned         i;

    for (i = 0; i < exec->workers; i++) {
        const hsi_worker *w = &exec->worker[i];
        int64_t           since = (int64_t)hsi_peek64(&w->running_since);

        p.done += hsi_peek64(&w->done);
        p.running += since != 0;
        weight += read_weight(w) + (since ? running_weight(w, now, since) : 0);
    }
    hsi_lock(exec);
    p.failed = exec->failed;
    hsi_unlock(exec);
    if (exec->total_weight > 0)
        p.remaining = exec->predicted * fmax(0, 1 - weight / exec->total_weight);
    exec->settings.progress(exec->settings.progress_data, &p);
}
