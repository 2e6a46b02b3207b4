/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/run/run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "exec/backend/backends.h"
#include "support/atomic.h"
#include "support/clock.h"

static hs_backend_worker_info describe(const hsi_worker *worker)
{
    const hs_exec           *exec = worker->exec;
    const unsigned           first = worker->type == HS_CPU ? 0 : exec->work.cpus;
    const hs_backend_device *device =
        hsi_machine_device(&exec->machine, &exec->work, worker->number);

    return (hs_backend_worker_info){
        .struct_size = sizeof(hs_backend_worker_info),
        .number = worker->number,
        .type = worker->type,
        .index = worker->number - first,
        .cpus = exec->work.cpus,
        .gpus = exec->work.gpus,
        .os_cpu = exec->machine.os_cpu[worker->number],
        .core_count = exec->work.settings.place.cores[worker->type],
        .cores = hsi_machine_cores(&exec->machine, &exec->work, worker->number),
        .device = device ? device->uuid : NULL,
        .device_index = worker->number - first};
}

/* Return true if the worker needs the backend: it has bodies of the worker's type, or plugins use
 * its stream on the GPU. */
static bool is_used(const hsi_worker *worker, unsigned slot)
{
    const hs_exec *exec = worker->exec;
    unsigned       i;

    if (exec->bodies.used[2 * slot + worker->type])
        return true;
    for (i = 0; worker->type == HS_GPU && exec->bodies.backends[slot]->stream &&
                i < exec->bodies.backend_count;
         i++)
        if (exec->bodies.backends[i] == &hsi_backend_plugin && exec->bodies.used[2 * i + HS_GPU])
            return true;
    return false;
}

/* Open the backends with a stream, or those without. A backend without one gets the stream that was
 * opened before. */
static hs_status open_with(hsi_worker *worker, hs_backend_worker_info *info, bool with_stream,
                           hs_error *error)
{
    hs_exec  *exec = worker->exec;
    unsigned  slot;
    hs_status st = HS_OK;

    for (slot = 0; slot < exec->bodies.backend_count && st == HS_OK; slot++) {
        const hs_backend  *backend = exec->bodies.backends[slot];
        hs_backend_options options = hsi_bodies_options(&exec->bodies, slot);

        if (!backend->worker_open || (backend->stream != NULL) != with_stream ||
            !is_used(worker, slot))
            continue;
        st = backend->worker_open(&options, info, &worker->states[slot], error);
        if (st == HS_OK && with_stream && worker->type == HS_GPU)
            info->stream = backend->stream(worker->states[slot]);
    }
    return st;
}

/* Open backends with a stream first: plugins need the stream, although they come before the module
 * for GPUs in the list of backends. */
static hs_status open_backends(hsi_worker *worker, hs_error *error)
{
    hs_backend_worker_info info = describe(worker);
    hs_status              st = open_with(worker, &info, true, error);

    if (st == HS_OK)
        st = open_with(worker, &info, false, error);
    if (st == HS_OK)
        st = hsi_pipeline_prepare(worker, error);
    return st == HS_OK ? hsi_segments_prepare(worker, error) : st;
}

static void close_backends(hsi_worker *worker)
{
    unsigned slot;

    for (slot = 0; slot < worker->exec->bodies.backend_count; slot++) {
        const hs_backend *backend = worker->exec->bodies.backends[slot];

        if (worker->states[slot] && backend->worker_close)
            backend->worker_close(worker->states[slot]);
        worker->states[slot] = NULL;
    }
}

static hs_status get_ready(hsi_worker *worker, hs_error *error)
{
    const hsi_machine *machine = &worker->exec->machine;
    const hsi_work    *work = &worker->exec->work;
    const int         *cores = hsi_machine_cores(machine, work, worker->number);
    hs_status          st = HS_OK;

    prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul); /* by default, waits end more than 50 us late */
    if (cores)
        st = hsi_bind(0, cores, work->settings.place.cores[worker->type]);
    if (st != HS_OK)
        snprintf(error->why, HS_WHY, "a worker cannot be bound to core %d", cores[0]);
    else if (!hsi_records_prepare(&worker->records))
        st = HS_ENOMEM;
    else
        st = hsi_claim_own(worker, error);
    if (st == HS_OK)
        st = open_backends(worker, error);
    return st;
}

/* Report that the worker is ready, or the reason of a failure, and wait for the common start. */
static void pass_gate(hsi_worker *worker, hs_status st, const char *why)
{
    hs_exec *exec = worker->exec;

    hsi_lock(&exec->control);
    if (st != HS_OK)
        hsi_break_off(exec, st, why[0] ? why : hs_status_text(st));
    exec->control.ready++;
    pthread_cond_signal(&exec->control.arrival);
    while (!exec->control.open)
        pthread_cond_wait(&exec->control.gate, &exec->control.lock);
    hsi_unlock(&exec->control);
}

static void leave(hsi_worker *worker)
{
    hs_exec *exec = worker->exec;

    close_backends(worker);
    hsi_lock(&exec->control);
    if (--exec->control.present == 0)
        hsi_wake_caller(&exec->control);
    hsi_unlock(&exec->control);
}

/* Return true if there is room for the record of another attempt; else break the run off. Hold the
 * lock. */
static bool has_room(hsi_worker *worker)
{
    if (hsi_records_room(&worker->records))
        return true;
    hsi_break_off(worker->exec, HS_ENOMEM, hs_status_text(HS_ENOMEM));
    return false;
}

