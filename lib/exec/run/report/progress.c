/* SPDX-License-Identifier: BSD-3-Clause */
/* The progress of a run: predictions of its end, and what each worker does. */
#include "exec/run/report/report_private.h"

#include <math.h>

#include <hybridsched/bound.h>

#include "exec/run/control.h"
#include "exec/run/results.h"
#include "support/atomic.h"
#include "support/clock.h"
#include "support/sized.h"

hs_status hsi_report_predict_end(hs_exec *exec)
{
    const hsi_run_spec *spec = &exec->spec;
    hsi_report         *report = exec->report;
    size_t              n = hs_instance_tasks(spec->in), i;
    double              makespan = 0;
    hs_status           st = HS_OK;

    if (!spec->settings.report.progress)
        return HS_OK;
    if (spec->plan)
        makespan = hs_schedule_makespan(spec->plan);
    else
        st = hs_bound_compute(hs_bound_find("theorem2"), spec->in, NULL, &makespan);
    report->predicted = makespan * spec->seconds_per_unit;
    for (i = 0; i < n; i++) {
        double weight = hsi_task_weight(spec->in, (uint32_t)i);

        if (exec->exchange && hsi_exchange_is_elsewhere(exec->exchange, (uint32_t)i))
            continue;
        report->total_weight += weight;
        if (hsi_is_done_by_earlier_run(exec->results, (uint32_t)i) ||
            hsi_is_unselected(exec->results, (uint32_t)i))
            report->resumed_weight += weight;
    }
    return st;
}

/* Return the weight of the running task that should be done by now. */
static double running_weight(const hsi_worker *worker, int64_t now, int64_t since)
{
    const hsi_run_spec *spec = &worker->exec->spec;
    uint32_t            task = (uint32_t)hsi_atomic_load(&worker->account->running);
    double seconds = hs_instance_time(spec->in, task, worker->type) * spec->seconds_per_unit;
    double part = 1e-9 * (double)(now - since) / seconds;

    return hsi_task_weight(spec->in, task) * fmin(fmax(part, 0), 1);
}

void hsi_report_progress(hs_exec *exec)
{
    const hsi_report *report = exec->report;
    int64_t           now = hsi_clock_ns();
    double            weight = report->resumed_weight;
    hs_exec_progress  p = {.struct_size = sizeof p,
                           .seconds = 1e-9 * (double)(now - hsi_control_start_ns(exec->control)),
                           .total = hsi_run_task_count(exec) -
                                    hsi_results_unselected_tasks(exec->results),
                           .done = hsi_results_past(exec->results)->done};
    unsigned          i;

    for (i = 0; i < exec->spec.workers; i++) {
        const hsi_worker *w = &exec->worker[i];
        int64_t           since = (int64_t)hsi_atomic_load64(&w->account->running_since);

        p.done += hsi_account_done_tasks(w);
        p.running += since != 0;
        weight += hsi_account_done_weight(w) + (since ? running_weight(w, now, since) : 0);
    }
    hsi_lock(exec->control);
    p.failed = hsi_results_event_count(exec->results, HSI_COUNT_FAILED);
    hsi_unlock(exec->control);
    if (report->total_weight > 0)
        p.remaining = report->predicted * fmax(0, 1 - weight / report->total_weight);
    exec->spec.settings.report.progress(exec->spec.settings.report.data, &p);
}

void hs_exec_describe_activity(const hs_exec *exec, unsigned worker, hs_exec_activity *out)
{
    hs_exec_activity full = {0};

    if (exec && worker < exec->spec.workers) {
        const hsi_account *account = exec->worker[worker].account;
        int64_t            since = (int64_t)hsi_atomic_load64(&account->running_since);

        full.running = since != 0;
        full.task = (uint32_t)hsi_atomic_load(&account->running);
        full.done = hsi_atomic_load64(&account->done);
        if (since)
            full.seconds = fmax(0, 1e-9 * (double)(hsi_clock_ns() - since));
    }
    hsi_sized_copy_out(out, &full, sizeof full);
}
