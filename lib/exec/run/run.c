/* SPDX-License-Identifier: BSD-3-Clause */
/* hs_exec_run(): start the workers, wait for their end, and report the outcome. */
#include "exec/run/run.h"

#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "exec/client/client.h"
#include "exec/error_text.h"
#include "exec/run/control.h"
#include "exec/run/dispatcher/dispatcher.h"
#include "exec/run/report/report.h"
#include "exec/run/results.h"
#include "exec/run/worker/worker.h"

/* Wait for the threads, give the first tasks, and let all threads start at once. */
static void open_gate(hs_exec *exec, unsigned started)
{
    hsi_lock(exec->control);
    hsi_control_start_run(exec->control, started);
    if (hsi_control_stop_request(exec->control))
        hsi_halt_run(exec, HS_STOP_DRAIN);
    hsi_decide_for_all_at_start(exec);
    hsi_control_open_gate(exec->control);
    hsi_unlock(exec->control);
}

static hs_status verdict(const hs_exec *exec, const hs_exec_report *r, hs_error *error)
{
    int used;

    if (r->done + r->left_out == r->tasks)
        return HS_OK;
    used = snprintf(error->why, HS_WHY, "%llu of %llu tasks failed",
                    (unsigned long long)r->failed, (unsigned long long)r->tasks);
    if (r->not_run > 0)
        used += snprintf(error->why + used, HS_WHY - (size_t)used, ", and %llu %s not run",
                         (unsigned long long)r->not_run, r->not_run == 1 ? "was" : "were");
    if (r->blocked && r->blocked == r->not_run)
        snprintf(error->why + used, HS_WHY - (size_t)used, " because predecessors failed");
    else if (r->blocked)
        snprintf(error->why + used, HS_WHY - (size_t)used,
                 ", %llu of them because predecessors failed", (unsigned long long)r->blocked);
    return hsi_control_stop_request(exec->control) ? HS_ECANCELED : HS_EFAILED;
}

static hs_status outcome(const hs_exec *exec, hs_status closed, const hs_exec_report *r,
                         hs_error *error)
{
    if (closed != HS_OK) /* a failure of the journal explains why the run was broken off */
        return closed;
    if (hsi_control_fault(exec->control)->status == HS_OK)
        return verdict(exec, r, error);
    *error = *hsi_control_fault(exec->control);
    return error->status;
}

/* Reset the handle for this run, and write the initial values of the data. */
static hs_status get_ready(hs_exec *exec, hs_error *error)
{
    hs_status st = exec->ran ? hsi_exec_prepare_next_run(exec) : HS_OK;

    if (st == HS_OK)
        st = hsi_run_data_fill(hsi_bodies_data(exec->bodies), error);
    if (st == HS_OK)
        st = hsi_run_begin_ranks(exec, error);
    if (st != HS_OK)
        return st;
    hsi_control_reset(exec->control, exec->spec.workers);
    hsi_report_reset(exec->report);
    hsi_workers_reset(exec);
    hsi_dispatcher_reset(exec);
    exec->ran = true;
    return HS_OK;
}

/* Run all threads from start to end. */
static void run_threads(hs_exec *exec)
{
    hsi_gpu_energy *energy = hsi_gpu_energy_begin(&exec->machine, exec->spec.gpus);
    unsigned        started = hsi_workers_start(exec);

    open_gate(exec, started);
    hsi_run_caller_thread(exec);
    hsi_report_set_energy(exec->report, hsi_gpu_energy_end(energy));
    hsi_workers_join(exec, started);
}

hs_status hs_exec_run(hs_exec *exec, hs_exec_report *report, hs_error *error)
{
    hs_error       fault = {0};
    hs_exec_report full;
    uint64_t       lost;
    hs_status      status;
    int            stop_seen;

    if (!exec || exec->spec.settings.keep.dry_run ||
        (exec->ran && exec->spec.settings.keep.journal))
        return hsi_error_copy_to_caller(error, HS_EINVAL, &fault);
    status = get_ready(exec, &fault);
    if (status != HS_OK)
        return hsi_error_copy_to_caller(error, status, &fault);
    run_threads(exec);
    hsi_run_data_flush(hsi_bodies_data(exec->bodies));
    hsi_report_collect_transfers(exec);
    status = hsi_results_close_journal(exec->results, &lost, &fault);
    if (!exec->exchange && /* else the failed task may be of another rank */
        hsi_results_find_blocked(exec->results, &exec->spec) != HS_OK && status == HS_OK)
        status = HS_ENOMEM;
    stop_seen = hsi_control_stop_request(exec->control);
    hs_exec_report_init(&full);
    hsi_report_fill(exec, lost, &full);
    status = outcome(exec, status, &full, &fault);
    if (status == HS_OK)
        status = hsi_run_end_ranks(exec, &full, &fault);
    if (report)
        hsi_report_fill(exec, lost, report);
    if (status == HS_OK)
        status = hsi_run_data_verify(hsi_bodies_data(exec->bodies), &fault);
    hsi_control_clear_stop(exec->control, stop_seen);
    return hsi_error_copy_to_caller(error, status, &fault);
}
