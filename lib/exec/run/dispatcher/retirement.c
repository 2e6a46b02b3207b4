/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Retire broken workers: a broken worker fails fast and so takes many tasks. A worker counts as
 * broken after `retire_after` failures in a row if another worker did one of the failed tasks, and
 * after 4 * `retire_after` failures in a row if the other workers did at least as many tasks in the
 * same time. The dispatcher does not retire a worker with in-flight tasks, or the last worker that
 * can run some task.
 */
#include "exec/run/dispatcher/dispatcher_private.h"

#include "exec/run/report/report.h"

static uint64_t done_by_others(const hsi_worker *worker)
{
    const hs_exec *exec = worker->exec;
    uint64_t       sum = 0;
    unsigned       i;

    for (i = 0; i < exec->spec.workers; i++)
        if (i != worker->number)
            sum += hsi_account_done_tasks(&exec->worker[i]);
    return sum;
}

static unsigned others_in_service(const hsi_worker *worker, hs_type type)
{
    const hs_exec *exec = worker->exec;
    unsigned       count = 0, i;

    for (i = 0; i < exec->spec.workers; i++)
        count += i != worker->number && exec->worker[i].type == type &&
                 exec->worker[i].dispatch->phase != HSI_LEAVE;
    return count;
}

/* Return true if the task is still to be run. Call this for the last worker that can run the task,
 * without in-flight tasks: a started task of its list stays in HSI_TASK_RUNS, and has failed or is
 * done. */
static bool is_left(const hsi_worker *worker, size_t task)
{
    const hsi_results   *results = worker->exec->results;
    const hsi_task_state state = hsi_results_state(results, (uint32_t)task);

    return state == HSI_TASK_FREE || worker->dispatch->chosen == task ||
           (state == HSI_TASK_RUNS && hsi_results_failures(results, (uint32_t)task));
}

/* Return true if the remaining workers can run all remaining tasks. */
static bool can_be_spared(const hsi_worker *worker)
{
    const hs_exec *exec = worker->exec;
    hs_type        other = worker->type == HS_CPU ? HS_GPU : HS_CPU;
    size_t         n = hs_instance_tasks(exec->spec.in), i;

    if (others_in_service(worker, worker->type))
        return true;
    if (!others_in_service(worker, other))
        return false;
    for (i = worker->dispatch->own_next; i < worker->dispatch->own_count; i++)
        if (!hsi_body_of(exec->bodies, exec->spec.in, worker->dispatch->own[i], other)->body)
            return false;
    for (i = 0; i < n; i++)
        if (is_left(worker, i) &&
            !hsi_body_of(exec->bodies, exec->spec.in, (uint32_t)i, other)->body)
            return false;
    return true;
}

unsigned hsi_count_consecutive_failure(hsi_worker *worker)
{
    hsi_failure_row *row = &worker->dispatch->row;
    unsigned         enough = worker->exec->spec.settings.fail.retire_after;

    if (row->length++ == 0) {
        row->done_elsewhere = false;
        row->others_done = done_by_others(worker);
    }
    if (row->length < enough || worker->in_flight)
        return 0;
    if (!row->done_elsewhere &&
        (row->length / 4 < enough || done_by_others(worker) - row->others_done < row->length))
        return 0;
    return can_be_spared(worker) ? row->length : 0;
}

bool hsi_is_near_retirement(const hsi_worker *worker)
{
    return worker->dispatch->row.length >= worker->exec->spec.settings.fail.retire_after;
}
