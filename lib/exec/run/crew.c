/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/run/dispatcher.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static hs_status make_cond(pthread_cond_t *cond)
{
    pthread_condattr_t attributes;
    int                error = pthread_condattr_init(&attributes);

    if (error)
        return HS_ENOMEM;
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    error = pthread_cond_init(cond, &attributes);
    pthread_condattr_destroy(&attributes);
    return error ? HS_ENOMEM : HS_OK;
}

/* How many records to have room for from the start: all of a plan's list, or a fair share. */
static size_t expected_records(const hs_exec *exec, unsigned number)
{
    size_t tasks = hs_instance_tasks(exec->in), planned = 0;

    if (hs_policy_needs_plan(exec->settings.policy)) {
        hs_schedule_entries(exec->plan, number, &planned);
        return planned + 64;
    }
    return tasks / exec->workers * 2 + 64;
}

static hs_status make_worker(hs_exec *exec, unsigned number, char why[HS_WHY])
{
    hsi_worker *w = &exec->worker[number];

    w->exec = exec;
    w->number = number;
    w->type = number < exec->cpus ? HS_CPU : HS_GPU;
    w->os_cpu = exec->places[number];
    w->capacity = expected_records(exec, number);
    w->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (w->wake_fd < 0) {
        snprintf(why, HS_WHY, "no file descriptor for each of %u workers: %s", exec->workers,
                 strerror(errno));
        return HS_ERESOURCE;
    }
    w->states = calloc(exec->backend_count + 1, sizeof(hs_backend_worker *));
    if (!w->states || make_cond(&w->wake) != HS_OK)
        return HS_ENOMEM;
    exec->conds++;
    w->attempt = (hs_attempt){.struct_size = sizeof w->attempt,
                              .instance = exec->in,
                              .worker = number,
                              .cancel = &w->cancel,
                              .wake_fd = w->wake_fd,
                              .why = w->why};
    if (exec->logs) {
        w->log = malloc(strlen(exec->logs) + 1024);
        w->attempt.log = w->log;
        if (!w->log)
            return HS_ENOMEM;
    }
    return HS_OK;
}

static hs_status make_locks(hs_exec *exec)
{
    if (pthread_mutex_init(&exec->lock, NULL) != 0)
        return HS_ENOMEM;
    if (make_cond(&exec->gate) != HS_OK) {
        pthread_mutex_destroy(&exec->lock);
        return HS_ENOMEM;
    }
    exec->locks = 1;
    return HS_OK;
}

hs_status hsi_crew_make(hs_exec *exec, char why[HS_WHY])
{
    unsigned  i;
    hs_status st = hsi_topology_open(&exec->topology, why);

    if (st == HS_OK)
        st = hsi_cores_assign(exec, why);
    if (st == HS_OK)
        st = make_locks(exec);
    if (st != HS_OK)
        return st;
    exec->worker = aligned_alloc(64, exec->workers * sizeof *exec->worker);
    if (!exec->worker)
        return HS_ENOMEM;
    memset(exec->worker, 0, exec->workers * sizeof *exec->worker);
    for (i = 0; i < exec->workers; i++)
        exec->worker[i].wake_fd = -1;
    for (i = 0; i < exec->workers && st == HS_OK; i++)
        st = make_worker(exec, i, why);
    return st;
}

void hsi_crew_free(hs_exec *exec)
{
    unsigned i;

    for (i = 0; exec->worker && i < exec->workers; i++) {
        hsi_worker *w = &exec->worker[i];

        if (i < exec->conds)
            pthread_cond_destroy(&w->wake);
        if (w->wake_fd >= 0)
            close(w->wake_fd);
        free(w->states);
        free(w->records);
        free(w->log);
    }
    free(exec->worker);
    free(exec->places);
    if (exec->locks) {
        pthread_cond_destroy(&exec->gate);
        pthread_mutex_destroy(&exec->lock);
    }
    hsi_topology_close(exec->topology);
}
