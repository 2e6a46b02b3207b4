/* SPDX-License-Identifier: BSD-3-Clause */
/* The thread of a worker: it opens backends, waits for the start, and runs tasks until it leaves.
 */
#include "exec/run/worker/worker_private.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "core/error.h"
#include "exec/run/control.h"
#include "exec/run/dispatcher/dispatcher.h"
#include "exec/run/report/report.h"
#include "exec/run/window/window.h"
#include "support/clock.h"

static hs_backend_worker_info describe(const hsi_worker *worker)
{
    const hs_exec           *exec = worker->exec;
    const unsigned           first = worker->type == HS_CPU ? 0 : exec->spec.cpus;
    const hs_backend_device *device =
        hsi_machine_device(&exec->machine, &exec->spec, worker->number);

    return (hs_backend_worker_info){
        .struct_size = sizeof(hs_backend_worker_info),
        .number = worker->number,
        .type = worker->type,
        .index = worker->number - first,
        .cpus = exec->spec.cpus,
        .gpus = exec->spec.gpus,
        .os_cpu = exec->machine.os_cpu[worker->number],
        .core_count = exec->spec.settings.place.cores[worker->type],
        .cores = hsi_machine_cores(&exec->machine, &exec->spec, worker->number),
        .device = device ? device->uuid : NULL,
        .device_index = worker->number - first};
}

/* Return true if the worker needs the backend: it has bodies of the worker's type, or plugins
 * and functions use its stream on the GPU. */
static bool is_used(const hsi_worker *worker, unsigned slot)
{
    const hs_exec *exec = worker->exec;
    unsigned       i;

    if (hsi_bodies_slot_runs_type(exec->bodies, slot, worker->type))
        return true;
    for (i = 0; worker->type == HS_GPU && hsi_bodies_backend(exec->bodies, slot)->stream &&
                i < hsi_bodies_slot_count(exec->bodies);
         i++)
        if (hsi_bodies_slot_takes_stream(exec->bodies, i) &&
            hsi_bodies_slot_runs_type(exec->bodies, i, HS_GPU))
            return true;
    return false;
}

/* Open the backends with a stream, or the backends without a stream, which get the stream opened
 * before. */
static hs_status open_with(hsi_worker *worker, hs_backend_worker_info *info, bool with_stream,
                           hs_error *error)
{
    hs_exec  *exec = worker->exec;
    unsigned  slot;
    hs_status st = HS_OK;

    for (slot = 0; slot < hsi_bodies_slot_count(exec->bodies) && st == HS_OK; slot++) {
        const hs_backend  *backend = hsi_bodies_backend(exec->bodies, slot);
        hs_backend_options options = hsi_bodies_backend_options(exec->bodies, slot);

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
        st = hsi_worker_prepare_backends(worker, error);
    return st == HS_OK ? hsi_window_make_segments(worker, error) : st;
}

static void close_backends(hsi_worker *worker)
{
    unsigned slot;

    for (slot = 0; slot < hsi_bodies_slot_count(worker->exec->bodies); slot++) {
        const hs_backend *backend = hsi_bodies_backend(worker->exec->bodies, slot);

        if (worker->states[slot] && backend->worker_close)
            backend->worker_close(worker->states[slot]);
        worker->states[slot] = NULL;
    }
}

/* Return the expected number of attempts: the planned tasks of the worker, or twice a fair share.
 */
static size_t expected_attempts(const hsi_worker *worker)
{
    const hsi_run_spec *spec = &worker->exec->spec;
    size_t              planned = 0;

    if (!hs_policy_needs_plan(spec->settings.decide.policy))
        return hs_instance_tasks(spec->in) / spec->workers * 2 + 64;
    hs_schedule_entries(spec->plan, worker->number, &planned);
    return planned + 64;
}

static hs_status get_ready(hsi_worker *worker, hs_error *error)
{
    const hsi_machine  *machine = &worker->exec->machine;
    const hsi_run_spec *spec = &worker->exec->spec;
    const int          *cores = hsi_machine_cores(machine, spec, worker->number);
    hs_status           st = HS_OK;

    prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul); /* by default, waits end more than 50 us late */
    if (cores)
        st = hsi_bind_thread(0, cores, spec->settings.place.cores[worker->type]);
    if (st != HS_OK)
        snprintf(error->why, HS_WHY, "cannot bind a worker to core %d", cores[0]);
    else if (!hsi_account_allocate(worker, expected_attempts(worker)))
        st = HS_ENOMEM;
    else
        st = hsi_claim_own_list(worker, error);
    if (st == HS_OK)
        st = open_backends(worker, error);
    return st;
}

/* Report that the worker is ready, or the reason of a failure, and wait for the common start. */
static void pass_gate(hsi_worker *worker, hs_status st, const char *why)
{
    hs_exec *exec = worker->exec;

    hsi_lock(exec->control);
    if (st != HS_OK)
        hsi_fail_run(exec, st, why[0] ? why : hs_status_text(st));
    hsi_control_wait_at_gate(exec->control);
    hsi_unlock(exec->control);
}

