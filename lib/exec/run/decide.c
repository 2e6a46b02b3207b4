/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/run/dispatcher.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/atomic.h"
#include "support/clock.h"

static double policy_time(hs_exec *exec, int64_t now)
{
    if (now > exec->control.latest)
        exec->control.latest = now;
    return 1e-9 * (double)(exec->control.latest - exec->control.start_ns) /
           exec->work.seconds_per_unit;
}

static int64_t wall_time(const hs_exec *exec, double time)
{
    double ns = ceil(1e9 * time * exec->work.seconds_per_unit);

    return ns < 9e18 - (double)exec->control.start_ns ? exec->control.start_ns + (int64_t)ns
                                                      : HSI_FAR;
}

static int is_active(hsi_phase phase)
{
    return phase == HSI_OWN || phase == HSI_RUN;
}

static void enter(hsi_worker *worker, hsi_phase phase, int64_t now)
{
    hs_exec  *exec = worker->exec;
    hsi_phase old = worker->turn.phase;

    if (phase == old)
        return;
    worker->turn.phase = phase;
    exec->control.active += (unsigned)(is_active(phase) - is_active(old));
    exec->control.waiting += (unsigned)((phase == HSI_WAIT) - (old == HSI_WAIT));
    if (old != HSI_WAIT)
        worker->turn.waiting_since = now;
    else if (phase == HSI_RUN)
        worker->idle_ns += now > worker->turn.waiting_since ? now - worker->turn.waiting_since : 0;
    if (old == HSI_WAIT)
        pthread_cond_signal(&worker->turn.wake);
}

/* The worker runs nothing more. */
void hsi_retreat(hsi_worker *worker)
{
    enter(worker, HSI_LEAVE, worker->now);
}

static void wait_until(hsi_worker *worker, int64_t until, int64_t now)
{
    int sleeps_too_long = worker->turn.phase == HSI_WAIT && until < worker->turn.until;

    worker->turn.until = until;
    enter(worker, HSI_WAIT, now);
    if (sleeps_too_long)
        pthread_cond_signal(&worker->turn.wake);
}

static void raise_flag(hsi_worker *worker)
{
    const uint64_t one = 1;

    hsi_atomic_store(&worker->cancel, 1);
    while (write(worker->wake_fd, &one, sizeof one) < 0 && errno == EINTR)
        continue;
}

static void lower_flag(hsi_worker *worker)
{
    uint64_t count;

    hsi_atomic_store(&worker->cancel, 0);
    while (read(worker->wake_fd, &count, sizeof count) < 0 && errno == EINTR)
        continue;
}

/* The task that it has been given, begun or not; hsi_settle() is the end of that. */
void hsi_cancel(hsi_worker *worker, hsi_cause cause)
{
    if (worker->turn.cause != HSI_NOT_CANCELLED)
        return;
    worker->turn.cause = cause;
    raise_flag(worker);
}

/* Flags that are raised here stay: nothing starts after it. */
void hsi_halt(hs_exec *exec, hs_exec_stop_how how)
{
    unsigned i;

    if ((int)how <= exec->control.halt)
        return;
    hsi_atomic_store(&exec->control.halt, (int)how);
    for (i = 0; i < exec->work.workers; i++) {
        hsi_worker *w = &exec->worker[i];

        if (w->turn.phase == HSI_WAIT)
            enter(w, HSI_LEAVE, exec->control.latest);
        if (how == HS_STOP_NOW)
            raise_flag(w);
    }
}

void hsi_break_off(hs_exec *exec, hs_status status, const char *why)
{
    if (exec->control.status == HS_OK) {
        exec->control.status = status;
        snprintf(exec->control.why, sizeof exec->control.why, "%s", why);
    }
    hsi_halt(exec, HS_STOP_DRAIN);
}

/* When an attempt has ended, so that the next one is not hit. */
static void forget_cancel(hsi_worker *worker)
{
    if (worker->turn.cause != HSI_NOT_CANCELLED && !worker->exec->control.halt)
        lower_flag(worker);
    worker->turn.cause = HSI_NOT_CANCELLED;
    worker->turn.deadline = HSI_FAR;
}

