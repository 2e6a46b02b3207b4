/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The policy is asked what idle workers do, and told what became of their tasks. Its calls say
 * whom of those that wait this concerns: exec->wake has them until they are asked.
 */
#include "exec/run/dispatcher.h"

#include <math.h>
#include <stdio.h>

#include "support/atomic.h"
#include "support/clock.h"

/* Why a run is broken off with HS_ESCHEDULE: a policy may be anybody's. */
#define IMPOSSIBLE "the policy decides what cannot be done"

static double time_since_start(const hs_exec *exec, int64_t now)
{
    return 1e-9 * (double)(now - exec->control.start_ns) / exec->work.seconds_per_unit;
}

static double policy_time(hs_exec *exec, int64_t now)
{
    if (now > exec->control.latest)
        exec->control.latest = now;
    return time_since_start(exec, exec->control.latest);
}

static int64_t wall_time(const hs_exec *exec, double time)
{
    double ns = ceil(1e9 * time * exec->work.seconds_per_unit);

    return ns < 9e18 - (double)exec->control.start_ns ? exec->control.start_ns + (int64_t)ns
                                                      : HSI_FAR;
}

static void take_over(hsi_worker *worker, hsi_worker *victim, int64_t now)
{
    worker->turn.victim = victim;
    victim->turn.thief = worker;
    hsi_sleep_until(worker, HSI_FAR, now);
    hsi_cancel(victim, HSI_TAKEN);
}

/* 1: the worker can run it, nobody has it or has done it, and from now on it is the worker's. */
static int claim(hsi_worker *worker, uint32_t task)
{
    hs_exec *exec = worker->exec;

    return task < hs_instance_tasks(exec->work.in) && hsi_worker_body(worker, task)->body &&
           hsi_atomic_change8(&exec->results.state[task], HSI_TASK_FREE, HSI_TASK_RUNS);
}

/* A policy may be anybody's. What a possible decision starts is claimed. */
static int accept_decision(hsi_worker *worker, const hs_decision *d, double now)
{
    const hs_exec  *exec = worker->exec;
    const hsi_turn *victim;

    switch (d->kind) {
    case HS_DECIDE_START:
        return claim(worker, d->task);
    case HS_DECIDE_TAKE:
        if (d->victim >= exec->work.workers)
            return 0;
        victim = &exec->worker[d->victim].turn;
        return victim->phase == HSI_RUN && victim->task == d->task &&
               exec->results.state[d->task] == HSI_TASK_RUNS &&
               (!victim->thief || victim->thief == worker);
    case HS_DECIDE_WAIT:
    default:
        return d->kind == HS_DECIDE_WAIT && d->until > now;
    }
}

/* What does an idle worker do next? */
void hsi_decide(hsi_worker *worker, int64_t now)
{
    hs_exec    *exec = worker->exec;
    hs_decision d;
    double      time;

    if (worker->turn.phase == HSI_LEAVE)
        return;
    if (exec->control.halt) {
        hsi_enter(worker, HSI_LEAVE, now);
        return;
    }
    time = policy_time(exec, now);
    hs_policy_next(exec->policy, worker->number, time, &d, &exec->wake);
    if (!accept_decision(worker, &d, time)) {
        hsi_break_off(exec, HS_ESCHEDULE, IMPOSSIBLE);
        hsi_enter(worker, HSI_LEAVE, now);
        return;
    }
    switch (d.kind) {
    case HS_DECIDE_START:
        worker->turn.task = d.task;
        hsi_enter(worker, HSI_RUN, now);
        break;
    case HS_DECIDE_TAKE:
        take_over(worker, &exec->worker[d.victim], now);
        break;
    case HS_DECIDE_WAIT:
        hsi_sleep_until(worker, wall_time(exec, d.until), now);
        break;
    }
}

static int is_anybody_woken(const hs_wake *wake)
{
    return wake->types || wake->count;
}

/* Those that exec->wake has, of those that wait, get a mark. */
static void mark_woken(hs_exec *exec)
{
    const hs_wake *wake = &exec->wake;
    unsigned       i;

    for (i = 0; wake->types && i < exec->work.workers; i++)
        if (wake->types >> exec->worker[i].type & 1)
            exec->worker[i].turn.woken = 1;
    for (i = 0; i < wake->count; i++)
        if (wake->worker[i] < exec->work.workers)
            exec->worker[wake->worker[i]].turn.woken = 1;
    exec->wake = (hs_wake){0};
}

