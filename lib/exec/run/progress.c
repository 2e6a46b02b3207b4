/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/run/run.h"

#include <math.h>
#include <string.h>

#include <hybridsched/bound.h>

#include "support/atomic.h"
#include "support/clock.h"
#include "support/sized.h"

static double weight_of(const hs_instance *in, uint32_t task)
{
    return fmin(hs_instance_time(in, task, HS_CPU), hs_instance_time(in, task, HS_GPU));
}

hs_status hsi_progress_prepare(hsi_progress *progress, const hsi_work *work,
                               const hsi_results *results)
{
    size_t    n = hs_instance_tasks(work->in), i;
    double    makespan = 0;
    hs_status st = HS_OK;

    if (!work->settings.report.progress)
        return HS_OK;
    if (work->plan)
        makespan = hs_schedule_makespan(work->plan);
    else
        st = hs_bound_compute(hs_bound_find("theorem2"), work->in, NULL, &makespan);
    progress->predicted = makespan * work->seconds_per_unit;
    for (i = 0; i < n; i++) {
        double weight = weight_of(work->in, (uint32_t)i);

        progress->total_weight += weight;
        if (hsi_is_done_before(results, (uint32_t)i) || hsi_is_left_out(results, (uint32_t)i))
            progress->resumed_weight += weight;
    }
    return st;
}

static double done_weight(const hsi_gauge *gauge)
{
    uint64_t bits = hsi_atomic_load64(&gauge->weight);
    double   weight;

    memcpy(&weight, &bits, sizeof weight);
    return weight;
}

void hsi_gauge_add(hsi_gauge *gauge, const hs_instance *in, uint32_t task)
{
    double   weight = done_weight(gauge) + weight_of(in, task);
    uint64_t bits;

    memcpy(&bits, &weight, sizeof bits);
    hsi_atomic_store64(&gauge->weight, bits);
}

void hsi_gauge_show(hsi_gauge *gauge, uint32_t task, int64_t since)
{
    hsi_atomic_store(&gauge->running, (int)task);
    hsi_atomic_store64(&gauge->running_since, (uint64_t)since);
}

/* Return the weight of the present task that should be done by now. */
static double running_weight(const hsi_worker *worker, int64_t now, int64_t since)
{
    const hsi_work *work = &worker->exec->work;
    uint32_t        task = (uint32_t)hsi_atomic_load(&worker->gauge.running);
    double seconds = hs_instance_time(work->in, task, worker->type) * work->seconds_per_unit;
    double part = 1e-9 * (double)(now - since) / seconds;

    return weight_of(work->in, task) * fmin(fmax(part, 0), 1);
}

void hsi_progress_report(hs_exec *exec)
{
    int64_t          now = hsi_clock_ns();
    double           weight = exec->progress.resumed_weight;
    hs_exec_progress p = {.struct_size = sizeof p,
                          .seconds = 1e-9 * (double)(now - exec->control.start_ns),
                          .total = hs_instance_tasks(exec->work.in) - hsi_results_left_out(exec->results),
                          .done = hsi_results_past(exec->results)->done};
    unsigned         i;

    for (i = 0; i < exec->work.workers; i++) {
        const hsi_worker *w = &exec->worker[i];
        int64_t           since = (int64_t)hsi_atomic_load64(&w->gauge.running_since);

        p.done += hsi_atomic_load64(&w->gauge.done);
        p.running += since != 0;
        weight += done_weight(&w->gauge) + (since ? running_weight(w, now, since) : 0);
    }
    hsi_lock(&exec->control);
    p.failed = hsi_results_counted(exec->results, HSI_COUNT_FAILED);
    hsi_unlock(&exec->control);
    if (exec->progress.total_weight > 0)
        p.remaining = exec->progress.predicted * fmax(0, 1 - weight / exec->progress.total_weight);
    exec->work.settings.report.progress(exec->work.settings.report.data, &p);
}

void hs_exec_describe_activity(const hs_exec *exec, unsigned worker, hs_exec_activity *out)
{
    const hsi_gauge *gauge = &exec->worker[worker].gauge;
    int64_t          since = (int64_t)hsi_atomic_load64(&gauge->running_since);
    hs_exec_activity full = {.running = since != 0,
                             .task = (uint32_t)hsi_atomic_load(&gauge->running),
                             .done = hsi_atomic_load64(&gauge->done)};

    if (since)
        full.seconds = fmax(0, 1e-9 * (double)(hsi_clock_ns() - since));
    hsi_fill_sized(out, &full, sizeof full);
}
