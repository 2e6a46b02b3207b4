/* SPDX-License-Identifier: BSD-3-Clause */
/* Execute a task once, and record the attempt. */
#include "exec/run/worker/worker_private.h"

#include "exec/backend/backends.h"
#include "exec/backend/plugin/call.h"
#include "exec/run/control.h"
#include "exec/run/dispatcher/dispatcher.h"
#include "exec/run/report/report.h"
#include "exec/run/results.h"
#include "exec/run/window/window.h"
#include "support/clock.h"

static const hs_exec_record *add_record(hsi_worker *worker, int64_t start, int64_t end,
                                        hs_outcome outcome)
{
    const int64_t        begin = hsi_control_start_ns(worker->exec->control);
    const hs_attempt    *attempt = &worker->thread->attempt;
    const hs_exec_record record = {.start = 1e-9 * (double)(start - begin),
                                   .end = 1e-9 * (double)(end - begin),
                                   .task = attempt->task,
                                   .number = (uint16_t)attempt->number,
                                   .outcome = (uint16_t)outcome};

    return hsi_account_add_attempt(worker, &record);
}

static hs_exec_attempt describe_end(const hsi_worker *worker, const hs_exec_record *record)
{
    hs_exec_attempt a = {.struct_size = sizeof a,
                         .task = record->task,
                         .number = record->number,
                         .worker = worker->number,
                         .outcome = (hs_outcome)record->outcome,
                         .status = worker->thread->attempt.status,
                         .signal = worker->thread->attempt.signal,
                         .start = record->start,
                         .end = record->end,
                         .date = hsi_control_start_date(worker->exec->control) + record->start};

    if (a.outcome == HS_OUTCOME_ABORTED)
        a.outcome = hsi_outcome_of_abort(worker, &a.timed_out);
    return a;
}

/* Break the run off after a failure of the journal; `unrecorded` done tasks are not in it. */
static void break_off(hs_exec *exec, hs_status st, unsigned unrecorded)
{
    hsi_lock(exec->control);
    hsi_results_count_event(exec->results, HSI_COUNT_UNRECORDED, unrecorded);
    hsi_fail_run(exec, st, "the journal cannot be written");
    hsi_unlock(exec->control);
}

/* Add the attempt to the journal. Return false on failure: the run is broken off, and the task
 * counts as not done. */
static bool put_on_record(hsi_worker *worker, const hs_exec_attempt *a)
{
    hs_exec           *exec = worker->exec;
    const hs_backend  *backend = hsi_worker_body(worker, a->task)->body->backend;
    hsi_journal_record end = {.attempt = *a,
                              .emulated = backend == &hsi_backend_emulated,
                              .called = backend == &hsi_backend_call};
    hs_status          st = hsi_results_record(exec->results, &end);

    if (st == HS_OK)
        return true;
    break_off(exec, st, a->outcome == HS_OUTCOME_DONE);
    return false;
}

bool hsi_attempt_revoke_record(hsi_worker *worker, uint32_t task)
{
    hs_exec  *exec = worker->exec;
    hs_status st = hsi_results_revoke(exec->results, task);

    if (st == HS_OK)
        return true;
    break_off(exec, st, 0);
    return false;
}

/* Report the note of an attempt that succeeded. */
static void report_note(hsi_worker *worker)
{
    const hs_attempt *attempt = &worker->thread->attempt;
    bool              added;

    hsi_lock(worker->exec->control);
    added = hsi_report_add_note(worker, attempt->task, attempt->number);
    hsi_unlock(worker->exec->control);
    if (!added)
        hsi_fail_run_without_memory(worker->exec);
}

