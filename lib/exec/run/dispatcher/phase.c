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

hs_status hsi_dispatch_state_create(hsi_worker *worker, hs_error *error)
{
    hsi_dispatch_state *dispatch = aligned_alloc(_Alignof(hsi_dispatch_state), sizeof *dispatch);

    if (!dispatch)
        return HS_ENOMEM;
    *dispatch = (hsi_dispatch_state){.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (dispatch->wake_fd < 0) {
        free(dispatch);
        return hsi_error_set(error, HS_ERESOURCE, "no file descriptor for each of %u workers: %s",
                             worker->exec->spec.workers, strerror(errno));
    }
    if (hsi_cond_init(&dispatch->wake) != 0) {
        close(dispatch->wake_fd);
        free(dispatch);
        return HS_ENOMEM;
    }
    worker->dispatch = dispatch;
    return HS_OK;
}

void hsi_dispatch_state_free(hsi_worker *worker)
{
    if (!worker->dispatch)
        return;
    pthread_cond_destroy(&worker->dispatch->wake);
    close(worker->dispatch->wake_fd);
    free(worker->dispatch);
}

void hsi_dispatch_state_connect(const hsi_worker *worker, hs_attempt *attempt)
{
    attempt->cancel = &worker->dispatch->cancel;
    attempt->wake_fd = worker->dispatch->wake_fd;
}

static void raise_flag(hsi_worker *worker, hs_cancel why)
{
    const uint64_t one = 1;

    hsi_atomic_store(&worker->dispatch->cancel, (int)why);
    while (write(worker->dispatch->wake_fd, &one, sizeof one) < 0 && errno == EINTR)
        continue;
}

static void lower_flag(hsi_worker *worker)
{
    uint64_t count;

    hsi_atomic_store(&worker->dispatch->cancel, 0);
    while (read(worker->dispatch->wake_fd, &count, sizeof count) < 0 && errno == EINTR)
        continue;
}

/* Reset a worker's dispatch state before a run; keep the objects that hsi_dispatch_state_create()
 * created. */
static void reset_turn(hsi_worker *worker)
{
    hsi_dispatch_state *dispatch = worker->dispatch;

    lower_flag(worker);
    memset(dispatch, 0, offsetof(hsi_dispatch_state, wake));
    dispatch->chosen = HS_NONE;
    dispatch->deadline = HSI_FAR;
}

void hsi_dispatcher_reset(hs_exec *exec)
{
    hsi_dispatcher    *d = exec->dispatcher;
    const hs_instance *in = exec->spec.in;
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
    d->gpus_prefetch = hsi_run_data_devices(hsi_bodies_data(exec->bodies)) != NULL;
    d->gpus_choose_next = has_graph && hs_instance_link(in, HS_H2D, &latency, &bandwidth);
}

void hsi_dispatcher_remove_unstarted(hs_exec *exec, unsigned first)
{
    unsigned i;

    exec->dispatcher->active = first;
    for (i = first; i < exec->spec.workers; i++)
        exec->worker[i].dispatch->phase = HSI_LEAVE;
}

static bool is_active(hsi_phase phase)
{
    return phase == HSI_OWN || phase == HSI_RUN;
}

void hsi_set_phase(hsi_worker *worker, hsi_phase phase, int64_t now)
{
    hs_exec  *exec = worker->exec;
    hsi_phase old = worker->dispatch->phase;

    if (phase == old)
        return;
    worker->dispatch->phase = phase;
    hsi_atomic_store(&worker->dispatch->waits, phase == HSI_WAIT);
    exec->dispatcher->active += (unsigned)(is_active(phase) - is_active(old));
    exec->dispatcher->waiting += (unsigned)((phase == HSI_WAIT) - (old == HSI_WAIT));
    if (old == HSI_WAIT && phase == HSI_RUN)
        hsi_account_add_idle(worker, now > worker->dispatch->waiting_since
                                         ? now - worker->dispatch->waiting_since
                                         : 0);
    if (old != HSI_WAIT || phase == HSI_RUN)
        worker->dispatch->waiting_since = now;
    if (phase == HSI_LEAVE)
        hsi_account_set_idle_since(worker, worker->dispatch->waiting_since);
    if (old == HSI_WAIT)
        pthread_cond_signal(&worker->dispatch->wake);
}

/* A task that was chosen for the worker after its last attempt does not start. */
void hsi_leave_run(hsi_worker *worker)
{
    int64_t given = worker->dispatch->waiting_since;

    hsi_set_phase(worker, HSI_LEAVE, given > worker->now ? given : worker->now);
}

void hsi_sleep_until(hsi_worker *worker, int64_t until, int64_t now)
{
    bool sleeps_too_long = worker->dispatch->phase == HSI_WAIT && until < worker->dispatch->until;

    worker->dispatch->until = until;
    hsi_set_phase(worker, HSI_WAIT, now);
    if (sleeps_too_long)
        pthread_cond_signal(&worker->dispatch->wake);
}

void hsi_cancel_attempt(hsi_worker *worker, hsi_cause cause)
{
    if (worker->dispatch->cause != HSI_NOT_CANCELLED)
        return;
    worker->dispatch->cause = cause;
    raise_flag(worker, cause == HSI_SPOLIATED ? HS_CANCEL_SPOLIATED : HS_CANCEL_STOP);
}

/* The cancel flags of HS_STOP_NOW stay set, since no task starts after a halt. */
void hsi_halt_run(hs_exec *exec, hs_exec_stop_mode how)
{
    unsigned i;

    if ((int)how <= hsi_control_halt(exec->control))
        return;
    hsi_control_set_halt(exec->control, how);
    hsi_bodies_halt(exec->bodies);
    for (i = 0; i < exec->spec.workers; i++) {
        hsi_worker *w = &exec->worker[i];

        if (w->dispatch->phase == HSI_WAIT)
            hsi_set_phase(w, HSI_LEAVE, exec->dispatcher->latest);
        if (how == HS_STOP_NOW)
            raise_flag(w, HS_CANCEL_STOP);
    }
}

void hsi_fail_run(hs_exec *exec, hs_status status, const char *why)
{
    hsi_control_set_fault(exec->control, status, why);
    hsi_halt_run(exec, HS_STOP_DRAIN);
}

void hsi_fail_run_without_memory(hs_exec *exec)
{
    hsi_lock(exec->control);
    hsi_fail_run(exec, HS_ENOMEM, hs_status_text(HS_ENOMEM));
    hsi_unlock(exec->control);
}

/* A halted run keeps its cancel flags. */
void hsi_clear_cancel(hsi_worker *worker)
{
    if (worker->dispatch->cause != HSI_NOT_CANCELLED && !hsi_control_halt(worker->exec->control))
        lower_flag(worker);
    worker->dispatch->cause = HSI_NOT_CANCELLED;
    worker->dispatch->deadline = HSI_FAR;
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
    worker->dispatch->limit = seconds;
    worker->dispatch->deadline =
        seconds < 9e9 ? hsi_clock_ns() + (int64_t)(1e9 * seconds) : HSI_FAR;
    if (worker->dispatch->deadline < exec->dispatcher->next_look)
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

            if (w->dispatch->deadline == HSI_FAR)
                continue;
            if (w->dispatch->deadline <= now) {
                w->dispatch->deadline = HSI_FAR;
                hsi_cancel_attempt(w, HSI_TIMED_OUT);
            } else if (w->dispatch->deadline < next) {
                next = w->dispatch->deadline;
            }
        }
    }
    exec->dispatcher->next_look = next;
    return next;
}
