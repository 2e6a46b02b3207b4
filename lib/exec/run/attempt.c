/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/backend/backends.h"
#include "support/atomic.h"
#include "support/clock.h"

static double since_start(const hs_exec *exec, int64_t ns)
{
    return 1e-9 * (double)(ns - exec->control.start_ns);
}

static hs_exec_record *add_record(hsi_worker *worker, int64_t start, int64_t end,
                                  hs_outcome outcome)
{
    hs_exec_record *record = &worker->records.list[worker->records.count++];

    record->start = since_start(worker->exec, start);
    record->end = since_start(worker->exec, end);
    record->task = worker->attempt.task;
    record->number = (uint16_t)worker->attempt.number;
    record->outcome = (uint16_t)outcome;
    return record;
}

/* Set timed_out, and turn an aborted attempt into a failed one unless a spoliation or a halt caused
 * it. */
static void find_cause(const hsi_worker *worker, hs_exec_attempt *a)
{
    hs_exec *exec = worker->exec;

    if (a->outcome != HS_OUTCOME_ABORTED)
        return;
    hsi_lock(&exec->control);
    a->timed_out = worker->turn.cause == HSI_TIMED_OUT;
    if (a->timed_out || (worker->turn.cause == HSI_NOT_CANCELLED && !exec->control.halt))
        a->outcome = HS_OUTCOME_FAILED;
    hsi_unlock(&exec->control);
}

static hs_exec_attempt describe_end(const hsi_worker *worker, const hs_exec_record *record)
{
    hs_exec_attempt a = {.struct_size = sizeof a,
                         .task = record->task,
                         .number = record->number,
                         .worker = worker->number,
                         .outcome = (hs_outcome)record->outcome,
                         .status = worker->attempt.status,
                         .signal = worker->attempt.signal,
                         .start = record->start,
                         .end = record->end,
                         .date = worker->exec->control.start_date + record->start};

    find_cause(worker, &a);
    return a;
}

static void break_off(hs_exec *exec, hs_status st, unsigned unrecorded)
{
    hsi_lock(&exec->control);
    hsi_results_count(exec->results, HSI_COUNT_UNRECORDED, unrecorded);
    hsi_break_off(exec, st, "the journal cannot be written");
    hsi_unlock(&exec->control);
}

/* Add the attempt to the journal. Return false on failure: the run is broken off, and the task
 * counts as not done. */
static bool put_on_record(hsi_worker *worker, const hs_exec_attempt *a)
{
    hs_exec           *exec = worker->exec;
    const hsi_body    *body = hsi_worker_body(worker, a->task);
    hsi_journal_record end = {*a, exec->bodies.backends[body->slot] == &hsi_backend_emulated};
    hs_status          st = hsi_results_record(exec->results, &end);

    if (st == HS_OK)
        return true;
    break_off(exec, st, a->outcome == HS_OUTCOME_DONE);
    return false;
}

bool hsi_attempt_undo(hsi_worker *worker, uint32_t task)
{
    hs_exec  *exec = worker->exec;
    hs_status st = hsi_results_revoke(exec->results, task);

    if (st == HS_OK)
        return true;
    break_off(exec, st, 0);
    return false;
}

static void report_attempt(hs_exec *exec, const hs_exec_attempt *a)
{
    pthread_mutex_lock(&exec->callbacks);
    exec->work.settings.report.attempt(exec->work.settings.report.data, a);
    pthread_mutex_unlock(&exec->callbacks);
}

/* Close worker->attempt: keep its record, and count the task if it is done. The journal gets the
 * record before another worker may try the task. */
