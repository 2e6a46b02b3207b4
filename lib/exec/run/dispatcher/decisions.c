/* SPDX-License-Identifier: BSD-3-Clause */
/* Ask the policy what idle workers do. The policy's calls add to `wake` the waiting workers that
 * must be asked again. */
#include "exec/run/dispatcher/dispatcher_private.h"

#include <math.h>
#include <stdio.h>

#include "exec/run/report/report.h"
#include "support/atomic.h"
#include "support/clock.h"
#include "support/spin.h"

double hsi_time_since_start(const hs_exec *exec, int64_t now)
{
    return 1e-9 * (double)(now - hsi_control_start_ns(exec->control)) / exec->spec.seconds_per_unit;
}

double hsi_policy_time(hs_exec *exec, int64_t now)
{
    if (now > exec->dispatcher->latest)
        exec->dispatcher->latest = now;
    return hsi_time_since_start(exec, exec->dispatcher->latest);
}

static int64_t wall_time(const hs_exec *exec, double time)
{
    double ns = ceil(1e9 * time * exec->spec.seconds_per_unit);

    return ns < 9e18 - (double)hsi_control_start_ns(exec->control)
               ? hsi_control_start_ns(exec->control) + (int64_t)ns
               : HSI_FAR;
}

static void spoliate(hsi_worker *worker, hsi_worker *victim, int64_t now)
{
    if (!hsi_account_make_wait_room(worker)) {
        hsi_fail_run(worker->exec, HS_ENOMEM, hs_status_text(HS_ENOMEM));
        hsi_set_phase(worker, HSI_LEAVE, now);
        return;
    }
    worker->dispatch->victim = victim;
    if (worker->dispatch->victim_since < worker->now)
        worker->dispatch->victim_since = worker->now;
    if (worker->dispatch->victim_since <
        now) /* worker->now is out of date if the caller waited for the lock */
        worker->dispatch->victim_since = now;
    victim->dispatch->thief = worker;
    hsi_sleep_until(worker, HSI_FAR, now);
    hsi_cancel_attempt(victim, HSI_SPOLIATED);
}

void hsi_fail_decision(hsi_worker *worker, const hs_decision *d, int64_t now, const char *reason)
{
    hs_exec *exec = worker->exec;
    hs_error fault;

    hsi_impossible_decision(exec->spec.in, worker->number, d, hsi_policy_time(exec, now), reason,
                            &fault);
    hsi_fail_run(exec, HS_ESCHEDULE, fault.why);
}

const char *hsi_claim_task(hsi_worker *worker, uint32_t task)
{
    hs_exec *exec = worker->exec;

    if (task >= hs_instance_tasks(exec->spec.in) || !hsi_worker_body(worker, task)->body)
        return HSI_CANNOT_RUN;
    return hsi_results_change_state(exec->results, task, HSI_TASK_FREE, HSI_TASK_RUNS) ? NULL
                                                                                       : HSI_TAKEN;
}

/* Return true if the worker may abort the task on the victim and run it: kernels prepare for that
 * only where the task can be spoliated from the other type. */
static bool may_spoliate(const hsi_worker *worker, const hsi_worker *victim, uint32_t task)
{
    const hsi_run_spec *spec = &worker->exec->spec;

    return victim->type != worker->type && hsi_worker_body(worker, task)->body &&
           hs_instance_is_restartable(spec->in, task) &&
           !hs_policy_keeps_plan(spec->settings.decide.policy);
}

static bool has_victim(const hsi_worker *worker, const hs_decision *d)
{
    const hs_exec            *exec = worker->exec;
    const hsi_dispatch_state *victim;

    if (d->victim >= exec->spec.workers || d->task >= hs_instance_tasks(exec->spec.in))
        return false;
    victim = exec->worker[d->victim].dispatch;
    if (victim->chosen == d->task)
        return true;
    return victim->phase == HSI_RUN && victim->task == d->task &&
           hsi_results_state(exec->results, d->task) == HSI_TASK_RUNS &&
           (!victim->thief || victim->thief == worker);
}

