/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/run/run.h"

#include <math.h>

#include "support/atomic.h"
#include "support/sized.h"

static double last_end(const hs_exec *exec)
{
    double   last = 0;
    unsigned i;

    for (i = 0; i < exec->work.workers; i++) {
        const hsi_worker *w = &exec->worker[i];

        if (w->records.count)
            last = fmax(last, w->records.list[w->records.count - 1].end);
    }
    return last;
}

static double time_in_bodies(const hsi_worker *worker)
{
    double sum = 0;
    size_t i;

    for (i = 0; i < worker->records.count; i++)
        sum += worker->records.list[i].end - worker->records.list[i].start;
    return sum;
}

/* Return the time in which the policy had no task for the worker, at most until the last end. */
static double time_without_work(const hsi_worker *worker, double last)
{
    const int64_t start = worker->exec->control.start_ns;
    double        since = 1e-9 * (double)(worker->turn.waiting_since - start);

    return fmin(last, 1e-9 * (double)worker->idle_ns + fmax(0, last - fmax(0, since)));
}

static void add_times(const hs_exec *exec, hs_exec_report *r)
{
    uint64_t settled = r->done - r->resumed + r->failed + r->unrecorded;
    unsigned i;

    r->seconds = last_end(exec);
    for (i = 0; i < exec->work.workers; i++) {
        r->busy += time_in_bodies(&exec->worker[i]);
        r->idle += time_without_work(&exec->worker[i], r->seconds);
        r->core_seconds += exec->worker[i].core.used;
        r->core_wait += exec->worker[i].core.waited;
    }
    if (!settled)
        return;
    r->overhead = fmax(0, exec->work.workers * r->seconds - r->busy) / (double)settled;
    r->dispatch = fmax(0, exec->work.workers * r->seconds - r->busy - r->idle) / (double)settled;
}

void hsi_report_fill(const hs_exec *exec, uint64_t lost, hs_exec_report *report)
{
    const hsi_results *results = exec->results;
    hs_exec_report     r = {.tasks = hs_instance_tasks(exec->work.in),
                            .done = hsi_results_past(results)->done,
                            .resumed = hsi_results_past(results)->done,
                            .failed = hsi_results_counted(results, HSI_COUNT_FAILED),
                            .unrecorded = hsi_results_counted(results, HSI_COUNT_UNRECORDED) + lost,
                            .aborted = hsi_results_counted(results, HSI_COUNT_ABORTED),
                            .retried = hsi_results_counted(results, HSI_COUNT_RETRIED),
                            .left_out = hsi_results_left_out(results),
                            .blocked = hsi_results_blocked(results),
                            .lost_workers =
                                (unsigned)hsi_results_counted(results, HSI_COUNT_LOST_WORKERS),
                            .gpu_joules = exec->power.joules,
                            .gpu_clock = exec->power.clock,
                            .gpu_clock_max = exec->power.clock_most,
                            .stopped = hsi_atomic_load(&exec->control.stop) != 0};
    unsigned           i;

    for (i = 0; i < exec->work.workers; i++) {
        const hsi_worker *w = &exec->worker[i];

        r.done += w->gauge.done;
        r.verifiable += w->checks[HS_VERIFICATION_SKIPPED] + w->checks[HS_VERIFICATION_PASSED];
        r.verified += w->checks[HS_VERIFICATION_PASSED];
    }
    r.done -= lost;
    r.not_run = r.tasks - r.left_out - r.done - r.failed - r.unrecorded;
    add_times(exec, &r);
    hsi_fill_sized(report, &r, sizeof r);
}

int hs_exec_is_blocked(const hs_exec *exec, uint32_t task, uint32_t *failed)
{
    uint32_t blocker = HS_NONE;

    if (exec && task < hs_instance_tasks(exec->work.in))
        blocker = hsi_results_blocker(exec->results, task);
    if (blocker == HS_NONE || blocker == task)
        return 0;
    if (failed)
        *failed = blocker;
    return 1;
}

const hs_exec_record *hs_exec_records(const hs_exec *exec, unsigned worker, size_t *count)
{
    *count = 0;
    if (!exec || worker >= exec->work.workers)
        return NULL;
    *count = exec->worker[worker].records.count;
    return exec->worker[worker].records.list;
}

const hs_wait *hs_exec_waits(const hs_exec *exec, unsigned worker, size_t *count)
{
    *count = exec && worker < exec->work.workers ? exec->worker[worker].waits.count : 0;
    return *count > 0 ? exec->worker[worker].waits.list : NULL;
}
