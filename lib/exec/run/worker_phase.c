/* SPDX-License-Identifier: BSD-3-Clause */
/* Change the state of workers: the phase, the cancellation of the present attempt and its deadline.
 * Hold the lock. policy_decisions.c makes the decisions. */
#include "exec/run/run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "core/error.h"
#include "support/atomic.h"
#include "support/clock.h"

static bool is_active(hsi_phase phase)
{
    return phase == HSI_OWN || phase == HSI_RUN;
}

void hsi_enter(hsi_worker *worker, hsi_phase phase, int64_t now)
{
    hs_exec  *exec = worker->exec;
    hsi_phase old = worker->turn.phase;

    if (phase == old)
        return;
    worker->turn.phase = phase;
    hsi_atomic_store(&worker->turn.waits, phase == HSI_WAIT);
    exec->control.active += (unsigned)(is_active(phase) - is_active(old));
    exec->control.waiting += (unsigned)((phase == HSI_WAIT) - (old == HSI_WAIT));
    if (old == HSI_WAIT && phase == HSI_RUN)
        worker->idle_ns += now > worker->turn.waiting_since ? now - worker->turn.waiting_since : 0;
    if (old != HSI_WAIT || phase == HSI_RUN)
        worker->turn.waiting_since = now;
    if (old == HSI_WAIT)
        pthread_cond_signal(&worker->turn.wake);
}

/* Let the worker leave the run. A task decided on after the last attempt does not start. */
void hsi_retreat(hsi_worker *worker)
{
    int64_t given = worker->turn.waiting_since;

    hsi_enter(worker, HSI_LEAVE, given > worker->now ? given : worker->now);
}

void hsi_sleep_until(hsi_worker *worker, int64_t until, int64_t now)
{
    bool sleeps_too_long = worker->turn.phase == HSI_WAIT && until < worker->turn.until;

    worker->turn.until = until;
    hsi_enter(worker, HSI_WAIT, now);
    if (sleeps_too_long)
        pthread_cond_signal(&worker->turn.wake);
}

static void raise_flag(hsi_worker *worker, hs_cancel why)
{
    const uint64_t one = 1;

    hsi_atomic_store(&worker->cancel, (int)why);
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

/* Cancel the task that the worker was given, started or not, until hsi_settle(). */
void hsi_cancel(hsi_worker *worker, hsi_cause cause)
{
    if (worker->turn.cause != HSI_NOT_CANCELLED)
        return;
    worker->turn.cause = cause;
    raise_flag(worker, cause == HSI_SPOLIATED ? HS_CANCEL_SPOLIATED : HS_CANCEL_STOP);
}

/* Halt the run. The flags raised here stay up, since no task starts afterwards. */
void hsi_halt(hs_exec *exec, hs_exec_stop_mode how)
{
    unsigned i;

    if ((int)how <= exec->control.halt)
        return;
    hsi_atomic_store(&exec->control.halt, (int)how);
    for (i = 0; i < exec->work.workers; i++) {
        hsi_worker *w = &exec->worker[i];

        if (w->turn.phase == HSI_WAIT)
            hsi_enter(w, HSI_LEAVE, exec->control.latest);
        if (how == HS_STOP_NOW)
            raise_flag(w, HS_CANCEL_STOP);
    }
}

void hsi_break_off(hs_exec *exec, hs_status status, const char *why)
{
    if (exec->control.fault.status == HS_OK)
        hsi_error_set(&exec->control.fault, status, "%s", why);
    hsi_halt(exec, HS_STOP_DRAIN);
}

/* End a cancellation after the cancelled attempt and before the next. */
void hsi_forget_cancel(hsi_worker *worker)
{
    if (worker->turn.cause != HSI_NOT_CANCELLED && !worker->exec->control.halt)
        lower_flag(worker);
    worker->turn.cause = HSI_NOT_CANCELLED;
    worker->turn.deadline = HSI_FAR;
}

/* Return the time allowed for the task, in seconds: its own, or that of the settings; INFINITY:
 * none. */
static double timeout_of(const hsi_work *work, uint32_t task, hs_type type)
{
    const hs_exec_settings *s = &work->settings;
    double                  seconds = s->fail.timeout > 0 ? s->fail.timeout : INFINITY;
    hs_task                 row;

    hs_instance_row(work->in, hs_instance_row_of(work->in, task), &row);
    if (isfinite(row.timeout))
        return row.timeout * work->seconds_per_unit;
    if (s->fail.timeout_factor > 0)
        seconds = fmin(seconds, s->fail.timeout_factor * work->seconds_per_unit *
                                    hs_instance_time(work->in, task, type));
    return seconds;
}

/* Set the deadline of the next attempt. */
void hsi_begin(hsi_worker *worker, uint32_t task)
{
    const hs_exec *exec = worker->exec;
    double         seconds;

    if (!exec->work.timed)
        return;
    seconds = timeout_of(&exec->work, task, worker->type);
    worker->turn.limit = seconds;
    worker->turn.deadline = seconds < 9e9 ? hsi_clock_ns() + (int64_t)(1e9 * seconds) : HSI_FAR;
    if (worker->turn.deadline < exec->control.next_look)
        hsi_wake_caller(&exec->control);
}
