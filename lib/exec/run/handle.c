/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/run/run.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/error.h"
#include "exec/backend/command/starter.h"
#include "exec/run/kernel_memory.h"
#include "exec/why.h"
#include "support/sized.h"

static hs_policy_settings policy_settings(const hs_exec_settings *s)
{
    hs_policy_settings settings;

    hs_policy_settings_init(&settings);
    settings.tolerance = s->decide.tolerance;
    settings.rank = s->decide.rank;
    settings.parameters = s->decide.parameters;
    settings.transfers = s->keep.transfers;
    return settings;
}

static const hs_instance *estimates(const hs_exec *exec)
{
    return exec->bodies.reduced ? exec->bodies.reduced : exec->work.in;
}

static hs_status make_policy(hs_exec *exec)
{
    const hsi_work    *work = &exec->work;
    hs_policy_settings settings = policy_settings(&work->settings);
    double             latency, bandwidth;

    hs_status st = hs_policy_create(work->settings.decide.policy, estimates(exec), work->plan,
                                    &settings, &exec->policy);

    if (st != HS_OK)
        return st;
    exec->own_list_may_resume = hs_instance_has_graph(work->in) && !hs_policy_groups_endings(exec->policy);
    exec->gpus_choose_next =
        hs_instance_has_graph(work->in) && hs_instance_link(work->in, HS_H2D, &latency, &bandwidth);
    return HS_OK;
}

static bool is_to_be_run(const hs_exec *exec, uint32_t task)
{
    return !hsi_is_done_before(exec->results, task) && !hsi_is_left_out(exec->results, task);
}

static hs_status open_journal(hs_exec *exec, hs_error *error)
{
    size_t    n = hs_instance_tasks(exec->work.in), i;
    hs_status st;

    if (exec->bodies.matrix && exec->work.settings.keep.resume)
        return hsi_error_set(
            error, HS_EINVAL,
            "what its kernels had made was in memory and is gone with that run: it "
            "can only start from the beginning, not resume");
    st = hsi_results_open_journal(exec->results, &exec->work, error);

    for (i = 0; i < n && st == HS_OK; i++)
        if (!is_to_be_run(exec, (uint32_t)i)) {
            hsi_results_set_state(exec->results, (uint32_t)i, HSI_TASK_OVER);
            hs_policy_mark_done(exec->policy, (uint32_t)i);
        }
    return st;
}

/* Fork the starter before all else, while the process is small and no driver has threads. */
static hs_status open_starter(hs_exec *exec, hs_error *error)
{
    const hsi_work     *work = &exec->work;
    hs_backend_options *options = &exec->bodies.options;

    hsi_bodies_begin(&exec->bodies, work);
    if (!work->settings.run.allow_commands || work->settings.keep.dry_run)
        return HS_OK;
    return hsi_starter_open(options, work->workers, &options->starter, error);
}

static hs_status prepare(hs_exec *exec, hs_error *error)
{
    const hsi_work *work = &exec->work;
    hs_status       st = open_starter(exec, error);

    if (st == HS_OK)
        st = hsi_machine_find_devices(&exec->machine, work, error);
    if (st == HS_OK)
        st = hsi_bodies_make(&exec->bodies, work, &exec->machine, error);
    if (st == HS_OK)
        st = hsi_memory_check(&exec->bodies, work, error);
    if (st == HS_OK)
        st = hsi_results_create(&exec->results, work);
    if (st == HS_OK)
        st = hsi_retries_create(&exec->retries);
    if (st == HS_OK)
        st = hsi_control_open(&exec->control, error);
    if (st == HS_OK)
        st = hsi_machine_assign_cores(&exec->machine, work, error);
    if (st == HS_OK)
        st = hsi_workers_create(exec);
    if (st == HS_OK)
        st = hsi_workers_open(exec, error);
    if (st == HS_OK)
        st = make_policy(exec);
    if (st == HS_OK)
        error->why[0] = '\0'; /* a body that may be missing is no error */
    if (st == HS_OK)
        st = open_journal(exec, error);
    return st == HS_OK ? hsi_progress_prepare(&exec->progress, work, exec->results) : st;
}

hs_status hsi_renew(hs_exec *exec, hs_error *error)
{
    hsi_control *control = &exec->control;
    hsi_results *results = NULL;
    hsi_retries *retries = NULL;
    hs_status    st = hsi_results_create(&results, &exec->work);

    if (st == HS_OK)
        st = hsi_retries_create(&retries);
    if (st != HS_OK) {
        hsi_results_free(results);
        return st;
    }
    hsi_transfers_forget(exec);
    hsi_results_free(exec->results);
    hsi_retries_free(exec->retries);
    hs_policy_free(exec->policy);
    hsi_workers_close(exec);
    exec->results = results;
    exec->retries = retries;
    exec->failures_reported = 0;
    exec->policy = NULL;
    exec->wake = (hs_wake){0};
    control->ready = control->waiting = 0;
    control->open = false;
    control->halt = 0;
    control->fault = (hs_error){0};
    st = hsi_workers_open(exec, error);
    return st == HS_OK ? make_policy(exec) : st;
}

