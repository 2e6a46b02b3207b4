/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of the dispatcher and the phases of workers, cancellation of attempts, and deadlines.
 */
#include "exec/run/dispatcher/dispatcher_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/error.h"
#include "exec/run/report/report.h"
#include "support/atomic.h"
#include "support/clock.h"
#include "support/cond.h"

hs_status hsi_dispatcher_create(hsi_dispatcher **out)
{
    hsi_dispatcher *dispatcher = aligned_alloc(_Alignof(hsi_dispatcher), sizeof *dispatcher);

    if (!dispatcher)
        return HS_ENOMEM;
    *dispatcher = (hsi_dispatcher){.active = 0};
    if (hsi_retries_create(&dispatcher->retries) == HS_OK) {
        *out = dispatcher;
        return HS_OK;
    }
    free(dispatcher);
    return HS_ENOMEM;
}

void hsi_dispatcher_free(hsi_dispatcher *dispatcher)
{
    if (dispatcher)
        hsi_retries_free(dispatcher->retries);
    free(dispatcher);
}

hs_status hsi_turn_create(hsi_worker *worker, hs_error *error)
{
    hsi_turn *turn = aligned_alloc(_Alignof(hsi_turn), sizeof *turn);

    if (!turn)
        return HS_ENOMEM;
    *turn = (hsi_turn){.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (turn->wake_fd < 0) {
        free(turn);
        return hsi_error_set(error, HS_ERESOURCE, "no file descriptor for each of %u workers: %s",
                             worker->exec->spec.workers, strerror(errno));
    }
    if (hsi_cond_init(&turn->wake) != 0) {
        close(turn->wake_fd);
        free(turn);
        return HS_ENOMEM;
    }
    worker->turn = turn;
    return HS_OK;
}

void hsi_turn_free(hsi_worker *worker)
{
    if (!worker->turn)
        return;
    pthread_cond_destroy(&worker->turn->wake);
    close(worker->turn->wake_fd);
    free(worker->turn);
}

void hsi_turn_connect(const hsi_worker *worker, hs_attempt *attempt)
{
    attempt->cancel = &worker->turn->cancel;
    attempt->wake_fd = worker->turn->wake_fd;
}

static void raise_flag(hsi_worker *worker, hs_cancel why)
{
    const uint64_t one = 1;

    hsi_atomic_store(&worker->turn->cancel, (int)why);
    while (write(worker->turn->wake_fd, &one, sizeof one) < 0 && errno == EINTR)
        continue;
}

static void lower_flag(hsi_worker *worker)
{
    uint64_t count;

    hsi_atomic_store(&worker->turn->cancel, 0);
    while (read(worker->turn->wake_fd, &count, sizeof count) < 0 && errno == EINTR)
        continue;
}

/* Reset a worker's turn before a run; keep the objects that hsi_turn_create() created. */
static void reset_turn(hsi_worker *worker)
{
    hsi_turn *turn = worker->turn;

    lower_flag(worker);
    memset(turn, 0, offsetof(hsi_turn, wake));
    turn->chosen = HS_NONE;
    turn->deadline = HSI_FAR;
}

void hsi_dispatcher_reset(hs_exec *exec)
{
    hsi_dispatcher    *d = exec->dispatcher;
    const hs_instance *in = exec->spec.in;
    const hsi_matrix  *matrix = hsi_bodies_matrix(exec->bodies);
    const bool         has_graph = hs_instance_has_graph(in);
    double             latency, bandwidth;
    unsigned           i;

    for (i = 0; i < exec->spec.workers; i++)
        reset_turn(&exec->worker[i]);
    hsi_retries_clear(d->retries);
    d->wake = (hs_wake){0};
    d->active = exec->spec.workers;
    d->waiting = 0;
    d->latest = 0;
    d->next_look = HSI_FAR;
    d->own_list_may_resume = has_graph && !hs_policy_groups_endings(exec->policy);
    d->gpus_prefetch = matrix && matrix->sharing;
    d->gpus_choose_next = has_graph && hs_instance_link(in, HS_H2D, &latency, &bandwidth);
}

void hsi_dispatcher_dismiss(hs_exec *exec, unsigned first)
{
    unsigned i;

    exec->dispatcher->active = first;
    for (i = first; i < exec->spec.workers; i++)
        exec->worker[i].turn->phase = HSI_LEAVE;
}

static bool is_active(hsi_phase phase)
{
    return phase == HSI_OWN || phase == HSI_RUN;
}

void hsi_enter(hsi_worker *worker, hsi_phase phase, int64_t now)
{
    hs_exec  *exec = worker->exec;
    hsi_phase old = worker->turn->phase;

    if (phase == old)
        return;
    worker->turn->phase = phase;
    hsi_atomic_store(&worker->turn->waits, phase == HSI_WAIT);
    exec->dispatcher->active += (unsigned)(is_active(phase) - is_active(old));
    exec->dispatcher->waiting += (unsigned)((phase == HSI_WAIT) - (old == HSI_WAIT));
    if (old == HSI_WAIT && phase == HSI_RUN)
        hsi_account_add_idle(
            worker, now > worker->turn->waiting_since ? now - worker->turn->waiting_since : 0);
    if (old != HSI_WAIT || phase == HSI_RUN)
        worker->turn->waiting_since = now;
    if (phase == HSI_LEAVE)
        hsi_account_set_idle_since(worker, worker->turn->waiting_since);
    if (old == HSI_WAIT)
        pthread_cond_signal(&worker->turn->wake);
}

/* A task that was chosen for the worker after its last attempt does not start. */
void hsi_retreat(hsi_worker *worker)
{
    int64_t given = worker->turn->waiting_since;

    hsi_enter(worker, HSI_LEAVE, given > worker->now ? given : worker->now);
}

void hsi_sleep_until(hsi_worker *worker, int64_t until, int64_t now)
{
    bool sleeps_too_long = worker->turn->phase == HSI_WAIT && until < worker->turn->until;

    worker->turn->until = until;
    hsi_enter(worker, HSI_WAIT, now);
    if (sleeps_too_long)
        pthread_cond_signal(&worker->turn->wake);
}

void hsi_cancel(hsi_worker *worker, hsi_cause cause)
{
    if (worker->turn->cause != HSI_NOT_CANCELLED)
        return;
    worker->turn->cause = cause;
    raise_flag(worker, cause == HSI_SPOLIATED ? HS_CANCEL_SPOLIATED : HS_CANCEL_STOP);
}

/* The cancel flags of HS_STOP_NOW stay set, since no task starts after a halt. */
void hsi_halt(hs_exec *exec, hs_exec_stop_mode how)
{
    unsigned i;

    if ((int)how <= hsi_control_halt(exec->control))
        return;
    hsi_control_set_halt(exec->control, how);
    for (i = 0; i < exec->spec.workers; i++) {
        hsi_worker *w = &exec->worker[i];

        if (w->turn->phase == HSI_WAIT)
            hsi_enter(w, HSI_LEAVE, exec->dispatcher->latest);
        if (how == HS_STOP_NOW)
            raise_flag(w, HS_CANCEL_STOP);
    }
}

void hsi_break_off(hs_exec *exec, hs_status status, const char *why)
{
    hsi_control_set_fault(exec->control, status, why);
    hsi_halt(exec, HS_STOP_DRAIN);
}

void hsi_break_off_without_memory(hs_exec *exec)
{
    hsi_lock(exec->control);
    hsi_break_off(exec, HS_ENOMEM, hs_status_text(HS_ENOMEM));
    hsi_unlock(exec->control);
}

/* A halted run keeps its cancel flags. */
void hsi_end_cancel(hsi_worker *worker)
{
    if (worker->turn->cause != HSI_NOT_CANCELLED && !hsi_control_halt(worker->exec->control))
        lower_flag(worker);
    worker->turn->cause = HSI_NOT_CANCELLED;
    worker->turn->deadline = HSI_FAR;
}

/* Return the time allowed for the task, in seconds: its own, or that of the settings; INFINITY:
 * none. */
static double timeout_of(const hsi_run_spec *spec, uint32_t task, hs_type type)
{
    const hs_exec_settings *s = &spec->settings;
    double                  seconds = s->fail.timeout > 0 ? s->fail.timeout : INFINITY;
    hs_task                 row;

    hs_instance_row(spec->in, hs_instance_row_of(spec->in, task), &row);
    if (isfinite(row.timeout))
        return row.timeout * spec->seconds_per_unit;
    if (s->fail.timeout_factor > 0 &&
        !hs_cost_is_guess(hs_instance_source(spec->in, task, type)))
        seconds = fmin(seconds, s->fail.timeout_factor * spec->seconds_per_unit *
                                    hs_instance_time(spec->in, task, type));
    return seconds;
}

void hsi_set_deadline(hsi_worker *worker, uint32_t task)
{
    const hs_exec *exec = worker->exec;
    double         seconds;

    if (!exec->spec.timed)
        return;
    seconds = timeout_of(&exec->spec, task, worker->type);
    worker->turn->limit = seconds;
    worker->turn->deadline = seconds < 9e9 ? hsi_clock_ns() + (int64_t)(1e9 * seconds) : HSI_FAR;
    if (worker->turn->deadline < exec->dispatcher->next_look)
        hsi_wake_caller(exec->control);
}

int64_t hsi_enforce_deadlines(hs_exec *exec)
{
    int64_t  now, next = HSI_FAR;
    unsigned i;

    if (exec->spec.timed) {
        now = hsi_clock_ns();
        for (i = 0; i < exec->spec.workers; i++) {
            hsi_worker *w = &exec->worker[i];

            if (w->turn->deadline == HSI_FAR)
                continue;
            if (w->turn->deadline <= now) {
                w->turn->deadline = HSI_FAR;
                hsi_cancel(w, HSI_TIMED_OUT);
            } else if (w->turn->deadline < next) {
                next = w->turn->deadline;
            }
        }
    }
    exec->dispatcher->next_look = next;
    return next;
}
