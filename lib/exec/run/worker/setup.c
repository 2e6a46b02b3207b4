/* SPDX-License-Identifier: BSD-3-Clause */
/* Create, reset and free the workers with the data of all modules. */
#include "exec/run/worker/worker_private.h"

#include <stdlib.h>
#include <string.h>

#include "exec/run/dispatcher/dispatcher.h"
#include "exec/run/report/report.h"
#include "exec/run/window/window.h"

static hs_status create_thread_data(hsi_worker *worker)
{
    hsi_thread *thread = aligned_alloc(_Alignof(hsi_thread), sizeof *thread);

    if (!thread)
        return HS_ENOMEM;
    *thread = (hsi_thread){.worker = worker};
    worker->thread = thread;
    thread->attempt = (hs_attempt){.struct_size = sizeof thread->attempt,
                                   .instance = worker->exec->spec.in,
                                   .worker = worker->number,
                                   .why = worker->why};
    hsi_dispatch_state_connect(worker, &thread->attempt);
    worker->states =
        calloc(hsi_bodies_slot_count(worker->exec->bodies) + 1, sizeof *worker->states);
    return worker->states ? hsi_log_create(worker) : HS_ENOMEM;
}

static hs_status create_worker(hs_exec *exec, unsigned number, hs_error *error)
{
    hsi_worker *w = &exec->worker[number];
    hs_status   st;

    w->exec = exec;
    w->number = number;
    w->type = number < exec->spec.cpus ? HS_CPU : HS_GPU;
    st = hsi_dispatch_state_create(w, error);
    if (st == HS_OK)
        st = hsi_account_create(w);
    if (st == HS_OK)
        st = hsi_window_create(w);
    return st == HS_OK ? create_thread_data(w) : st;
}

hs_status hsi_workers_create(hs_exec *exec, hs_error *error)
{
    size_t    bytes = exec->spec.workers * sizeof *exec->worker;
    unsigned  i;
    hs_status st = HS_OK;

    exec->worker = aligned_alloc(_Alignof(hsi_worker), bytes);
    if (!exec->worker)
        return HS_ENOMEM;
    memset(exec->worker, 0, bytes);
    for (i = 0; i < exec->spec.workers && st == HS_OK; i++)
        st = create_worker(exec, i, error);
    return st;
}

void hsi_workers_free(hs_exec *exec)
{
    unsigned i;

    for (i = 0; exec->worker && i < exec->spec.workers; i++) {
        hsi_worker *w = &exec->worker[i];

        hsi_dispatch_state_free(w);
        hsi_account_free(w);
        hsi_window_free(w);
        if (w->thread)
            free(w->thread->errors);
        free(w->thread);
        free(w->log);
        free(w->states);
    }
    free(exec->worker);
}

void hsi_workers_reset(hs_exec *exec)
{
    unsigned i;

    for (i = 0; i < exec->spec.workers; i++) {
        hsi_worker *w = &exec->worker[i];

        hsi_account_reset(w);
        hsi_window_reset(w);
        w->now = 0;
        w->in_flight = 0;
        w->why[0] = '\0';
    }
}
