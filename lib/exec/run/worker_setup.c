/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/run/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/error.h"
#include "support/cond.h"

/* Return the number of records to allocate at the start: for a whole list of the plan, or for a
 * fair share. */
static size_t expected_records(const hs_exec *exec, unsigned number)
{
    size_t tasks = hs_instance_tasks(exec->work.in), planned = 0;

    if (hs_policy_needs_plan(exec->work.settings.decide.policy)) {
        hs_schedule_entries(exec->work.plan, number, &planned);
        return planned + 64;
    }
    return tasks / exec->work.workers * 2 + 64;
}

static hs_status make_worker(hs_exec *exec, unsigned number, hs_error *error)
{
    hsi_worker *w = &exec->worker[number];

    w->exec = exec;
    w->number = number;
    w->type = number < exec->work.cpus ? HS_CPU : HS_GPU;
    w->turn.chosen = w->turn.prefetched = HS_NONE;
    w->records.capacity = expected_records(exec, number);
    w->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (w->wake_fd < 0)
        return hsi_error_set(error, HS_ERESOURCE, "no file descriptor for each of %u workers: %s",
                             exec->work.workers, strerror(errno));
    w->states = calloc(exec->bodies.backend_count + 1, sizeof(hs_backend_worker *));
    if (!w->states || hsi_cond_init(&w->turn.wake) != 0)
        return HS_ENOMEM;
    exec->conds++;
    w->attempt = (hs_attempt){.struct_size = sizeof w->attempt,
                              .instance = exec->work.in,
                              .worker = number,
                              .cancel = &w->cancel,
                              .wake_fd = w->wake_fd,
                              .why = w->why};
    return hsi_recorder_make(w);
}

hs_status hsi_workers_create(hs_exec *exec)
{
    unsigned i;

    exec->worker = aligned_alloc(64, exec->work.workers * sizeof *exec->worker);
    if (!exec->worker)
        return HS_ENOMEM;
    memset(exec->worker, 0, exec->work.workers * sizeof *exec->worker);
    for (i = 0; i < exec->work.workers; i++)
        exec->worker[i].wake_fd = -1;
    return HS_OK;
}

hs_status hsi_workers_open(hs_exec *exec, hs_error *error)
{
    unsigned  i;
    hs_status st = HS_OK;

    for (i = 0; i < exec->work.workers && st == HS_OK; i++)
        st = make_worker(exec, i, error);
    return st;
}

void hsi_workers_close(hs_exec *exec)
{
    unsigned i;

    for (i = 0; exec->worker && i < exec->work.workers; i++) {
        hsi_worker *w = &exec->worker[i];

        if (i < exec->conds)
            pthread_cond_destroy(&w->turn.wake);
        if (w->wake_fd >= 0)
            close(w->wake_fd);
        free(w->states);
        free(w->records.list);
        free(w->waits.list);
        free(w->log);
        free(w->errors);
        memset(w, 0, sizeof *w);
        w->wake_fd = -1;
    }
    exec->conds = 0;
}