bool hsi_may_start(hsi_worker *worker)
{
    hs_exec *exec = worker->exec;
    bool     room;

    if (hsi_atomic_load(&exec->control.halt) || worker->turn.phase != HSI_OWN)
        return false;
    if (worker->records.count < worker->records.capacity)
        return true;
    hsi_lock(&exec->control);
    room = has_room(worker);
    hsi_unlock(&exec->control);
    return room;
}

/* Run a task of the worker's list. A deadline and a failure concern other threads and need the
 * lock. */
void hsi_run_one(hsi_worker *worker, uint32_t task)
{
    hs_exec   *exec = worker->exec;
    hs_outcome outcome;

    if (exec->work.timed) {
        hsi_lock(&exec->control);
        hsi_begin(worker, task);
        hsi_unlock(&exec->control);
    }
    outcome = hsi_attempt(worker, task);
    if (outcome == HS_OUTCOME_DONE && !exec->work.timed) {
        hsi_own_done(worker, task);
        return;
    }
    hsi_lock(&exec->control);
    hsi_settle(worker, task, outcome);
    hsi_reconsider(exec, worker->now);
    hsi_unlock(&exec->control);
}

static void run_own(hsi_worker *worker)
{
    uint32_t task;

    while (hsi_may_start(worker) && hsi_next_own(worker, &task))
        hsi_run_one(worker, task);
}

/* Run further tasks of the worker's list, without the lock meanwhile. Retries come first: if there
 * are any, ask the policy instead. Hold the lock. */
static void run_own_again(hsi_worker *worker)
{
    hs_exec *exec = worker->exec;

    if (!exec->own_list_may_resume || worker->turn.phase != HSI_RUN || hsi_retries_count(exec->retries))
        return;
    hsi_enter(worker, HSI_OWN, worker->now);
    hsi_reconsider(exec, worker->now);
    hsi_unlock(&exec->control);
    run_own(worker);
    hsi_lock(&exec->control);
}

/*
 * Spin for a moment, without the lock meanwhile: to sleep and be woken takes longer than other
 * workers often need to make a task ready. Return true if the worker need not wait any more. Hold
 * the lock.
 */
static bool wait_a_moment(hsi_worker *worker)
{
    enum { LOOKS = 100 };
    hsi_control *control = &worker->exec->control;
    int          i;

    hsi_unlock(control);
    for (i = 0; i < LOOKS && hsi_atomic_load(&worker->turn.waits); i++)
        hsi_spin_pause();
    hsi_lock(control);
    return worker->turn.phase != HSI_WAIT;
}

/* Sleep until another thread decides for the worker, or until the time to ask again. Hold the lock,
 * which the sleep releases. */
static void sleep_until_decided(hsi_worker *worker)
{
    hs_exec        *exec = worker->exec;
    struct timespec until;
    int64_t         now;

    if (wait_a_moment(worker))
        return;
    until = hsi_timespec(worker->turn.until);
    if (worker->turn.until == HSI_FAR) {
        pthread_cond_wait(&worker->turn.wake, &exec->control.lock);
        return;
    }
    if (pthread_cond_timedwait(&worker->turn.wake, &exec->control.lock, &until) != ETIMEDOUT)
        return;
    now = hsi_clock_ns();
    if (worker->turn.phase == HSI_WAIT && worker->turn.until <= now) {
        hsi_decide(worker, now);
        hsi_reconsider(exec, now);
    }
}

/* Wait for a decision. Return true and set worker->turn.task, or return false: leave. Hold the
 * lock. */
static bool next_task(hsi_worker *worker)
{
    while (worker->turn.phase == HSI_WAIT)
        sleep_until_decided(worker);
    return worker->turn.phase == HSI_RUN && !worker->exec->control.halt;
}

static void follow_policy(hsi_worker *worker)
{
    hs_exec   *exec = worker->exec;
    hs_outcome outcome;
    int64_t    now = hsi_clock_ns();

    hsi_lock(&exec->control);
    worker->now = now; /* set with the lock held: another thread may already decide for this
                          worker */
    if (worker->turn.phase == HSI_OWN)
        hsi_go_on(worker);
    while (next_task(worker) && has_room(worker)) {
        hsi_begin(worker, worker->turn.task);
        hsi_unlock(&exec->control);
        outcome = hsi_attempt(worker, worker->turn.task);
        hsi_lock(&exec->control);
        hsi_settle(worker, worker->turn.task, outcome);
        run_own_again(worker);
        hsi_go_on(worker);
    }
    hsi_retreat(worker);
    hsi_unlock(&exec->control);
}

void *hsi_worker_main(void *data)
{
    hsi_worker   *worker = data;
    hs_error      error = {0};
    int           slot;
    hsi_core_time began, ended;

    pass_gate(worker, get_ready(worker, &error), error.why);
    began = hsi_core_time_now();
    slot = hsi_pipeline_slot(worker);
    if (slot >= 0)
        hsi_pipeline_run(worker, (unsigned)slot);
    else if (!hs_policy_groups_endings(worker->exec->policy)) /* hsi_decide_first() serves policies
                                                                 that
                                                          settle */
        run_own(worker);
    follow_policy(worker);
    ended = hsi_core_time_now();
    worker->core.used += ended.used - began.used;
    worker->core.waited += ended.waited - began.waited;
    leave(worker);
    return NULL;
}