hs_status hs_exec_create(const hs_instance *in, const hs_schedule *plan,
                         const hs_exec_settings *settings, hs_exec **out, hs_error *error)
{
    hs_error  fault = {0};
    hs_exec  *exec;
    hs_status st;

    if (!in || !out)
        return hsi_error_return(error, HS_EINVAL, &fault);
    exec = aligned_alloc(_Alignof(hs_exec), sizeof *exec);
    if (!exec)
        return hsi_error_return(error, HS_ENOMEM, &fault);
    *exec =
        (hs_exec){.control = {.event_fd = -1}, .callbacks = PTHREAD_MUTEX_INITIALIZER};
    st = hsi_work_set(&exec->work, in, plan, settings, &fault);
    if (st == HS_OK)
        st = prepare(exec, &fault);
    if (st == HS_OK)
        *out = exec;
    else
        hs_exec_free(exec);
    return hsi_error_return(error, st, &fault);
}

void hs_exec_free(hs_exec *exec)
{
    if (!exec)
        return;
    hsi_transfers_forget(exec);
    hsi_results_free(exec->results);
    hsi_retries_free(exec->retries);
    hs_policy_free(exec->policy);
    hsi_workers_close(exec);
    free(exec->worker);
    hsi_control_close(&exec->control);
    hsi_starter_close(exec->bodies.options.starter);
    hsi_bodies_free(&exec->bodies);
    hsi_machine_close(&exec->machine);
    hsi_work_free(&exec->work);
    free(exec);
}

/* Write the worker's cores, separated by commas, up to the size of the text. */
static void list_cores(const hs_exec *exec, unsigned worker, char *text, size_t size)
{
    const int *cores = hsi_machine_cores(&exec->machine, &exec->work, worker);
    hs_type    type = worker < exec->work.cpus ? HS_CPU : HS_GPU;
    size_t     used = 0, i;

    for (i = 0; cores && i < exec->work.settings.place.cores[type] && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%d", i ? "," : "", cores[i]);
}

void hs_exec_describe_worker(const hs_exec *exec, unsigned worker, hs_exec_worker_info *info)
{
    hs_exec_worker_info      full = {.os_cpu = -1};
    const hs_backend_device *device;

    if (exec && worker < exec->work.workers) {
        hs_worker_name(exec->work.cpus, worker, full.name);
        full.os_cpu = exec->machine.os_cpu[worker];
        list_cores(exec, worker, full.cores, sizeof full.cores);
        device = hsi_machine_device(&exec->machine, &exec->work, worker);
        full.device = device ? device->uuid : NULL;
        full.unused = exec->work.unused[worker < exec->work.cpus ? HS_CPU : HS_GPU];
    }
    hsi_fill_sized(info, &full, sizeof full);
}

const char *hs_exec_backend_name(const hs_exec *exec, uint32_t task, hs_type type)
{
    const hsi_body *body;

    if (!exec || task >= hs_instance_tasks(exec->work.in) || (type != HS_CPU && type != HS_GPU))
        return NULL;
    body = hsi_body_of(&exec->bodies, exec->work.in, task, type);
    return body->body ? exec->bodies.backends[body->slot]->name : NULL;
}

void hs_exec_summarise_journal(const hs_exec *exec, hs_exec_journal_summary *past)
{
    hs_exec_journal_summary full = {0};

    if (exec) {
        const hsi_journal_past *p = hsi_results_past(exec->results);

        full = (hs_exec_journal_summary){
            .done = p->done, .failed = p->failed, .changed = p->changed, .gone = p->gone};
        full.note = p->note[0] ? p->note : NULL;
        full.fresh = hs_instance_tasks(exec->work.in) - p->done - p->failed - p->changed;
    }
    hsi_fill_sized(past, &full, sizeof full);
}

hs_status hs_exec_predict(const hs_exec *exec, hs_schedule **out)
{
    const hs_instance *in;
    hs_policy_settings settings;
    unsigned char     *skip;
    hs_status          st;
    size_t             tasks;

    if (!exec || !out)
        return HS_EINVAL;
    in = estimates(exec);
    tasks = hs_instance_tasks(in);
    skip = calloc(tasks + 1, 1);
    if (!skip)
        return HS_ENOMEM;
    for (size_t i = 0; i < tasks; i++)
        skip[i] = !is_to_be_run(exec, (uint32_t)i);
    settings = policy_settings(&exec->work.settings);
    settings.tolerance = 0;
    settings.skip = skip;
    settings.transfers = 1;
    st = hs_policy_simulate(exec->work.settings.decide.policy, in, exec->work.plan, in, &settings,
                            out);
    free(skip);
    return st;
}