/* Before an attempt: how long it may take. */
void hsi_begin(hsi_worker *worker, uint32_t task)
{
    const hs_exec          *exec = worker->exec;
    const hs_exec_settings *s = &exec->work.settings;
    double                  seconds = INFINITY;

    if (!exec->work.timed)
        return;
    if (s->timeout > 0)
        seconds = s->timeout;
    if (s->timeout_factor > 0)
        seconds = fmin(seconds, s->timeout_factor * exec->work.seconds_per_unit *
                                    hs_instance_time(exec->work.in, task, worker->type));
    worker->turn.limit = seconds;
    worker->turn.deadline = seconds < 9e9 ? hsi_clock_ns() + (int64_t)(1e9 * seconds) : HSI_FAR;
    if (worker->turn.deadline < exec->control.next_look)
        hsi_wake_caller(&exec->control);
}

static void take_over(hsi_worker *worker, hsi_worker *victim, int64_t now)
{
    worker->turn.victim = victim;
    victim->turn.thief = worker;
    wait_until(worker, HSI_FAR, now);
    hsi_cancel(victim, HSI_TAKEN);
}

/* What does an idle worker do next? */
void hsi_decide(hsi_worker *worker, int64_t now)
{
    hs_exec    *exec = worker->exec;
    hs_decision d;

    if (worker->turn.phase == HSI_LEAVE)
        return;
    if (exec->control.halt) {
        enter(worker, HSI_LEAVE, now);
        return;
    }
    hs_policy_next(exec->policy, worker->number, policy_time(exec, now), &d, NULL);
    switch (d.kind) {
    case HS_DECIDE_START:
        worker->turn.task = d.task;
        enter(worker, HSI_RUN, now);
        break;
    case HS_DECIDE_TAKE:
        take_over(worker, &exec->worker[d.victim], now);
        break;
    case HS_DECIDE_WAIT:
        wait_until(worker, wall_time(exec, d.until), now);
        break;
    }
}

/* GPUs first, then lower numbers, as under the virtual clock. */
static int ask_waiting(hs_exec *exec, unsigned from, unsigned to, int64_t now)
{
    int      started = 0;
    unsigned i;

    for (i = from; i < to && exec->control.waiting; i++) {
        hsi_worker *w = &exec->worker[i];

        if (w->turn.phase != HSI_WAIT || w->turn.victim)
            continue;
        hsi_decide(w, now);
        started |= w->turn.phase == HSI_RUN;
    }
    return started;
}

static void dismiss_all(hs_exec *exec)
{
    unsigned i;

    for (i = 0; i < exec->work.workers; i++)
        if (exec->worker[i].turn.phase == HSI_WAIT)
            enter(&exec->worker[i], HSI_LEAVE, exec->control.latest);
}

/* Something has happened: what do those do who wait? What one of them starts, another
 * may take. When nobody runs anything all is over: a moment that somebody waits for was
 * to look at what was running. */
void hsi_reconsider(hs_exec *exec, int64_t now)
{
    while (exec->control.waiting && (ask_waiting(exec, exec->work.cpus, exec->work.workers, now) |
                                     ask_waiting(exec, 0, exec->work.cpus, now)))
        continue;
    if (!exec->control.active && exec->control.waiting)
        dismiss_all(exec);
}

static void tell(const hsi_worker *worker, uint32_t task, hs_ending how)
{
    hs_exec *exec = worker->exec;

    hs_policy_ended(exec->policy, worker->number, task, how, policy_time(exec, worker->now), NULL);
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
    hs_policy_retire(exec->policy, worker->number, NULL);
    enter(worker, HSI_LEAVE, worker->now);
    while (hs_policy_stranded(exec->policy, &stranded)) {
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
        if (worker->turn.phase == HSI_RUN)
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
    forget_cancel(worker);
    release_thief(worker);
    return again;
}
