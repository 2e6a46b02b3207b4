/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of a run: sums over the accounts of all workers. */
#include "exec/run/report/report_private.h"

#include <math.h>
#include <stdlib.h>

#include "exec/run/control.h"
#include "exec/run/results.h"
#include "support/sized.h"

hs_status hsi_report_create(hsi_report **out)
{
    hsi_report *report = calloc(1, sizeof *report);

    if (!report)
        return HS_ENOMEM;
    if (pthread_mutex_init(&report->callbacks, NULL) != 0) {
        free(report);
        return HS_ENOMEM;
    }
    *out = report;
    return HS_OK;
}

void hsi_report_reset(hsi_report *report)
{
    hsi_report_forget_transfers(report);
    report->failures_reported = 0;
}

void hsi_report_free(hsi_report *report)
{
    if (!report)
        return;
    hsi_report_forget_transfers(report);
    pthread_mutex_destroy(&report->callbacks);
    free(report);
}

void hsi_report_call_attempt(hs_exec *exec, const hs_exec_attempt *attempt)
{
    pthread_mutex_lock(&exec->report->callbacks);
    exec->spec.settings.report.attempt(exec->spec.settings.report.data, attempt);
    pthread_mutex_unlock(&exec->report->callbacks);
}

void hsi_report_call_line(hs_exec *exec, const hs_exec_line *line)
{
    pthread_mutex_lock(&exec->report->callbacks);
    exec->spec.settings.report.line(exec->spec.settings.report.data, line);
    pthread_mutex_unlock(&exec->report->callbacks);
}

void hsi_report_set_energy(hsi_report *report, hsi_gpu_energy_use energy)
{
    report->energy = energy;
}

static double last_end(const hs_exec *exec)
{
    double   last = 0;
    unsigned i;

    for (i = 0; i < exec->spec.workers; i++) {
        const hsi_account *a = exec->worker[i].account;

        if (a->record_count)
            last = fmax(last, a->records[a->record_count - 1].end);
    }
    return last;
}

static double time_in_bodies(const hsi_account *account)
{
    double sum = 0;
    size_t i;

    for (i = 0; i < account->record_count; i++)
        sum += account->records[i].end - account->records[i].start;
    return sum;
}

/* Return the time in which the policy had no task for the worker, at most until the last end. */
static double time_without_work(const hsi_account *account, int64_t start, double last)
{
    double since = 1e-9 * (double)(account->idle_since - start);

    return fmin(last, 1e-9 * (double)account->idle_ns + fmax(0, last - fmax(0, since)));
}

static void add_times(const hs_exec *exec, hs_exec_report *r)
{
    uint64_t settled = r->done - r->resumed + r->failed + r->unrecorded;
    unsigned i;

    r->seconds = last_end(exec);
    for (i = 0; i < exec->spec.workers; i++) {
        const hsi_account *a = exec->worker[i].account;

        r->busy += time_in_bodies(a);
        r->idle += time_without_work(a, hsi_control_start_ns(exec->control), r->seconds);
        r->core_seconds += a->core.used;
        r->core_wait += a->core.waited;
    }
    if (!settled)
        return;
    r->overhead = fmax(0, exec->spec.workers * r->seconds - r->busy) / (double)settled;
    r->dispatch = fmax(0, exec->spec.workers * r->seconds - r->busy - r->idle) / (double)settled;
}

void hsi_report_fill(const hs_exec *exec, uint64_t lost, hs_exec_report *out)
{
    const hsi_results *results = exec->results;
    hs_exec_report     r = {.tasks = hsi_run_task_count(exec),
                            .done = hsi_results_past(results)->done,
                            .resumed = hsi_results_past(results)->done,
                            .failed = hsi_results_event_count(results, HSI_COUNT_FAILED),
                            .unrecorded = hsi_results_event_count(results, HSI_COUNT_UNRECORDED) + lost,
                            .aborted = hsi_results_event_count(results, HSI_COUNT_ABORTED),
                            .retried = hsi_results_event_count(results, HSI_COUNT_RETRIED),
                            .left_out = hsi_results_unselected_tasks(results),
                            .blocked = hsi_results_blocked_tasks(results),
                            .lost_workers =
                                (unsigned)hsi_results_event_count(results, HSI_COUNT_LOST_WORKERS),
                            .gpu_joules = exec->report->energy.joules,
                            .gpu_clock = exec->report->energy.clock,
                            .gpu_clock_max = exec->report->energy.clock_most,
                            .stopped = hsi_control_stop_request(exec->control) != 0};
    unsigned           i;

    for (i = 0; i < exec->spec.workers; i++) {
        const hsi_account *a = exec->worker[i].account;

        r.done += a->done;
        r.verifiable += a->checks[HS_VERIFICATION_SKIPPED] + a->checks[HS_VERIFICATION_PASSED];
        r.verified += a->checks[HS_VERIFICATION_PASSED];
    }
    r.done -= lost;
    r.not_run = r.tasks - r.left_out - r.done - r.failed - r.unrecorded;
    add_times(exec, &r);
    for (i = 0; exec->exchange && hsi_exchange_rank(exec->exchange, i); i++)
        r.seconds = fmax(r.seconds, hsi_exchange_rank(exec->exchange, i)->seconds);
    hsi_sized_copy_out(out, &r, sizeof r);
}

int hs_exec_is_blocked(const hs_exec *exec, uint32_t task, uint32_t *failed)
{
    uint32_t blocker = HS_NONE;

    if (exec && task < hs_instance_tasks(exec->spec.in))
        blocker = hsi_results_blocking_task(exec->results, task);
    if (blocker == HS_NONE || blocker == task)
        return 0;
    if (failed)
        *failed = blocker;
    return 1;
}
