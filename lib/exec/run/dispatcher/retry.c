/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/run/dispatcher/dispatcher_private.h"

#include <stdlib.h>
#include <string.h>

struct hsi_retries {
    hsi_retry *list;
    size_t     count, capacity;
};

hs_status hsi_retries_create(hsi_retries **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? HS_OK : HS_ENOMEM;
}

void hsi_retries_free(hsi_retries *retries)
{
    if (retries)
        free(retries->list);
    free(retries);
}

void hsi_retries_clear(hsi_retries *retries)
{
    retries->count = 0;
}

size_t hsi_retries_count(const hsi_retries *retries)
{
    return retries->count;
}

static bool can_run(const hsi_worker *worker, uint32_t task)
{
    return worker->dispatch->phase != HSI_LEAVE && hsi_worker_body(worker, task)->body;
}

/* Return true if another worker of that type is in service and can run the task. */
static bool has_other(const hs_exec *exec, const hsi_retry *r, hs_type type)
{
    unsigned i, begin = type == HS_CPU ? 0 : exec->spec.cpus;
    unsigned end = type == HS_CPU ? exec->spec.cpus : exec->spec.workers;

    for (i = begin; i < end; i++)
        if (i != r->last && can_run(&exec->worker[i], r->task))
            return true;
    return false;
}

/* Return true if the next attempt is meant for this worker: see retry.h. */
static bool is_for(const hsi_retry *r, const hsi_worker *worker)
{
    const hs_exec *exec = worker->exec;
    hs_type        same = exec->worker[r->last].type, other = same == HS_CPU ? HS_GPU : HS_CPU;
    hs_type        first = r->streak < 2 ? same : other, second = r->streak < 2 ? other : same;

    if (!can_run(worker, r->task))
        return false;
    if (has_other(exec, r, first))
        return worker->type == first && worker->number != r->last;
    if (has_other(exec, r, second))
        return worker->type == second && worker->number != r->last;
    return true;
}

static bool is_awaited(const hs_exec *exec, const hsi_retry *r)
{
    unsigned i;

    for (i = 0; i < exec->spec.workers; i++)
        if (exec->worker[i].dispatch->phase == HSI_WAIT && !exec->worker[i].dispatch->victim &&
            is_for(r, &exec->worker[i]))
            return true;
    return false;
}

static bool may_take(const hsi_retry *r, const hsi_worker *worker, bool idle)
{
    return is_for(r, worker) ||
           (idle && worker->dispatch->row.length == 0 && worker->number != r->last &&
            can_run(worker, r->task) && !is_awaited(worker->exec, r));
}

bool hsi_retry_add(hsi_worker *worker, uint32_t task, int64_t due)
{
    hs_exec         *exec = worker->exec;
    hsi_retries     *retries = exec->dispatcher->retries;
    const hsi_retry *before = worker->dispatch->is_retry ? &worker->dispatch->retry : NULL;
    hsi_retry        r = {due, task, worker->number, 1};

    if (before && exec->worker[before->last].type == worker->type)
        r.streak = before->streak + 1;
    if (retries->count == retries->capacity) {
        size_t     capacity = retries->capacity ? 2 * retries->capacity : 16;
        hsi_retry *more = realloc(retries->list, capacity * sizeof *more);

        if (!more)
            return false;
        retries->list = more;
        retries->capacity = capacity;
    }
    retries->list[retries->count++] = r;
    hs_wake_all(&exec->dispatcher->wake); /* waiting workers may take this retry */
    return true;
}

static hsi_retry remove_at(hsi_retries *retries, size_t at)
{
    hsi_retry r = retries->list[at];

    retries->count--;
    memmove(&retries->list[at], &retries->list[at + 1],
            (retries->count - at) * sizeof *retries->list);
    return r;
}

bool hsi_retry_take_due(hsi_worker *worker, bool idle, int64_t now)
{
    hsi_retries *retries = worker->exec->dispatcher->retries;
    size_t       i;

    for (i = 0; i < retries->count; i++)
        if (retries->list[i].due <= now && may_take(&retries->list[i], worker, idle)) {
            worker->dispatch->retry = remove_at(retries, i);
            worker->dispatch->is_retry = true;
            return true;
        }
    return false;
}

int64_t hsi_retry_due(const hsi_worker *worker)
{
    const hsi_retries *retries = worker->exec->dispatcher->retries;
    int64_t            due = HSI_FAR;
    size_t             i;

    for (i = 0; i < retries->count; i++)
        if (retries->list[i].due < due && may_take(&retries->list[i], worker, true))
            due = retries->list[i].due;
    return due;
}

bool hsi_retry_stranded(hs_exec *exec, uint32_t *task)
{
    hsi_retries *retries = exec->dispatcher->retries;
    size_t       i;

    for (i = 0; i < retries->count; i++) {
        const hsi_retry *r = &retries->list[i];

        if (has_other(exec, r, HS_CPU) || has_other(exec, r, HS_GPU) ||
            can_run(&exec->worker[r->last], r->task))
            continue;
        *task = remove_at(retries, i).task;
        return true;
    }
    return false;
}