/* Check a decision of the policy, which may be the application's own. Claim the task that it
 * starts. Return NULL, or why the decision is impossible. */
static const char *accept_decision(hsi_worker *worker, const hs_decision *d, double now)
{
    switch (d->kind) {
    case HS_DECIDE_START:
        if (isnan(d->start))
            return HSI_NOT_READY;
        return d->task == worker->dispatch->chosen ? NULL : hsi_claim_task(worker, d->task);
    case HS_DECIDE_SPOLIATE:
        if (!has_victim(worker, d))
            return HSI_NO_VICTIM;
        return may_spoliate(worker, &worker->exec->worker[d->victim], d->task)
                   ? NULL
                   : HSI_CANNOT_SPOLIATE;
    case HS_DECIDE_WAIT:
        return d->until > now ? NULL : HSI_NOT_LATER;
    }
    return HSI_NO_SUCH_KIND;
}

/* Return true if the worker gets no more tasks: it has left, or leaves now since the run halts. */
static bool is_dismissed(hsi_worker *worker, int64_t now)
{
    if (worker->dispatch->phase != HSI_LEAVE && hsi_control_halt(worker->exec->control))
        hsi_set_phase(worker, HSI_LEAVE, now);
    return worker->dispatch->phase == HSI_LEAVE;
}

/* Let the worker run a due retry, and give the chosen task back to the policy. Return false if no
 * retry is due. */
static bool try_again(hsi_worker *worker, bool idle, int64_t now)
{
    if (!hsi_retry_take_due(worker, idle, now))
        return false;
    hsi_drop_chosen_task(worker, HS_ENDING_RETURNED, now);
    worker->dispatch->task = worker->dispatch->retry.task;
    worker->dispatch->inputs_at = 0;
    hsi_set_phase(worker, HSI_RUN, now);
    return true;
}

static void rest(hsi_worker *worker, int64_t until, int64_t now)
{
    int64_t due = hsi_retry_due(worker);

    if (!try_again(worker, true, now))
        hsi_sleep_until(worker, due < until ? due : until, now);
}

static void start(hsi_worker *worker, const hs_decision *d, double time, int64_t now)
{
    bool waits = d->start > time &&
                 hsi_bodies_slot_emulates_type(
                     worker->exec->bodies, hsi_worker_body(worker, d->task)->slot, worker->type);

    if (worker->dispatch->chosen == d->task)
        worker->dispatch->chosen = HS_NONE;
    worker->dispatch->task = d->task;
    worker->dispatch->inputs_at = waits ? wall_time(worker->exec, d->start) : 0;
    hsi_set_phase(worker, HSI_RUN, now);
}

/* Handle a spoliation of a task that its victim has chosen but not started: the victim gives the
 * task up at once, and the policy must be asked again. Return false for other decisions. */
static bool takes_chosen(hsi_worker *worker, const hs_decision *d, int64_t now)
{
    hsi_worker *victim;

    if (d->kind != HS_DECIDE_SPOLIATE)
        return false;
    victim = &worker->exec->worker[d->victim];
    if (victim->dispatch->chosen != d->task)
        return false;
    hsi_drop_chosen_task(victim, HS_ENDING_ABORTED, now);
    return true;
}

static void ask_policy(hsi_worker *worker, int64_t now)
{
    hs_exec    *exec = worker->exec;
    hs_decision d;
    double      time = hsi_policy_time(exec, now);
    const char *fault;

    do {
        hs_policy_next(exec->policy, worker->number, time, &d, &exec->dispatcher->wake);
        fault = accept_decision(worker, &d, time);
        if (fault) {
            hsi_fail_decision(worker, &d, now, fault);
            hsi_set_phase(worker, HSI_LEAVE, now);
            return;
        }
    } while (takes_chosen(worker, &d, now));
    switch (d.kind) {
    case HS_DECIDE_START:
        start(worker, &d, time, now);
        break;
    case HS_DECIDE_SPOLIATE:
        spoliate(worker, &exec->worker[d.victim], now);
        break;
    case HS_DECIDE_WAIT:
        rest(worker, wall_time(exec, d.until), now);
        break;
    }
}

