/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Choose the next tasks of busy GPUs. If copies take time, each busy GPU without a chosen task asks
 * the policy for one, after the policy has decided for all idle workers. The inputs of the chosen
 * task are copied early. Until the task starts, another worker may take it by a spoliation, without
 * a wait. GPUs that share data prefetch the inputs of the chosen task, or of the first task in
 * their queue of the policy.
 */
#include "exec/run/dispatcher/dispatcher_private.h"

#include "exec/run/window/window.h"

/* Return true if the worker's task has started and goes on, in the view of the policy too. The
 * policy would expect the start of a chosen task at once after an abort, and does not see retries,
 * so both return false. */
static bool runs(const hsi_worker *worker, int64_t now)
{
    return worker->dispatch->phase == HSI_RUN && worker->dispatch->inputs_at <= now &&
           worker->dispatch->cause == HSI_NOT_CANCELLED && !worker->dispatch->is_retry;
}

/* Let the worker choose a task; fail the run if the policy makes an impossible decision. */
static void choose(hsi_worker *worker, int64_t now)
{
    hs_exec    *exec = worker->exec;
    const char *fault = HSI_ONLY_PREFETCHES;
    hs_decision d;

    hs_policy_prefetch(exec->policy, worker->number, hsi_policy_time(exec, now), &d,
                       &exec->dispatcher->wake);
    if (d.kind == HS_DECIDE_WAIT)
        return;
    if (d.kind == HS_DECIDE_START)
        fault = isnan(d.start) ? HSI_NOT_READY : hsi_claim_task(worker, d.task);
    if (fault)
        hsi_fail_decision(worker, &d, now, fault);
    else
        worker->dispatch->chosen = d.task;
}

bool hsi_choose_next_gpu_tasks(hs_exec *exec, int64_t now)
{
    unsigned i;

    for (i = exec->spec.cpus; i < exec->spec.workers && !hsi_control_halt(exec->control); i++) {
        hsi_worker *w = &exec->worker[i];

        if (!runs(w, now) || w->dispatch->chosen != HS_NONE)
            continue;
        choose(w, now);
        if (w->dispatch->chosen != HS_NONE && exec->dispatcher->waiting &&
            (exec->dispatcher->wake.types || exec->dispatcher->wake.count))
            return true;
    }
    return false;
}

void hsi_drop_chosen_task(hsi_worker *worker, hs_ending how, int64_t now)
{
    hs_exec *exec = worker->exec;
    uint32_t task = worker->dispatch->chosen;

    if (task == HS_NONE)
        return;
    worker->dispatch->chosen = HS_NONE;
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

        if (w->dispatch->phase == HSI_LEAVE)
            continue;
        if (w->dispatch->phase != HSI_RUN || !hs_policy_peek(exec->policy, i, &task))
            task = HS_NONE;
        hsi_window_prefetch(w, task);
    }
}