static void leave(hsi_worker *worker)
{
    hs_exec *exec = worker->exec;

    close_backends(worker);
    hsi_lock(exec->control);
    hsi_control_leave_run(exec->control);
    hsi_unlock(exec->control);
}

bool hsi_may_start_own_task(hsi_worker *worker)
{
    if (!hsi_may_run_own(worker))
        return false;
    if (hsi_account_make_room(worker))
        return true;
    hsi_fail_run_without_memory(worker->exec);
    return false;
}

/* Deadlines and failures concern other threads and need the lock. */
void hsi_run_own_task(hsi_worker *worker, uint32_t task)
{
    hs_exec   *exec = worker->exec;
    hs_outcome outcome;

    if (exec->spec.timed) {
        hsi_lock(exec->control);
        hsi_set_deadline(worker, task);
        hsi_unlock(exec->control);
    }
    outcome = hsi_execute_attempt(worker, task);
    if (outcome == HS_OUTCOME_DONE && !exec->spec.timed) {
        hsi_own_task_done(worker, task);
        return;
    }
    hsi_lock(exec->control);
    hsi_settle_attempt(worker, task, outcome);
    hsi_decide_for_woken_workers(exec, worker->now);
    hsi_unlock(exec->control);
}

static void run_list(hsi_worker *worker)
{
    uint32_t task;

    while (hsi_may_start_own_task(worker) && hsi_next_own_task(worker, &task))
        hsi_run_own_task(worker, task);
}

/* Wait for the next task of the policy, with room for its record. Hold the lock. */
static bool next_task(hsi_worker *worker, uint32_t *task)
{
    if (!hsi_wait_for_task(worker, task))
        return false;
    if (hsi_account_make_room(worker))
        return true;
    hsi_fail_run(worker->exec, HS_ENOMEM, hs_status_text(HS_ENOMEM));
    return false;
}

/* Run the tasks that the policy gives one by one, and further tasks of the worker's list. */
static void follow_policy(hsi_worker *worker)
{
    hs_exec   *exec = worker->exec;
    hs_outcome outcome;
    uint32_t   task;
    int64_t    now = hsi_clock_ns();

    hsi_lock(exec->control);
    worker->now = now; /* set with the lock held: another thread may already decide for this
                          worker */
    hsi_end_own_list(worker);
    while (next_task(worker, &task)) {
        hsi_set_deadline(worker, task);
        hsi_unlock(exec->control);
        outcome = hsi_execute_attempt(worker, task);
        hsi_lock(exec->control);
        hsi_settle_attempt(worker, task, outcome);
        if (hsi_resume_own_list(worker)) {
            hsi_unlock(exec->control);
            run_list(worker);
            hsi_lock(exec->control);
        }
        hsi_decide_next_for_workers(worker);
    }
    hsi_leave_run(worker);
    hsi_unlock(exec->control);
}

static void *run_worker(void *data)
{
    hsi_worker   *worker = data;
    hs_error      error = {0};
    unsigned      slot;
    hsi_core_time began, ended;

    pass_gate(worker, get_ready(worker, &error), error.why);
    began = hsi_core_time_now();
    slot = hsi_pipeline_slot(worker);
    if (slot != HS_NONE)
        hsi_pipeline_run(worker, slot);
    else if (!hs_policy_groups_endings(
                 worker->exec->policy)) /* else hsi_decide_for_all_at_start() has decided */
        run_list(worker);
    follow_policy(worker);
    ended = hsi_core_time_now();
    hsi_account_add_core_time(
        worker, (hsi_core_time){ended.used - began.used, ended.waited - began.waited});
    leave(worker);
    return NULL;
}

/* Block signals in the worker threads, except those that a fault of the thread itself raises. */
static void block_signals(sigset_t *before)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t         all;
    size_t           i;

    sigfillset(&all);
    for (i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

/* Break the run off because only `started` threads could be started. */
static void report_missing_threads(hs_exec *exec, unsigned started, int error)
{
    hs_error fault;

    hsi_error_set(&fault, HS_ERESOURCE, "only %u of %u threads could be started: %s", started,
                  exec->spec.workers, strerror(error));
    hsi_lock(exec->control);
    hsi_fail_run(exec, HS_ERESOURCE, fault.why);
    hsi_control_set_threads(exec->control, started);
    hsi_dispatcher_remove_unstarted(exec, started);
    hsi_unlock(exec->control);
}

unsigned hsi_workers_start(hs_exec *exec)
{
    sigset_t before;
    unsigned started = 0;
    int      error = 0;

    block_signals(&before);
    while (started < exec->spec.workers && !error) {
        hsi_worker *w = &exec->worker[started];

        error = pthread_create(&w->thread->id, NULL, run_worker, w);
        started += !error;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error)
        report_missing_threads(exec, started, error);
    return started;
}

void hsi_workers_join(hs_exec *exec, unsigned started)
{
    unsigned i;

    for (i = 0; i < started; i++)
        pthread_join(exec->worker[i].thread->id, NULL);
}
