/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/run/dispatcher.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

static void fill_options(hs_exec *exec)
{
    const hs_exec_settings *s = &exec->settings;

    exec->seconds_per_unit = hs_unit_seconds(hs_instance_unit(exec->in)) * s->time_scale;
    exec->timed = s->timeout > 0 || s->timeout_factor > 0;
    exec->options = (hs_backend_options){
        .struct_size = sizeof exec->options,
        .seconds_per_unit = exec->seconds_per_unit,
        .grace = s->grace,
        .allow_commands = s->allow_commands,
        .allow_plugins = s->allow_plugins,
        .keep_visible_devices = s->keep_visible_devices,
        .emulate = {s->emulate[HS_CPU], s->emulate[HS_GPU]},
        .verify = s->verify,
        .gpu_mode = s->gpu_mode,
        .resident = s->resident,
    };
}

static hs_status check_plan(const hs_exec *exec, char why[HS_WHY])
{
    hs_violation first;
    hs_status    st;

    if (!exec->plan)
        return HS_OK;
    st = hs_schedule_check(exec->in, exec->plan, &first);
    if (st == HS_ESCHEDULE)
        snprintf(why, HS_WHY, "the plan is not valid: %s", hs_violation_text(first.kind));
    return st;
}

static hs_status keep_folder(hs_exec *exec, char why[HS_WHY])
{
    const char *logs = exec->settings.logs;
    struct stat folder;

    if (!logs)
        return HS_OK;
    if (stat(logs, &folder) != 0 || (!S_ISDIR(folder.st_mode) && (errno = ENOTDIR)) ||
        access(logs, W_OK | X_OK) != 0) {
        snprintf(why, HS_WHY, "%.200s: no folder to write logs in: %s", logs, strerror(errno));
        return HS_EINVAL;
    }
    exec->logs = strdup(logs);
    return exec->logs ? HS_OK : HS_ENOMEM;
}

static hs_status make_counters(hs_exec *exec, char why[HS_WHY])
{
    size_t n = hs_instance_tasks(exec->in);

    exec->attempts = calloc(n + 1, sizeof *exec->attempts);
    exec->failures = calloc(n + 1, sizeof *exec->failures);
    if (!exec->attempts || !exec->failures)
        return HS_ENOMEM;
    exec->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (exec->event_fd >= 0)
        return HS_OK;
    snprintf(why, HS_WHY, "no file descriptor is left: %s", strerror(errno));
    return HS_ERESOURCE;
}

static hs_status make_policy(hs_exec *exec)
{
    return hs_policy_create(exec->settings.policy, hsi_estimates(exec), exec->plan,
                            exec->settings.tolerance, &exec->policy);
}

/* Last, as it makes a file. */
static hs_status open_journal(hs_exec *exec, char why[HS_WHY])
{
    const hs_exec_settings *s = &exec->settings;
    size_t                  n = hs_instance_tasks(exec->in), i;
    uint64_t                digest;
    hs_status               st;

    if (!s->journal)
        return HS_OK;
    exec->skip = calloc(n + 1, 1);
    if (!exec->skip)
        return HS_ENOMEM;
    digest = hsi_journal_digest(exec->in, exec->plan);
    if (s->look_only)
        st = hsi_journal_look(s->journal, exec->in, digest, s->resume, exec->skip, &exec->resumed, why);
    else
        st = hsi_journal_open(s->journal, exec->in, digest, s->resume, exec->skip, &exec->resumed,
                              &exec->journal, why);
    for (i = 0; i < n && st == HS_OK; i++)
        if (exec->skip[i])
            hs_policy_skip(exec->policy, (uint32_t)i);
    return st;
}

static hs_status prepare(hs_exec *exec, char why[HS_WHY])
{
    hs_status st = check_plan(exec, why);

    if (st == HS_OK)
        st = keep_folder(exec, why);
    if (st == HS_OK)
        st = hsi_devices_find(exec, why);
    if (st == HS_OK)
        st = hsi_bodies_make(exec, why);
    if (st == HS_OK)
        st = make_counters(exec, why);
    if (st == HS_OK)
        st = hsi_crew_make(exec, why);
    if (st == HS_OK)
        st = make_policy(exec);
    if (st == HS_OK)
        why[0] = '\0'; /* what bodies may lack is no complaint */
    if (st == HS_OK)
        st = open_journal(exec, why);
    return st == HS_OK ? hsi_progress_prepare(exec) : st;
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
    *exec = (hs_exec){.in = in,
                      .plan = plan,
                      .cpus = hs_instance_cpus(in),
                      .gpus = hs_instance_gpus(in),
                      .event_fd = -1};
    exec->workers = exec->cpus + exec->gpus;
    st = hsi_exec_settings_resolve(&exec->settings, settings, plan, why);
    fill_options(exec);
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
    size_t i;

    if (!exec)
        return;
    hsi_journal_close(exec->journal, &(uint64_t){0}, (char[HS_WHY]){0});
    hs_policy_free(exec->policy);
    hsi_crew_free(exec);
    hsi_bodies_free(exec);
    hsi_devices_free(exec);
    for (i = 0; i < exec->failure_count; i++) {
        free(exec->failure[i].why);
        free(exec->failure[i].log);
    }
    if (exec->event_fd >= 0)
        close(exec->event_fd);
    free(exec->failure);
    free(exec->attempts);
    free(exec->failures);
    free(exec->skip);
    free(exec->logs);
    free(exec);
}

void hs_exec_worker(const hs_exec *exec, unsigned worker, hs_exec_worker_info *info)
{
    hs_exec_worker_info full = {.struct_size = info->struct_size, .os_cpu = -1};

    if (exec && worker < exec->workers) {
        hs_worker_name(exec->cpus, worker, full.name);
        full.os_cpu = exec->worker[worker].os_cpu;
        full.device = hsi_device_of(exec, worker) ? hsi_device_of(exec, worker)->uuid : NULL;
    }
    memcpy(info, &full, info->struct_size < sizeof full ? info->struct_size : sizeof full);
}

const char *hs_exec_backend(const hs_exec *exec, uint32_t task, hs_type type)
{
    const hsi_body *body;

    if (!exec || task >= hs_instance_tasks(exec->in) || (type != HS_CPU && type != HS_GPU))
        return NULL;
    body = hsi_body_of(exec, task, type);
    return body->body ? exec->backends[body->slot]->name : NULL;
}

uint64_t hs_exec_resumed(const hs_exec *exec)
{
    return exec ? exec->resumed : 0;
}
