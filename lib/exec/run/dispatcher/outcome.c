/* SPDX-License-Identifier: BSD-3-Clause */
/* Settle a task after an attempt: report the ending to the policy, or keep the task for a retry. */
#include "exec/run/dispatcher/dispatcher_private.h"

#include <math.h>
#include <stdio.h>

#include "exec/run/report/report.h"

static void end_task(const hsi_worker *worker, uint32_t task, hs_ending how)
{
    hs_exec       *exec = worker->exec;
    hsi_task_state state = how == HS_ENDING_DONE      ? HSI_TASK_OVER
                           : how == HS_ENDING_DROPPED ? HSI_TASK_FAILED
                                                      : HSI_TASK_FREE;

    if (how != HS_ENDING_HELD)
        hsi_results_set_state(exec->results, task, state);
    hs_policy_ended(exec->policy, worker->number, task, how, hsi_policy_time(exec, worker->now),
                    &exec->dispatcher->wake);
}

void hsi_own_task_done(hsi_worker *worker, uint32_t task)
{
    hs_exec *exec = worker->exec;
    hs_wake  wake = {0};
    unsigned i;

    if (exec->dispatcher
            ->own_list_may_resume) /* in-flight tasks may wait for this one: see plan_prefetch.c */
        hsi_results_set_state(exec->results, task, HSI_TASK_OVER);
    hs_policy_ended(exec->policy, worker->number, task, HS_ENDING_DONE,
                    hsi_time_since_start(exec, worker->now), &wake);
    if (!wake.types && !wake.count && !worker->dispatch->row.length)
        return;
    hsi_lock(exec->control);
    worker->dispatch->row.length = 0;
    exec->dispatcher->wake.types |= wake.types;
    for (i = 0; i < wake.count; i++)
        hs_wake_worker(&exec->dispatcher->wake, wake.worker[i]);
    if (hsi_results_event_count(exec->results, HSI_COUNT_LOST_WORKERS))
        hsi_fail_stranded(worker);
    hsi_decide_for_woken_workers(exec, worker->now);
    hsi_unlock(exec->control);
}

/* Let the thief that waited for the end of this attempt ask the policy first. */
static void release_thief(hsi_worker *worker, uint32_t task)
{
    hsi_worker *thief = worker->dispatch->thief;

    worker->dispatch->thief = NULL;
    if (!thief)
        return;
    thief->dispatch->victim = NULL;
    hsi_account_add_wait(thief, worker, task, thief->dispatch->victim_since, worker->now);
    if (thief->dispatch->victim_since < worker->now)
        thief->dispatch->victim_since = worker->now;
    hsi_decide_for_thief(thief, worker->now);
}

/* Report a failed attempt; break the run off if memory is short. */
static void report_failure(hsi_worker *worker, uint32_t task, bool final, unsigned retired,
                           const char *why)
{
    if (!hsi_report_add_failure(worker, task, final, retired, why))
        hsi_fail_run(worker->exec, HS_ENOMEM, hs_status_text(HS_ENOMEM));
}

static void fail_for_good(hsi_worker *worker)
{
    hs_exec *exec = worker->exec;

    hsi_results_count_event(exec->results, HSI_COUNT_FAILED, 1);
    if (exec->spec.settings.fail.halt == HS_HALT_SOON)
        hsi_halt_run(exec, HS_STOP_DRAIN);
    else if (exec->spec.settings.fail.halt == HS_HALT_NOW)
        hsi_halt_run(exec, HS_STOP_NOW);
}

void hsi_fail_stranded(hsi_worker *worker)
{
    hs_exec *exec = worker->exec;
    uint32_t stranded;
    int      of_policy;

    while ((of_policy = hs_policy_take_stranded(exec->policy, &stranded)) ||
           hsi_retry_stranded(exec, &stranded)) {
        if (of_policy &&
            !hsi_results_change_state(exec->results, stranded, HSI_TASK_FREE, HSI_TASK_FAILED)) {
            hs_error fault;

            hsi_impossible_loss(exec->spec.in, stranded, hsi_policy_time(exec, worker->now),
                                &fault);
            hsi_fail_run(exec, HS_ESCHEDULE, fault.why);
            return;
        }
        hs_wake_all(&exec->dispatcher->wake);
        report_failure(worker, stranded, true, 0, "no worker in service can run this task");
        if (!of_policy)
            end_task(worker, stranded, HS_ENDING_DROPPED);
        fail_for_good(worker);
    }
}

/* Take the worker out of service, and give its list and its chosen task back to the policy. */
static void leave_service(hsi_worker *worker)
{
    hs_exec *exec = worker->exec;

    hsi_results_count_event(exec->results, HSI_COUNT_LOST_WORKERS, 1);
    while (worker->dispatch->own && worker->dispatch->own_next < worker->dispatch->own_count)
        hsi_results_set_state(exec->results, worker->dispatch->own[worker->dispatch->own_next++],
                              HSI_TASK_FREE);
    hsi_drop_chosen_task(worker, HS_ENDING_RETURNED, worker->now);
    hs_policy_retire(exec->policy, worker->number, &exec->dispatcher->wake);
    hs_wake_all(&exec->dispatcher->wake);
    hsi_set_phase(worker, HSI_LEAVE, worker->now);
    hsi_fail_stranded(worker);
}

