/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/run/dispatcher.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/sized.h"

static hs_status make_policy(hs_exec *exec)
{
    const hsi_work *work = &exec->work;

    return hs_policy_create(work->settings.policy,
                            exec->bodies.reduced ? exec->bodies.reduced : work->in, work->plan,
                            work->settings.tolerance, &exec->policy);
}

static hs_status open_journal(hs_exec *exec, char why[HS_WHY])
{
    size_t    n = hs_instance_tasks(exec->work.in), i;
    hs_status st = hsi_results_open_journal(&exec->results, &exec->work, why);

    for (i = 0; i < n && st == HS_OK; i++)
        if (hsi_is_done_before(&exec->results, (uint32_t)i)) {
            exec->results.state[i] = HSI_TASK_OVER;
            hs_policy_skip(exec->policy, (uint32_t)i);
        }
    return st;
}

static hs_status prepare(hs_exec *exec, char why[HS_WHY])
{
    const hsi_work *work = &exec->work;
    hs_status       st = hsi_machine_find_devices(&exec->machine, work, why);

    if (st == HS_OK)
        st = hsi_bodies_make(&exec->bodies, work, &exec->machine, why);
    if (st == HS_OK)
        st = hsi_results_open(&exec->results, work);
    if (st == HS_OK)
        st = hsi_control_open(&exec->control, why);
    if (st == HS_OK)
        st = hsi_machine_assign_cores(&exec->machine, work, why);
    if (st == HS_OK)
        st = hsi_workers_make(exec, why);
    if (st == HS_OK)
        st = make_policy(exec);
    if (st == HS_OK)
        why[0] = '\0'; /* what bodies may lack is no complaint */
    if (st == HS_OK)
        st = open_journal(exec, why);
    return st == HS_OK ? hsi_progress_prepare(&exec->progress, work, &exec->results) : st;
}

hs_status hs_exec_create(const hs_instance *in, const hs_schedule *plan,
                         const hs_exec_settings *settings, hs_exec **out, char why[HS_WHY])
{
    char      unread[HS_WHY];
    hs_exec  *exec;
    hs_status st;

    if (!why)
        why = unread;
    why[0] = '\0';
    if (!in || !out)
        return HS_EINVAL;
    exec = aligned_alloc(_Alignof(hs_exec), sizeof *exec);
    if (!exec)
        return HS_ENOMEM;
    *exec = (hs_exec){.control = {.event_fd = -1}};
    st = hsi_work_set(&exec->work, in, plan, settings, why);
    if (st == HS_OK)
        st = prepare(exec, why);
    if (st == HS_OK)
        *out = exec;
    else
        hs_exec_free(exec);
    if (st != HS_OK && !why[0])
        snprintf(why, HS_WHY, "%s", hs_status_text(st));
    return st;
}

void hs_exec_free(hs_exec *exec)
{
    if (!exec)
        return;
    hsi_results_close(&exec->results);
    hs_policy_free(exec->policy);
    hsi_workers_free(exec);
    hsi_control_close(&exec->control);
    hsi_bodies_free(&exec->bodies);
    hsi_machine_close(&exec->machine);
    hsi_work_free(&exec->work);
    free(exec);
}

void hs_exec_worker(const hs_exec *exec, unsigned worker, hs_exec_worker_info *info)
{
    hs_exec_worker_info      full = {.os_cpu = -1};
    const hs_backend_device *device;

    if (exec && worker < exec->work.workers) {
        hs_worker_name(exec->work.cpus, worker, full.name);
        full.os_cpu = exec->machine.os_cpu[worker];
        device = hsi_machine_device(&exec->machine, &exec->work, worker);
        full.device = device ? device->uuid : NULL;
    }
    hsi_fill_sized(info, &full, sizeof full);
}

const char *hs_exec_backend(const hs_exec *exec, uint32_t task, hs_type type)
{
    const hsi_body *body;

    if (!exec || task >= hs_instance_tasks(exec->work.in) || (type != HS_CPU && type != HS_GPU))
        return NULL;
    body = hsi_body_of(&exec->bodies, exec->work.in, task, type);
    return body->body ? exec->bodies.backends[body->slot]->name : NULL;
}

uint64_t hs_exec_resumed(const hs_exec *exec)
{
    return exec ? exec->results.resumed : 0;
}
