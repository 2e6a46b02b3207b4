/* SPDX-License-Identifier: BSD-3-Clause */
/* Ask the policy what idle workers do. The policy's calls add to exec->wake the waiting workers
 * that must be asked again. */
#include "exec/run/run.h"

#include <math.h>
#include <stdio.h>

#include "exec/backend/backends.h"
#include "support/atomic.h"
#include "support/clock.h"

double hsi_time_since_start(const hs_exec *exec, int64_t now)
{
    return 1e-9 * (double)(now - exec->control.start_ns) / exec->work.seconds_per_unit;
}

double hsi_policy_time(hs_exec *exec, int64_t now)
{
    if (now > exec->control.latest)
        exec->control.latest = now;
    return hsi_time_since_start(exec, exec->control.latest);
}

static int64_t wall_time(const hs_exec *exec, double time)
{
    double ns = ceil(1e9 * time * exec->work.seconds_per_unit);

    return ns < 9e18 - (double)exec->control.start_ns ? exec->control.start_ns + (int64_t)ns
                                                      : HSI_FAR;
}

static void spoliate(hsi_worker *worker, hsi_worker *victim, int64_t now)
{
    if (!hsi_waits_room(&worker->waits)) {
        hsi_break_off(worker->exec, HS_ENOMEM, hs_status_text(HS_ENOMEM));
        hsi_enter(worker, HSI_LEAVE, now);
        return;
    }
    worker->turn.victim = victim;
    if (worker->turn.victim_since < worker->now)
        worker->turn.victim_since = worker->now;
    if (worker->turn.victim_since < now) /* worker->now is old if the caller waited for the lock */
        worker->turn.victim_since = now;
    victim->turn.thief = worker;
    hsi_sleep_until(worker, HSI_FAR, now);
    hsi_cancel(victim, HSI_SPOLIATED);
}

/* Claim the task for the worker. Return false if the worker has no body for it, or if it is not
 * free. */
bool hsi_claim(hsi_worker *worker, uint32_t task)
{
    hs_exec *exec = worker->exec;

    return task < hs_instance_tasks(exec->work.in) && hsi_worker_body(worker, task)->body &&
           hsi_results_change(exec->results, task, HSI_TASK_FREE, HSI_TASK_RUNS);
}

/* Check a decision of the policy, which may be the application's own. Claim the task that it
 * starts. Return false if the decision is impossible. */
static bool accept_decision(hsi_worker *worker, const hs_decision *d, double now)
{
    const hs_exec  *exec = worker->exec;
    const hsi_turn *victim;

    if (d->kind != HS_DECIDE_WAIT && d->task >= hs_instance_tasks(exec->work.in))
        return false;
    switch (d->kind) {
    case HS_DECIDE_START:
        return d->task == worker->turn.chosen || hsi_claim(worker, d->task);
    case HS_DECIDE_SPOLIATE:
        if (d->victim >= exec->work.workers)
            return false;
        victim = &exec->worker[d->victim].turn;
        if (victim->chosen == d->task)
            return true;
        return victim->phase == HSI_RUN && victim->task == d->task &&
               hsi_results_state(exec->results, d->task) == HSI_TASK_RUNS &&
               (!victim->thief || victim->thief == worker);
    case HS_DECIDE_WAIT:
    default:
        return d->kind == HS_DECIDE_WAIT && d->until > now;
    }
}

/* Return true if the worker gets no more tasks: it has left, or leaves now since the run halts. */
static bool is_dismissed(hsi_worker *worker, int64_t now)
{
    if (worker->turn.phase != HSI_LEAVE && worker->exec->control.halt)
        hsi_enter(worker, HSI_LEAVE, now);
    return worker->turn.phase == HSI_LEAVE;
}

/* Let the worker run a due retry, and give the chosen task back to the policy. Return false if no
 * retry is due. */
static bool try_again(hsi_worker *worker, bool idle, int64_t now)
{
    if (!hsi_retry_take(worker, idle, now))
        return false;
    hsi_drop_chosen(worker, HS_ENDING_RETURNED, now);
    worker->turn.task = worker->turn.retry.task;
    worker->turn.inputs_at = 0;
    hsi_enter(worker, HSI_RUN, now);
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
                hsi_is_emulated(worker->exec, worker->type, hsi_worker_body(worker, d->task)->slot);

    if (worker->turn.chosen == d->task)
        worker->turn.chosen = HS_NONE;
    worker->turn.task = d->task;
    worker->turn.inputs_at = waits ? wall_time(worker->exec, d->start) : 0;
    hsi_enter(worker, HSI_RUN, now);
}

/* Handle a decision to take a task that another worker has chosen but not started: the victim gives
 * the task up at once. Return true if so; then ask the policy again. */
static bool takes_chosen(hsi_worker *worker, const hs_decision *d, int64_t now)
{
    hsi_worker *victim;

    if (d->kind != HS_DECIDE_SPOLIATE)
        return false;
    victim = &worker->exec->worker[d->victim];
    if (victim->turn.chosen != d->task)
        return false;
    hsi_drop_chosen(victim, HS_ENDING_ABORTED, now);
    return true;
}

