/* SPDX-License-Identifier: BSD-3-Clause */
/* The account of a worker: records of its attempts and waits, and sums. */
#include "exec/run/report/report_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/run/control.h"
#include "support/atomic.h"

hs_status hsi_account_create(hsi_worker *worker)
{
    worker->account = aligned_alloc(_Alignof(hsi_account), sizeof *worker->account);
    if (!worker->account)
        return HS_ENOMEM;
    *worker->account = (hsi_account){0};
    return HS_OK;
}

void hsi_account_reset(hsi_worker *worker)
{
    free(worker->account->records);
    free(worker->account->waits);
    *worker->account = (hsi_account){0};
}

void hsi_account_free(hsi_worker *worker)
{
    if (!worker->account)
        return;
    hsi_account_reset(worker);
    free(worker->account);
}

bool hsi_account_allocate(hsi_worker *worker, size_t count)
{
    hsi_account *account = worker->account;

    account->records = malloc(count * sizeof *account->records);
    if (!account->records)
        return false;
    memset(account->records, 0, count * sizeof *account->records); /* avoids later page faults */
    account->record_capacity = count;
    return true;
}

bool hsi_account_make_room(hsi_worker *worker)
{
    hsi_account    *account = worker->account;
    hs_exec_record *more;

    if (account->record_count < account->record_capacity)
        return true;
    more = realloc(account->records, 2 * account->record_capacity * sizeof *more);
    if (!more)
        return false;
    account->records = more;
    account->record_capacity *= 2;
    return true;
}

bool hsi_account_make_wait_room(hsi_worker *worker)
{
    hsi_account *account = worker->account;
    size_t       capacity = 2 * account->wait_capacity + 8;
    hs_wait     *more;

    if (account->wait_count < account->wait_capacity)
        return true;
    more = realloc(account->waits, capacity * sizeof *more);
    if (!more)
        return false;
    account->waits = more;
    account->wait_capacity = capacity;
    return true;
}

const hs_exec_record *hsi_account_add_attempt(hsi_worker *worker, const hs_exec_record *attempt)
{
    hsi_account    *account = worker->account;
    hs_exec_record *record = &account->records[account->record_count++];

    *record = *attempt;
    return record;
}

double hsi_task_weight(const hs_instance *in, uint32_t task)
{
    return fmin(hs_instance_time(in, task, HS_CPU), hs_instance_time(in, task, HS_GPU));
}

double hsi_account_done_weight(const hsi_worker *worker)
{
    uint64_t bits = hsi_atomic_load64(&worker->account->weight);
    double   weight;

    memcpy(&weight, &bits, sizeof weight);
    return weight;
}

static void add_weight(hsi_worker *worker, uint32_t task)
{
    double weight = hsi_account_done_weight(worker) + hsi_task_weight(worker->exec->spec.in, task);
    uint64_t bits;

    memcpy(&bits, &weight, sizeof bits);
    hsi_atomic_store64(&worker->account->weight, bits);
}

void hsi_account_add_done(hsi_worker *worker, uint32_t task, hs_verification verification)
{
    hsi_account *account = worker->account;

    account->checks[verification]++;
    hsi_atomic_store64(&account->done, account->done + 1);
    if (worker->exec->spec.settings.report.progress)
        add_weight(worker, task);
}

uint64_t hsi_account_done_tasks(const hsi_worker *worker)
{
    return hsi_atomic_load64(&worker->account->done);
}

void hsi_account_show_task(hsi_worker *worker, uint32_t task, int64_t since)
{
    hsi_atomic_store(&worker->account->running, (int)task);
    hsi_atomic_store64(&worker->account->running_since, (uint64_t)since);
}

void hsi_account_show_no_task(hsi_worker *worker)
{
    hsi_atomic_store64(&worker->account->running_since, 0);
}

void hsi_account_add_wait(hsi_worker *worker, const hsi_worker *victim, uint32_t task,
                          int64_t since, int64_t until)
{
    const int64_t start = hsi_control_start_ns(worker->exec->control);
    hsi_account  *account = worker->account;

    if (until > since && hsi_account_make_wait_room(worker))
        account->waits[account->wait_count++] = (hs_wait){.start = 1e-9 * (double)(since - start),
                                                          .end = 1e-9 * (double)(until - start),
                                                          .task = task,
                                                          .worker = worker->number,
                                                          .victim = victim->number};
}

void hsi_account_add_idle(hsi_worker *worker, int64_t ns)
{
    worker->account->idle_ns += ns;
}

void hsi_account_set_idle_since(hsi_worker *worker, int64_t since)
{
    worker->account->idle_since = since;
}

void hsi_account_add_core_time(hsi_worker *worker, hsi_core_time time)
{
    worker->account->core.used += time.used;
    worker->account->core.waited += time.waited;
}

const hs_exec_record *hs_exec_records(const hs_exec *exec, unsigned worker, size_t *count)
{
    *count = 0;
    if (!exec || worker >= exec->spec.workers)
        return NULL;
    *count = exec->worker[worker].account->record_count;
    return exec->worker[worker].account->records;
}

const hs_wait *hs_exec_waits(const hs_exec *exec, unsigned worker, size_t *count)
{
    *count = exec && worker < exec->spec.workers ? exec->worker[worker].account->wait_count : 0;
    return *count > 0 ? exec->worker[worker].account->waits : NULL;
}