/*
 * GPUs first, then lower numbers, as under the virtual clock; from the first again when what
 * one of them starts concerns others. Who waits for a task to be handed over is asked then.
 */
static void ask_woken(hs_exec *exec, int64_t now)
{
    unsigned workers = exec->work.workers, i = 0;

    mark_woken(exec);
    while (i < workers) {
        hsi_worker *w = &exec->worker[(exec->work.cpus + i++) % workers];

        if (!w->turn.woken)
            continue;
        w->turn.woken = 0;
        if (w->turn.phase != HSI_WAIT || w->turn.victim)
            continue;
        hsi_decide(w, now);
        if (is_anybody_woken(&exec->wake)) {
            mark_woken(exec);
            i = 0;
        }
    }
}

static void dismiss_all(hs_exec *exec)
{
    unsigned i;

    for (i = 0; i < exec->work.workers; i++)
        if (exec->worker[i].turn.phase == HSI_WAIT)
            hsi_enter(&exec->worker[i], HSI_LEAVE, exec->control.latest);
}

/*
 * Something has happened: those whom it concerns are asked. When nobody runs anything all is
 * over: a moment that somebody waits for was to look at what was running.
 */
void hsi_reconsider(hs_exec *exec, int64_t now)
{
    if (is_anybody_woken(&exec->wake)) {
        if (exec->control.waiting)
            ask_woken(exec, now);
        exec->wake = (hs_wake){0}; /* who does not wait asks for himself */
    }
    if (!exec->control.active && exec->control.waiting)
        dismiss_all(exec);
}

/* All of a list before the start: then workers do not share a cache line from task to task. */
hs_status hsi_claim_own(hsi_worker *worker, char why[HS_WHY])
{
    size_t i;

    worker->own = hs_policy_list(worker->exec->policy, worker->number, &worker->own_count);
    for (i = 0; worker->own && i < worker->own_count; i++)
        if (!claim(worker, worker->own[i])) {
            snprintf(why, HS_WHY, "%s", IMPOSSIBLE);
            return HS_ESCHEDULE;
        }
    return HS_OK;
}

static int claim_next_own(hsi_worker *worker, uint32_t task)
{
    if (!worker->own)
        return claim(worker, task);
    return worker->own_next < worker->own_count && worker->own[worker->own_next++] == task;
}

int hsi_next_own(hsi_worker *worker, uint32_t *task)
{
    hs_exec *exec = worker->exec;

    if (!hs_policy_own(exec->policy, worker->number, task))
        return 0;
    if (claim_next_own(worker, *task))
        return 1;
    hsi_lock(&exec->control);
    hsi_break_off(exec, HS_ESCHEDULE, IMPOSSIBLE);
    hsi_unlock(&exec->control);
    return 0;
}

static void tell(const hsi_worker *worker, uint32_t task, hs_ending how)
{
    hs_exec *exec = worker->exec;
    int      is_over = how == HS_ENDING_DONE || how == HS_ENDING_DROPPED;

    hsi_atomic_store8(&exec->results.state[task], is_over ? HSI_TASK_OVER : HSI_TASK_FREE);
    hs_policy_ended(exec->policy, worker->number, task, how, policy_time(exec, worker->now),
                    &exec->wake);
}

void hsi_own_done(hsi_worker *worker, uint32_t task)
{
    hs_exec *exec = worker->exec;
    hs_wake  wake = {0};
    unsigned i;

    hs_policy_ended(exec->policy, worker->number, task, HS_ENDING_DONE,
                    time_since_start(exec, worker->now), &wake);
    if (!is_anybody_woken(&wake))
        return;
    hsi_lock(&exec->control);
    exec->wake.types |= wake.types;
    for (i = 0; i < wake.count; i++)
        hs_wake_worker(&exec->wake, wake.worker[i]);
    hsi_reconsider(exec, worker->now);
    hsi_unlock(&exec->control);
}

/* Who waited for this worker to abort is the first to be asked. */
static void release_thief(hsi_worker *worker)
{
    hsi_worker *thief = worker->turn.thief;

    worker->turn.thief = NULL;
    if (!thief)
        return;
    thief->turn.victim = NULL;
    hsi_decide(thief, worker->now);
}

