/* SPDX-License-Identifier: BSD-3-Clause */
/* The caller's thread during a run: it waits for the end, for hs_exec_stop(), for the next deadline
 * and for the next report of progress. */
#include "exec/run/run.h"

#include "exec/run/control.h"
#include "exec/run/dispatcher/dispatcher.h"
#include "exec/run/report/report.h"
#include "support/clock.h"

void hs_exec_stop(hs_exec *exec, hs_exec_stop_mode how)
{
    if (exec && (how == HS_STOP_DRAIN || how == HS_STOP_NOW))
        hsi_control_request_stop(exec->control, how);
}

static void obey_stop_request(hs_exec *exec)
{
    int stop = hsi_control_stop_request(exec->control);

    if (stop)
        hsi_halt_run(exec, stop & HS_STOP_NOW ? HS_STOP_NOW : HS_STOP_DRAIN);
}

/* Return the time in ns of the next report of progress after a report at `last`; HSI_FAR: none. */
static int64_t next_progress(const hs_exec *exec, int64_t last)
{
    return exec->spec.settings.report.progress
               ? last + (int64_t)(1e9 * exec->spec.settings.report.progress_interval)
               : HSI_FAR;
}

void hsi_run_caller_thread(hs_exec *exec)
{
    int64_t progress = next_progress(exec, hsi_control_start_ns(exec->control)), deadline, next;
    bool    present;

    do {
        hsi_lock(exec->control);
        obey_stop_request(exec);
        deadline = hsi_enforce_deadlines(exec);
        present = hsi_control_has_threads(exec->control);
        hsi_unlock(exec->control);
        hsi_report_failures(exec);
        next = hsi_run_serve_ranks(exec);
        next = deadline < next ? deadline : next;
        if (present)
            hsi_control_wait_for_event(exec->control, next < progress ? next : progress);
        if (hsi_clock_ns() >= progress) {
            hsi_report_progress(exec);
            progress = next_progress(exec, hsi_clock_ns());
        }
    } while (present);
    if (exec->spec.settings.report.progress)
        hsi_report_progress(exec);
}