/* Keep a failed task for a retry. The delay doubles with each failure of the task. */
static void try_again_later(hsi_worker *worker, uint32_t task)
{
    enum {
        MOST = 60
    }; /* the longest delay in seconds, unless settings.fail.retry_delay is longer */
    hs_exec *exec = worker->exec;
    double   delay = exec->spec.settings.fail.retry_delay, most = fmax(delay, MOST);
    unsigned i;

    for (i = 1; i < hsi_results_failures(exec->results, task) && delay < most; i++)
        delay *= 2;
    if (!hsi_retry_add(worker, task, worker->now + (int64_t)(1e9 * fmin(delay, most))))
        hsi_fail_run(exec, HS_ENOMEM, hs_status_text(HS_ENOMEM));
    end_task(worker, task, HS_ENDING_HELD);
}

static void settle_failure(hsi_worker *worker, uint32_t task)
{
    hs_exec *exec = worker->exec;
    bool     final = hsi_results_failures(exec->results, task) >= exec->spec.settings.fail.retries;
    unsigned retired;

    hsi_results_count_failure(exec->results, task);
    retired = hsi_count_consecutive_failure(worker);
    report_failure(worker, task, final, retired, NULL);
    if (final) {
        end_task(worker, task, HS_ENDING_DROPPED);
        fail_for_good(worker);
    } else if (hsi_control_halt(exec->control)) {
        end_task(worker, task, HS_ENDING_RETURNED);
    } else {
        hsi_results_count_event(exec->results, HSI_COUNT_RETRIED, 1);
        if (worker->dispatch->thief)
            end_task(worker, task, HS_ENDING_ABORTED); /* the thief makes the next attempt */
        else
            try_again_later(worker, task);
    }
    if (retired)
        leave_service(worker);
}

/* Retire a lost worker. Give the task back to the policy, or a retry to the retries. */
static void retire(hsi_worker *worker, uint32_t task)
{
    report_failure(worker, task, false, 1, NULL);
    if (worker->dispatch->is_retry)
        try_again_later(worker, task);
    else
        end_task(worker, task, HS_ENDING_RETURNED);
    leave_service(worker);
}

/* Return true if the aborted attempt counts as failed: it timed out, or was not cancelled. The
 * reason is then in worker->why. */
static bool is_failure(hsi_worker *worker)
{
    if (worker->dispatch->cause == HSI_TIMED_OUT) {
        snprintf(worker->why, sizeof worker->why, "timed out after %.4g s",
                 worker->dispatch->limit);
        return true;
    }
    if (worker->dispatch->cause == HSI_SPOLIATED || hsi_control_halt(worker->exec->control))
        return false;
    snprintf(worker->why, sizeof worker->why, "the task ended as aborted, but was not cancelled");
    return true;
}

static void settle_abortion(hsi_worker *worker, uint32_t task)
{
    hs_exec *exec = worker->exec;

    if (is_failure(worker)) {
        settle_failure(worker, task);
        return;
    }
    if (worker->dispatch->thief && !worker->dispatch->inputs_at)
        hsi_results_count_event(exec->results, HSI_COUNT_ABORTED, 1);
    end_task(worker, task, worker->dispatch->thief ? HS_ENDING_ABORTED : HS_ENDING_RETURNED);
}

/* Give a task back that a backend lost together with the worker. The caller retires the worker. */
void hsi_return_lost_task(hsi_worker *worker, uint32_t task)
{
    hsi_results_count_attempt(worker->exec->results, task);
    end_task(worker, task, HS_ENDING_RETURNED);
}

static void settle_done(hsi_worker *worker, uint32_t task)
{
    if (worker->dispatch->is_retry && worker->dispatch->retry.last != worker->number)
        worker->exec->worker[worker->dispatch->retry.last].dispatch->row.done_elsewhere = true;
    worker->dispatch->row.length = 0;
    end_task(worker, task, HS_ENDING_DONE);
}

/* Settle the outcome of an attempt and end its state: retry, cancellation, thief. */
void hsi_settle_attempt(hsi_worker *worker, uint32_t task, hs_outcome outcome)
{
    hs_exec *exec = worker->exec;

    if (outcome != HS_OUTCOME_DONE && !worker->dispatch->inputs_at)
        hsi_results_count_attempt(exec->results, task);
    switch (outcome) {
    case HS_OUTCOME_DONE:
        settle_done(worker, task);
        break;
    case HS_OUTCOME_ABORTED:
        settle_abortion(worker, task);
        break;
    case HS_OUTCOME_LOST:
        retire(worker, task);
        break;
    case HS_OUTCOME_FAILED:
    default:
        settle_failure(worker, task);
        break;
    }
    worker->dispatch->is_retry = false;
    hsi_clear_cancel(worker);
    release_thief(worker, task);
}

hs_outcome hsi_outcome_of_abort(const hsi_worker *worker, bool *timed_out)
{
    hs_exec   *exec = worker->exec;
    hs_outcome outcome = HS_OUTCOME_ABORTED;

    hsi_lock(exec->control);
    *timed_out = worker->dispatch->cause == HSI_TIMED_OUT;
    if (*timed_out ||
        (worker->dispatch->cause == HSI_NOT_CANCELLED && !hsi_control_halt(exec->control)))
        outcome = HS_OUTCOME_FAILED;
    hsi_unlock(exec->control);
    return outcome;
}