hs_outcome hsi_attempt_close(hsi_worker *worker, int64_t start, int64_t end, hs_outcome outcome)
{
    hs_exec              *exec = worker->exec;
    const hs_exec_record *record = add_record(worker, start, end, outcome);
    bool                  recorded = true;

    if (hsi_results_have_journal(exec->results) || exec->work.settings.report.attempt) {
        hs_exec_attempt a = describe_end(worker, record);

        if (hsi_results_have_journal(exec->results) && a.outcome != HS_OUTCOME_ABORTED)
            recorded = put_on_record(worker, &a);
        if (exec->work.settings.report.attempt)
            report_attempt(exec, &a);
    }
    if (outcome != HS_OUTCOME_DONE)
        return outcome;
    if (!recorded)
        return HS_OUTCOME_ABORTED;
    if (worker->why[0])
        hsi_done_note(worker);
    worker->checks[worker->attempt.verification]++;
    hsi_atomic_store64(&worker->gauge.done, worker->gauge.done + 1);
    if (exec->work.settings.report.progress)
        hsi_gauge_add(&worker->gauge, exec->work.in, worker->attempt.task);
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
        hs_instance_time(exec->work.in, task, worker->type) * exec->work.seconds_per_unit;
}

/*
 * Wait until the inputs of an emulated task would have arrived. The task has started then: the
 * policy may have to know, and the GPU chooses its next task. Return true if the wait was
 * cancelled.
 */
static bool wait_for_inputs(hsi_worker *worker)
{
    hs_exec *exec = worker->exec;
    bool     cancelled, given_up;
    int64_t  since, now;

    if (!worker->turn.inputs_at)
        return false;
    since = hsi_clock_ns();
    cancelled = hsi_wait_until(&worker->attempt, worker->turn.inputs_at);
    hsi_lock(&exec->control);
    given_up = cancelled && worker->turn.cause != HSI_TIMED_OUT;
    if (!given_up)
        worker->turn.inputs_at = 0;
    now = hsi_clock_ns();
    hsi_note_wait(worker, worker, worker->attempt.task, since, now);
    if (!cancelled) {
        hs_policy_collect_ready(exec->policy, hsi_policy_time(exec, now), NULL, &exec->wake);
        hsi_reconsider(exec, now);
    }
    hsi_unlock(&exec->control);
    return given_up;
}

/* Add the core time of the processes of an attempt that lasted `wall` seconds. */
static void note_core_time(hsi_worker *worker, double wall)
{
    const hsi_core_time time = {worker->attempt.core_seconds, worker->attempt.core_wait};

    worker->core.used += time.used;
    worker->core.waited +=
        hsi_core_wait_for_others(time, wall, worker->exec->work.settings.place.cores[worker->type]);
}

hs_outcome hsi_attempt(hsi_worker *worker, uint32_t task)
{
    const hsi_body   *body = hsi_worker_body(worker, task);
    const hs_backend *backend = worker->exec->bodies.backends[body->slot];
    int64_t           start;
    hs_outcome        outcome;

    hsi_attempt_describe(worker, task, &worker->attempt);
    worker->why[0] = '\0';
    if (worker->log)
        hsi_recorder_begin(worker);
    if (wait_for_inputs(worker) || !hsi_attempt_undo(worker, task)) {
        worker->now = hsi_clock_ns();
        return HS_OUTCOME_ABORTED;
    }
    start = hsi_clock_ns();
    hsi_gauge_show(&worker->gauge, task, start);
    hsi_announce_next(worker, task);
    outcome = backend->run(worker->states[body->slot], body->body, &worker->attempt);
    /* the time of verification does not belong to the task */
    worker->now = outcome == HS_OUTCOME_DONE && worker->attempt.end > start ? worker->attempt.end
                                                                            : hsi_clock_ns();
    hsi_atomic_store64(&worker->gauge.running_since, 0);
    note_core_time(worker, 1e-9 * (double)(worker->now - start));
    if (worker->log && outcome == HS_OUTCOME_DONE &&
        worker->exec->work.settings.keep.failed_logs_only)
        hsi_recorder_remove(worker);
    return hsi_attempt_close(worker, start, worker->now, outcome);
}