static void fail_for_good(hsi_worker *worker)
{
    hs_exec *exec = worker->exec;

    exec->results.failed++;
    if (exec->work.settings.halt == HS_HALT_SOON)
        hsi_halt(exec, HS_STOP_DRAIN);
    else if (exec->work.settings.halt == HS_HALT_NOW)
        hsi_halt(exec, HS_STOP_NOW);
}

static int settle_failure(hsi_worker *worker, uint32_t task)
{
    hs_exec *exec = worker->exec;
    int      final = exec->results.failures[task]++ >= exec->work.settings.retries;

    hsi_failure_note(worker, task, final, NULL);
    if (final) {
        tell(worker, task, HS_ENDING_DROPPED);
        fail_for_good(worker);
    } else if (exec->control.halt) {
        tell(worker, task, HS_ENDING_BACK);
    } else {
        exec->results.retried++;
        if (!worker->turn.thief)
            return 1;
        tell(worker, task, HS_ENDING_ABORTED); /* the next attempt is the thief's */
    }
    return 0;
}

/* The worker itself has failed: its task and what was meant for it go to others. */
static void retire(hsi_worker *worker, uint32_t task)
{
    hs_exec *exec = worker->exec;
    uint32_t stranded;

    exec->results.lost_workers++;
    hsi_failure_note(worker, task, 0, NULL);
    tell(worker, task, HS_ENDING_BACK);
    while (worker->own && worker->own_next < worker->own_count)
        hsi_atomic_store8(&exec->results.state[worker->own[worker->own_next++]], HSI_TASK_FREE);
    hs_policy_retire(exec->policy, worker->number, &exec->wake);
    hsi_enter(worker, HSI_LEAVE, worker->now);
    while (hs_policy_stranded(exec->policy, &stranded)) {
        if (!hsi_atomic_change8(&exec->results.state[stranded], HSI_TASK_FREE, HSI_TASK_OVER)) {
            hsi_break_off(exec, HS_ESCHEDULE, IMPOSSIBLE);
            return;
        }
        hsi_failure_note(worker, stranded, 1, "no worker is left that could run it");
        fail_for_good(worker);
    }
}

/* Why a body gave up: 1 if that is a failure, in worker->why. */
static int gave_up_wrongly(hsi_worker *worker)
{
    if (worker->turn.cause == HSI_TIMED_OUT) {
        snprintf(worker->why, sizeof worker->why, "timed out after %.4g s", worker->turn.limit);
        return 1;
    }
    if (worker->turn.cause == HSI_TAKEN || worker->exec->control.halt)
        return 0;
    snprintf(worker->why, sizeof worker->why, "it gave up although it was not told to");
    return 1;
}

static int settle_abortion(hsi_worker *worker, uint32_t task)
{
    hs_exec *exec = worker->exec;

    if (gave_up_wrongly(worker))
        return settle_failure(worker, task);
    exec->results.aborted += worker->turn.thief != NULL;
    tell(worker, task, worker->turn.thief ? HS_ENDING_ABORTED : HS_ENDING_BACK);
    return 0;
}

/* Taken, and not done: it is for whoever can run it. The worker is about to be lost. */
void hsi_give_back(hsi_worker *worker, uint32_t task)
{
    if (worker->exec->results.attempts[task] < UINT16_MAX - 1)
        worker->exec->results.attempts[task]++;
    tell(worker, task, HS_ENDING_BACK);
}

/* After an attempt: 1 if the worker is to make another one at once. */
int hsi_settle(hsi_worker *worker, uint32_t task, hs_outcome outcome)
{
    hs_exec *exec = worker->exec;
    int      again = 0;

    if (outcome != HS_OUTCOME_DONE && exec->results.attempts[task] < UINT16_MAX - 1)
        exec->results.attempts[task]++;
    switch (outcome) {
    case HS_OUTCOME_DONE:
        tell(worker, task, HS_ENDING_DONE);
        break;
    case HS_OUTCOME_ABORTED:
        again = settle_abortion(worker, task);
        break;
    case HS_OUTCOME_LOST:
        retire(worker, task);
        break;
    case HS_OUTCOME_FAILED:
    default:
        again = settle_failure(worker, task);
        break;
    }
    hsi_forget_cancel(worker);
    release_thief(worker);
    return again;
}