static void ask_policy(hsi_worker *worker, int64_t now)
{
    hs_exec    *exec = worker->exec;
    hs_decision d;
    double      time = hsi_policy_time(exec, now);

    do {
        hs_policy_next(exec->policy, worker->number, time, &d, &exec->wake);
        if (!accept_decision(worker, &d, time)) {
            hsi_break_off(exec, HS_ESCHEDULE, HSI_IMPOSSIBLE);
            hsi_enter(worker, HSI_LEAVE, now);
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

/* Decide what an idle worker does next. */
void hsi_decide(hsi_worker *worker, int64_t now)
{
    if (!is_dismissed(worker, now) && !try_again(worker, false, now))
        ask_policy(worker, now);
}

/* Ask the policy for a thief whose victim has aborted. The policy has kept the task for the thief,
 * so this comes before retries. */
void hsi_hand_over(hsi_worker *worker, int64_t now)
{
    if (!is_dismissed(worker, now))
        ask_policy(worker, now);
}

static bool is_any_woken(const hs_wake *wake)
{
    return wake->types || wake->count;
}

/* Mark the workers in exec->wake as woken, and empty exec->wake. */
static void mark_woken(hs_exec *exec)
{
    const hs_wake *wake = &exec->wake;
    unsigned       i;

    for (i = 0; wake->types && i < exec->work.workers; i++)
        if (wake->types >> exec->worker[i].type & 1)
            exec->worker[i].turn.woken = true;
    for (i = 0; i < wake->count; i++)
        if (wake->worker[i] < exec->work.workers)
            exec->worker[wake->worker[i]].turn.woken = true;
    exec->wake = (hs_wake){0};
}

/*
 * Decide for each woken worker that waits: GPUs first, then lower numbers, as under the virtual
 * clock. Begin again at the first when a decision wakes more workers. A thief is skipped: it is
 * asked when its victim has aborted.
 */
static void decide_woken(hs_exec *exec, int64_t now)
{
    unsigned workers = exec->work.workers, i = 0;

    mark_woken(exec);
    while (i < workers) {
        hsi_worker *w = &exec->worker[(exec->work.cpus + i++) % workers];

        if (!w->turn.woken)
            continue;
        w->turn.woken = false;
        if (w->turn.phase != HSI_WAIT || w->turn.victim)
            continue;
        hsi_decide(w, now);
        if (is_any_woken(&exec->wake)) {
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

/* React to an event: ask the workers that it concerns. The run is over when no worker runs a task
 * and no retry is left: a worker that waits for a time would only look at running tasks then. */
void hsi_reconsider(hs_exec *exec, int64_t now)
{
    do {
        if (is_any_woken(&exec->wake)) {
            if (exec->control.waiting)
                decide_woken(exec, now);
            exec->wake = (hs_wake){0}; /* workers that do not wait ask by themselves */
        }
    } while (exec->gpus_choose_next && hsi_choose_next(exec, now));
    hsi_prefetch_waiting(exec);
    if (!exec->control.active && exec->control.waiting && !hsi_retries_count(exec->retries))
        dismiss_all(exec);
}

static void wait_for_decision(hsi_worker *worker, int64_t now)
{
    worker->turn.until = HSI_FAR;
    worker->turn.woken = true;
    hsi_enter(worker, HSI_WAIT, now);
}

/* Tell the policy that all tasks of this time have ended, then decide for all idle workers in a
 * fixed order, for any calling thread. */
static void decide_in_order(hsi_worker *worker, int64_t now)
{
    hs_exec *exec = worker->exec;

    hs_policy_collect_ready(exec->policy, hsi_policy_time(exec, now), NULL, &exec->wake);
    if (hsi_results_counted(exec->results, HSI_COUNT_LOST_WORKERS))
        hsi_fail_stranded(worker);
    if (worker->turn.phase == HSI_LEAVE)
        return;
    if (!exec->control.waiting) {
        hsi_decide(worker, now);
        return;
    }
    wait_for_decision(worker, now);
    decide_woken(exec, now);
}

/* Decide for this worker alone. After a worker was lost, a task that has just become ready may have
 * no worker: drop such tasks first. */
static void decide_alone(hsi_worker *worker)
{
    if (hsi_results_counted(worker->exec->results, HSI_COUNT_LOST_WORKERS))
        hsi_fail_stranded(worker);
    hsi_decide(worker, worker->now);
}

void hsi_go_on(hsi_worker *worker)
{
    if (hs_policy_groups_endings(worker->exec->policy))
        decide_in_order(worker, worker->now);
    else
        decide_alone(worker);
    hsi_reconsider(worker->exec, worker->now);
}

void hsi_decide_first(hs_exec *exec)
{
    int64_t  now = exec->control.start_ns;
    unsigned i;

    if (!hs_policy_groups_endings(exec->policy))
        return;
    hs_policy_collect_ready(exec->policy, 0, NULL, &exec->wake);
    for (i = 0; i < exec->work.workers; i++)
        if (exec->worker[i].turn.phase == HSI_OWN)
            wait_for_decision(&exec->worker[i], now);
    decide_woken(exec, now);
    hsi_reconsider(exec, now);
}

/* Claim the whole list before the start: so workers do not contend for a cache line at each
 * task. */
hs_status hsi_claim_own(hsi_worker *worker, hs_error *error)
{
    size_t i;

    worker->own = hs_policy_own_list(worker->exec->policy, worker->number, &worker->own_count);
    for (i = 0; worker->own && i < worker->own_count; i++)
        if (!hsi_claim(worker, worker->own[i])) {
            snprintf(error->why, HS_WHY, "%s", HSI_IMPOSSIBLE);
            return HS_ESCHEDULE;
        }
    return HS_OK;
}

static bool claim_next_own(hsi_worker *worker, uint32_t task)
{
    if (!worker->own)
        return hsi_claim(worker, task);
    return worker->own_next < worker->own_count && worker->own[worker->own_next++] == task;
}

bool hsi_next_own(hsi_worker *worker, uint32_t *task)
{
    hs_exec *exec = worker->exec;

    if (!hs_policy_take_own(exec->policy, worker->number, task))
        return false;
    if (claim_next_own(worker, *task))
        return true;
    hsi_lock(&exec->control);
    hsi_break_off(exec, HS_ESCHEDULE, HSI_IMPOSSIBLE);
    hsi_unlock(&exec->control);
    return false;
}
