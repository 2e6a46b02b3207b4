/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Announce the tasks that a worker on a plan runs next. Where GPUs share data with CPUs, the worker
 * prefetches the inputs of these tasks. A GPU also queues a task behind the present one if all
 * predecessors are done or are queued on the same GPU, provided that no task is tried again or
 * given to another worker.
 */
#include "exec/run/window/window_private.h"

#include <stdlib.h>

#include "exec/run/results.h"

enum { DEPTH = 6, DEPTH_MOST = DEPTH + HSI_SEGMENT };

hs_status hsi_window_create(hsi_worker *worker)
{
    worker->window = malloc(sizeof *worker->window);
    if (!worker->window)
        return HS_ENOMEM;
    hsi_window_reset(worker);
    return HS_OK;
}

void hsi_window_reset(hsi_worker *worker)
{
    *worker->window = (hsi_window){.prefetched = HS_NONE};
}

void hsi_window_free(hsi_worker *worker)
{
    free(worker->window);
}

bool hsi_plan_decides_order(const hs_exec *exec)
{
    const hsi_run_spec *spec = &exec->spec;

    return spec->plan && hs_policy_keeps_plan(spec->settings.decide.policy) && !spec->timed &&
           !spec->settings.fail.retries && spec->settings.fail.halt != HS_HALT_NEVER;
}

/* Return the index of the task in the worker's part of the plan; `count`: not found. */
static size_t place_of(hsi_worker *worker, const hs_entry *entries, size_t count, uint32_t task)
{
    size_t i = worker->window->planned;

    while (i < count && (entries[i].task != task || entries[i].state != HS_RUN))
        i++;
    if (i < count)
        worker->window->planned = i;
    return i;
}

static bool is_in_list(const hsi_ahead *list, size_t count, uint32_t task)
{
    while (count-- > 0)
        if (list[count].certain && list[count].task == task)
            return true;
    return false;
}

/* Return true if all predecessors of the task are done or certain in the list. */
static bool is_certain(const hs_exec *exec, const hs_graph *graph, const hsi_ahead *list,
                       size_t count, uint32_t task)
{
    size_t          before, tasks = hs_instance_tasks(exec->spec.in);
    const uint32_t *v = hs_graph_predecessors(graph, task, &before, NULL);

    for (; before > 0; before--, v++) {
        if (*v >= tasks)
            return false;
        if (hsi_results_state(exec->results, *v) != HSI_TASK_OVER && !is_in_list(list, count, *v))
            return false;
    }
    return true;
}

static size_t make_list(hsi_worker *worker, const hs_graph *graph, uint32_t task, hsi_ahead *list)
{
    const hs_exec  *exec = worker->exec;
    const hsi_body *body = hsi_worker_body(worker, task);
    const hs_entry *entries;
    const size_t depth = worker->window->has_segments ? DEPTH_MOST : DEPTH; /* a whole segment must
                                                                       fit */
    const bool      settled = hsi_plan_decides_order(exec);
    size_t     count = 0, planned, i;

    list[count++] = (hsi_ahead){body->body, task, true};
    entries = hs_schedule_entries(exec->spec.plan, worker->number, &planned);
    for (i = place_of(worker, entries, planned, task) + 1; i < planned && count < depth; i++) {
        uint32_t        next = entries[i].task;
        const hsi_body *other = hsi_worker_body(worker, next);

        if (entries[i].state != HS_RUN)
            continue;
        if (!other->body || other->slot != body->slot)
            break;
        list[count] = (hsi_ahead){other->body, next, false};
        list[count].certain = settled && is_certain(exec, graph, list, count, next);
        count++;
    }
    return count;
}

void hsi_window_announce_start(hsi_worker *worker, uint32_t task)
{
    const hs_exec     *exec = worker->exec;
    const hsi_run_data *data = hsi_bodies_data(exec->bodies);
    const hs_graph    *graph = NULL;
    hsi_ahead          list[DEPTH_MOST];
    size_t             count, i;
    unsigned           slot;

    if (!hsi_run_data_devices(data) || !exec->spec.plan ||
        !hs_policy_keeps_plan(exec->spec.settings.decide.policy))
        return;
    slot = hsi_worker_body(worker, task)->slot;
    if (!hsi_bodies_slot_shares_data(exec->bodies, slot) ||
        hs_instance_graph(exec->spec.in, &graph) != HS_OK || !graph)
        return;
    count = make_list(worker, graph, task, list);
    if (worker->type == HS_GPU)
        hsi_device_ahead(worker->states[slot], list, count);
    for (i = 1; i < count && worker->type == HS_CPU; i++)
        hsi_run_data_prefetch(data, hs_instance_row_of(exec->spec.in, list[i].task));
}

void hsi_window_prefetch(hsi_worker *worker, uint32_t task)
{
    const hs_exec     *exec = worker->exec;
    const hsi_body    *body = NULL;
    unsigned           slot;

    if (task == worker->window->prefetched)
        return;
    worker->window->prefetched = task;
    slot = hsi_bodies_sharing_slot(exec->bodies);
    if (task != HS_NONE)
        body = hsi_worker_body(worker, task);
    if (worker->states[slot])
        hsi_device_next(worker->states[slot], body && body->slot == slot ? body->body : NULL);
}