void hsi_decide_for_idle(hsi_worker *worker, int64_t now)
{
    if (!is_dismissed(worker, now) && !try_again(worker, false, now))
        ask_policy(worker, now);
}

void hsi_decide_for_thief(hsi_worker *worker, int64_t now)
{
    if (!is_dismissed(worker, now))
        ask_policy(worker, now);
}

static bool is_any_woken(const hs_wake *wake)
{
    return wake->types || wake->count;
}

/* Mark the workers in exec->dispatcher->wake as woken, and empty exec->dispatcher->wake. */
static void mark_woken(hs_exec *exec)
{
    const hs_wake *wake = &exec->dispatcher->wake;
    unsigned       i;

    for (i = 0; wake->types && i < exec->spec.workers; i++)
        if (wake->types >> exec->worker[i].type & 1)
            exec->worker[i].dispatch->woken = true;
    for (i = 0; i < wake->count; i++)
        if (wake->worker[i] < exec->spec.workers)
            exec->worker[wake->worker[i]].dispatch->woken = true;
    exec->dispatcher->wake = (hs_wake){0};
}

/* Decide for each woken worker that waits: GPUs first, then by number, as in a simulation. Start
 * again at the first worker if a decision wakes more workers. Skip thieves: they are asked when
 * their victims have aborted. */
static void decide_woken(hs_exec *exec, int64_t now)
{
    unsigned workers = exec->spec.workers, i = 0;

    mark_woken(exec);
    while (i < workers) {
        hsi_worker *w = &exec->worker[(exec->spec.cpus + i++) % workers];

        if (!w->dispatch->woken)
            continue;
        w->dispatch->woken = false;
        if (w->dispatch->phase != HSI_WAIT || w->dispatch->victim)
            continue;
        hsi_decide_for_idle(w, now);
        if (is_any_woken(&exec->dispatcher->wake)) {
            mark_woken(exec);
            i = 0;
        }
    }
}

static void dismiss_all(hs_exec *exec)
{
    unsigned i;

    for (i = 0; i < exec->spec.workers; i++)
        if (exec->worker[i].dispatch->phase == HSI_WAIT)
            hsi_set_phase(&exec->worker[i], HSI_LEAVE, exec->dispatcher->latest);
}

/* The run is over when no worker runs a task, and neither a retry is left nor data of another rank
 * is missing: a worker that sleeps until a time would only poll running tasks. */
void hsi_decide_for_woken_workers(hs_exec *exec, int64_t now)
{
    do {
        if (is_any_woken(&exec->dispatcher->wake)) {
            if (exec->dispatcher->waiting)
                decide_woken(exec, now);
            exec->dispatcher->wake =
                (hs_wake){0}; /* running workers ask the policy after their tasks */
        }
    } while (exec->dispatcher->gpus_choose_next && hsi_choose_next_gpu_tasks(exec, now));
    if (exec->dispatcher->gpus_prefetch)
        hsi_prefetch_waiting(exec);
    if (!exec->dispatcher->active && exec->dispatcher->waiting &&
        !hsi_retries_count(exec->dispatcher->retries) &&
        !(exec->exchange && hsi_exchange_is_awaited(exec->exchange)))
        dismiss_all(exec);
}

void hsi_release_after_others(hs_exec *exec, const uint32_t *tasks, size_t count, int64_t now)
{
    const double time = hsi_policy_time(exec, now);

    hsi_exchange_count_reported(exec->exchange, count);
    for (size_t i = 0; i < count; i++)
        hs_policy_ended_elsewhere(exec->policy, tasks[i], time, &exec->dispatcher->wake);
    if (hs_policy_groups_endings(exec->policy))
        hs_policy_collect_ready(exec->policy, time, NULL, &exec->dispatcher->wake);
    hsi_decide_for_woken_workers(exec, now);
}