hs_outcome hsi_attempt_record_end(hsi_worker *worker, int64_t start, int64_t end,
                                  hs_outcome outcome)
{
    hs_exec              *exec = worker->exec;
    const hs_exec_record *record = add_record(worker, start, end, outcome);
    bool                  recorded = true;

    if (hsi_results_have_journal(exec->results) || exec->spec.settings.report.attempt) {
        hs_exec_attempt a = describe_end(worker, record);

        if (hsi_results_have_journal(exec->results) && a.outcome != HS_OUTCOME_ABORTED)
            recorded = put_on_record(worker, &a);
        if (exec->spec.settings.report.attempt)
            hsi_report_call_attempt(exec, &a);
    }
    if (outcome != HS_OUTCOME_DONE)
        return outcome;
    if (!recorded)
        return HS_OUTCOME_ABORTED;
    if (worker->why[0])
        report_note(worker);
    hsi_account_add_done(worker, worker->thread->attempt.task,
                         worker->thread->attempt.verification);
    if (exec->exchange && hsi_exchange_task_done(exec->exchange, worker->thread->attempt.task))
        hsi_wake_caller(exec->control);
    return outcome;
}

void hsi_attempt_describe(const hsi_worker *worker, uint32_t task, hs_attempt *attempt)
{
    const hs_exec *exec = worker->exec;

    attempt->task = task;
    attempt->number = hsi_results_attempts(exec->results, task) + 1u;
    attempt->status = -1;
    attempt->signal = 0;
    attempt->core_seconds = attempt->core_wait = 0;
    attempt->verification = HS_VERIFICATION_NONE;
    attempt->end = 0;
    attempt->seconds =
        hs_instance_time(exec->spec.in, task, worker->type) * exec->spec.seconds_per_unit;
}

/* Wait until the inputs of an emulated task would have arrived. Return true if the wait was
 * cancelled. */
static bool wait_for_inputs(hsi_worker *worker)
{
    const hs_attempt *attempt = &worker->thread->attempt;
    const int64_t     arrival = hsi_inputs_arrival_ns(worker);
    int64_t           since;

    if (!arrival)
        return false;
    since = hsi_clock_ns();
    return hsi_end_wait_for_inputs(worker, attempt->task, since, hsi_wait_until(attempt, arrival));
}

void hsi_attempt_add_core_time(hsi_worker *worker, double wall)
{
    const hs_attempt   *attempt = &worker->thread->attempt;
    const unsigned      cores = worker->exec->spec.settings.place.cores[worker->type];
    const hsi_core_time time = {attempt->core_seconds, attempt->core_wait};

    hsi_account_add_core_time(
        worker, (hsi_core_time){time.used, hsi_core_wait_for_others(time, wall, cores)});
}

hs_outcome hsi_execute_attempt(hsi_worker *worker, uint32_t task)
{
    const hsi_body   *body = hsi_worker_body(worker, task);
    const hs_backend *backend = hsi_bodies_backend(worker->exec->bodies, body->slot);
    hs_attempt       *attempt = &worker->thread->attempt;
    int64_t           start;
    hs_outcome        outcome;

    hsi_attempt_describe(worker, task, attempt);
    worker->why[0] = '\0';
    if (worker->log)
        hsi_log_begin(worker);
    if (wait_for_inputs(worker) || !hsi_attempt_revoke_record(worker, task)) {
        worker->now = hsi_clock_ns();
        return HS_OUTCOME_ABORTED;
    }
    start = hsi_clock_ns();
    hsi_account_show_task(worker, task, start);
    hsi_window_announce_start(worker, task);
    outcome = backend->run(worker->states[body->slot], body->body, attempt);
    /* the time of verification does not belong to the task */
    worker->now =
        outcome == HS_OUTCOME_DONE && attempt->end > start ? attempt->end : hsi_clock_ns();
    hsi_account_show_no_task(worker);
    hsi_attempt_add_core_time(worker, 1e-9 * (double)(worker->now - start));
    if (worker->log && outcome == HS_OUTCOME_DONE &&
        worker->exec->spec.settings.keep.failed_logs_only)
        hsi_attempt_log_remove(worker);
    return hsi_attempt_record_end(worker, start, worker->now, outcome);
}
