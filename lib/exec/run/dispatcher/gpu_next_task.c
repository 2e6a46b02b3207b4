/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Choose the next tasks of busy GPUs. Where copies take time, each GPU without a chosen task
 * chooses one, after all idle workers were asked. Its inputs are on their way then; until the task
 * starts, another worker may take it at once, as it may spoliate a running task. GPUs that share
 * data with others prefetch the inputs of the task that waits for them, either chosen here or first
 * in a queue of the policy.
 */
#include "exec/run/dispatcher/dispatcher_private.h"

#include "exec/run/window/window.h"

/*
 * Return true if the worker's task has started and goes on. A worker that must abort is about to be
 * idle, and the policy does not know of a retry: to the policy the worker would be about to start
 * the chosen task.
 */
static bool runs(const hsi_worker *worker, int64_t now)
{
    return worker->turn->phase == HSI_RUN && worker->turn->inputs_at <= now &&
           worker->turn->cause == HSI_NOT_CANCELLED && !worker->turn->is_retry;
}

/* Return false if the policy makes an impossible decision. */
static bool choose(hsi_worker *worker, int64_t now)
{
    hs_exec    *exec = worker->exec;
    hs_decision d;

    hs_policy_prefetch(exec->policy, worker->number, hsi_policy_time(exec, now), &d,
                       &exec->dispatcher->wake);
    if (d.kind == HS_DECIDE_WAIT)
        return true;
    if (d.kind != HS_DECIDE_START || !hsi_claim(worker, d.task))
        return false;
    worker->turn->chosen = d.task;
    return true;
}

bool hsi_choose_next(hs_exec *exec, int64_t now)
{
    unsigned i;

    for (i = exec->spec.cpus; i < exec->spec.workers && !hsi_control_halt(exec->control); i++) {
        hsi_worker *w = &exec->worker[i];

        if (!runs(w, now) || w->turn->chosen != HS_NONE)
            continue;
        if (!choose(w, now))
            hsi_break_off(exec, HS_ESCHEDULE, HSI_IMPOSSIBLE);
        if (w->turn->chosen != HS_NONE && exec->dispatcher->waiting &&
            (exec->dispatcher->wake.types || exec->dispatcher->wake.count))
            return true;
    }
    return false;
}

void hsi_drop_chosen(hsi_worker *worker, hs_ending how, int64_t now)
{
    hs_exec *exec = worker->exec;
    uint32_t task = worker->turn->chosen;

    if (task == HS_NONE)
        return;
    worker->turn->chosen = HS_NONE;
    hsi_results_set_state(exec->results, task, HSI_TASK_FREE);
    hs_policy_ended(exec->policy, worker->number, task, how, hsi_policy_time(exec, now),
                    &exec->dispatcher->wake);
}

void hsi_prefetch_waiting(hs_exec *exec)
{
    unsigned i;
    uint32_t task;

    for (i = exec->spec.cpus; i < exec->spec.workers; i++) {
        hsi_worker *w = &exec->worker[i];

        if (w->turn->phase == HSI_LEAVE)
            continue;
        if (w->turn->phase != HSI_RUN || !hs_policy_peek(exec->policy, i, &task))
            task = HS_NONE;
        hsi_window_prefetch(w, task);
    }
}