static void wait_for_decision(hsi_worker *worker, int64_t now)
{
    worker->dispatch->until = HSI_FAR;
    worker->dispatch->woken = true;
    hsi_set_phase(worker, HSI_WAIT, now);
}

/* Report to the policy that all endings of this time are known, then decide for all idle workers in
 * a fixed order, whichever thread calls. */
static void decide_in_order(hsi_worker *worker, int64_t now)
{
    hs_exec *exec = worker->exec;

    hs_policy_collect_ready(exec->policy, hsi_policy_time(exec, now), NULL,
                            &exec->dispatcher->wake);
    if (hsi_results_event_count(exec->results, HSI_COUNT_LOST_WORKERS))
        hsi_fail_stranded(worker);
    if (worker->dispatch->phase == HSI_LEAVE)
        return;
    if (!exec->dispatcher->waiting) {
        hsi_decide_for_idle(worker, now);
        return;
    }
    wait_for_decision(worker, now);
    decide_woken(exec, now);
}

/* Decide for this worker alone. If a worker was lost, first fail the tasks that became ready and
 * have no worker. */
static void decide_alone(hsi_worker *worker)
{
    if (hsi_results_event_count(worker->exec->results, HSI_COUNT_LOST_WORKERS))
        hsi_fail_stranded(worker);
    hsi_decide_for_idle(worker, worker->now);
}

void hsi_decide_next_for_workers(hsi_worker *worker)
{
    if (hs_policy_groups_endings(worker->exec->policy))
        decide_in_order(worker, worker->now);
    else
        decide_alone(worker);
    hsi_decide_for_woken_workers(worker->exec, worker->now);
}

void hsi_decide_for_all_at_start(hs_exec *exec)
{
    int64_t  now = hsi_control_start_ns(exec->control);
    unsigned i;

    exec->dispatcher->latest = now;
    if (!hs_policy_groups_endings(exec->policy))
        return;
    hs_policy_collect_ready(exec->policy, 0, NULL, &exec->dispatcher->wake);
    for (i = 0; i < exec->spec.workers; i++)
        if (exec->worker[i].dispatch->phase == HSI_OWN)
            wait_for_decision(&exec->worker[i], now);
    decide_woken(exec, now);
    hsi_decide_for_woken_workers(exec, now);
}

/* The whole list is claimed before the start, so that workers do not contend for a cache line at
 * each task. */
hs_status hsi_claim_own_list(hsi_worker *worker, hs_error *error)
{
    size_t i;

    worker->dispatch->own =
        hs_policy_own_list(worker->exec->policy, worker->number, &worker->dispatch->own_count);
    for (i = 0; worker->dispatch->own && i < worker->dispatch->own_count; i++) {
        const char *fault = hsi_claim_task(worker, worker->dispatch->own[i]);
        hs_decision d;

        hs_decide_start(&d, worker->dispatch->own[i]);
        if (fault)
            return hsi_impossible_decision(worker->exec->spec.in, worker->number, &d, 0, fault,
                                           error);
    }
    return HS_OK;
}

static const char *claim_next_own(hsi_worker *worker, uint32_t task)
{
    if (!worker->dispatch->own)
        return hsi_claim_task(worker, task);
    return worker->dispatch->own_next < worker->dispatch->own_count &&
                   worker->dispatch->own[worker->dispatch->own_next++] == task
               ? NULL
               : HSI_NOT_IN_LIST;
}

const uint32_t *hsi_own_list(const hsi_worker *worker, size_t *count)
{
    *count = worker->dispatch->own_count;
    return worker->dispatch->own;
}

bool hsi_may_run_own(const hsi_worker *worker)
{
    return !hsi_control_halt(worker->exec->control) && worker->dispatch->phase == HSI_OWN;
}

bool hsi_next_own_task(hsi_worker *worker, uint32_t *task)
{
    hs_exec    *exec = worker->exec;
    const char *fault;
    hs_decision d;

    if (!hs_policy_take_own(exec->policy, worker->number, task))
        return false;
    fault = claim_next_own(worker, *task);
    if (!fault)
        return true;
    hs_decide_start(&d, *task);
    hsi_lock(exec->control);
    hsi_fail_decision(worker, &d, worker->now, fault);
    hsi_unlock(exec->control);
    return false;
}

void hsi_end_own_list(hsi_worker *worker)
{
    if (worker->dispatch->phase == HSI_OWN)
        hsi_decide_next_for_workers(worker);
}

/* Retries come first: if a retry is left, the worker asks the policy instead. */
bool hsi_resume_own_list(hsi_worker *worker)
{
    hs_exec *exec = worker->exec;

    if (!exec->dispatcher->own_list_may_resume || worker->dispatch->phase != HSI_RUN ||
        hsi_retries_count(exec->dispatcher->retries))
        return false;
    hsi_set_phase(worker, HSI_OWN, worker->now);
    hsi_decide_for_woken_workers(exec, worker->now);
    return true;
}

/*
 * Spin for a moment, without the lock meanwhile: to sleep and be woken takes longer than other
 * workers often need to make a task ready. Return true if the worker need not wait any more.
 */
static bool wait_a_moment(hsi_worker *worker)
{
    enum { LOOKS = 100 };
    hsi_control *control = worker->exec->control;
    int          i;

    hsi_unlock(control);
    for (i = 0; i < LOOKS && hsi_atomic_load(&worker->dispatch->waits); i++)
        hsi_spin_pause();
    hsi_lock(control);
    return worker->dispatch->phase != HSI_WAIT;
}

/* Sleep until another thread decides for the worker, or until the time of the next question to the
 * policy. The lock is released during the sleep. */
static void sleep_until_decided(hsi_worker *worker)
{
    hs_exec *exec = worker->exec;
    int64_t  now;

    if (wait_a_moment(worker) ||
        !hsi_control_sleep(exec->control, &worker->dispatch->wake, worker->dispatch->until))
        return;
    now = hsi_clock_ns();
    if (worker->dispatch->phase == HSI_WAIT && worker->dispatch->until <= now) {
        hsi_decide_for_idle(worker, now);
        hsi_decide_for_woken_workers(exec, now);
    }
}

bool hsi_wait_for_task(hsi_worker *worker, uint32_t *task)
{
    while (worker->dispatch->phase == HSI_WAIT)
        sleep_until_decided(worker);
    *task = worker->dispatch->task;
    return worker->dispatch->phase == HSI_RUN && !hsi_control_halt(worker->exec->control);
}

int64_t hsi_inputs_arrival_ns(const hsi_worker *worker)
{
    return worker->dispatch->inputs_at;
}

/* The start of the task is an event for the policy, and a GPU may choose its next task. */
bool hsi_end_wait_for_inputs(hsi_worker *worker, uint32_t task, int64_t since, bool cancelled)
{
    hs_exec *exec = worker->exec;
    bool     given_up;
    int64_t  now;

    hsi_lock(exec->control);
    given_up = cancelled && worker->dispatch->cause != HSI_TIMED_OUT;
    if (!given_up)
        worker->dispatch->inputs_at = 0;
    now = hsi_clock_ns();
    hsi_account_add_wait(worker, worker, task, since, now);
    if (!cancelled) {
        hs_policy_collect_ready(exec->policy, hsi_policy_time(exec, now), NULL,
                                &exec->dispatcher->wake);
        hsi_decide_for_woken_workers(exec, now);
    }
    hsi_unlock(exec->control);
    return given_up;
}
