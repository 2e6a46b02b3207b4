/* SPDX-License-Identifier: BSD-3-Clause */
/* Create, renew, describe and free a handle. */
#include "exec/run/run.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/error.h"
#include "exec/error_text.h"
#include "exec/run/control.h"
#include "exec/run/dispatcher/dispatcher.h"
#include "exec/run/report/report.h"
#include "exec/run/results.h"
#include "exec/run/worker/worker.h"
#include "support/sized.h"

static hs_policy_settings policy_settings(const hs_exec_settings *s)
{
    hs_policy_settings settings;

    hs_policy_settings_init(&settings);
    settings.tolerance = s->decide.tolerance;
    settings.rank = s->decide.rank;
    settings.parameters = s->decide.parameters;
    settings.cost = s->decide.cost;
    settings.transfers = s->keep.transfers;
    return settings;
}

static hs_status make_policy(const hs_exec *exec, hs_policy **out)
{
    const hsi_run_spec *spec = &exec->spec;
    hs_policy_settings  settings = policy_settings(&spec->settings);
    hs_status           st = hs_policy_create(spec->settings.decide.policy,
                                              hsi_bodies_runnable_instance(exec->bodies, spec->in),
                                              spec->plan, &settings, out);

    for (size_t i = 0; st == HS_OK && exec->exchange && i < hs_instance_tasks(spec->in); i++)
        if (hsi_exchange_is_elsewhere(exec->exchange, (uint32_t)i))
            hs_policy_mark_elsewhere(*out, (uint32_t)i);
    return st;
}

static bool is_to_be_run(const hs_exec *exec, uint32_t task)
{
    return !hsi_is_done_by_earlier_run(exec->results, task) &&
           !hsi_is_unselected(exec->results, task);
}

static hs_status open_journal(hs_exec *exec, hs_error *error)
{
    const char *defect = hsi_run_data_resume_defect(hsi_bodies_data(exec->bodies));
    size_t      n = hs_instance_tasks(exec->spec.in), i;
    hs_status   st;

    if (defect && exec->spec.settings.keep.resume)
        return hsi_error_set(error, HS_EINVAL, "%s", defect);
    st = hsi_results_open_journal(exec->results, &exec->spec, error);

    for (i = 0; i < n && st == HS_OK; i++)
        if (!is_to_be_run(exec, (uint32_t)i)) {
            hsi_results_set_state(exec->results, (uint32_t)i, HSI_TASK_OVER);
            /* whichever worker ran it: a run begins with all data on the host */
            hs_policy_mark_done(exec->policy, (uint32_t)i, HS_NONE);
        }
    return st;
}

static hs_status prepare(hs_exec *exec, hs_error *error)
{
    const hsi_run_spec *spec = &exec->spec;
    hs_status           st = hsi_bodies_create(&exec->bodies, spec, error);

    if (st == HS_OK)
        st = hsi_machine_find_devices(&exec->machine, spec, error);
    if (st == HS_OK)
        st = hsi_bodies_make(exec->bodies, spec, &exec->machine, error);
    if (st == HS_OK)
        exec->exchange = hsi_run_data_exchange(hsi_bodies_data(exec->bodies));
    if (st == HS_OK)
        st = hsi_bodies_check_memory(exec->bodies, spec, error);
    if (st == HS_OK)
        st = hsi_results_create(&exec->results, spec);
    if (st == HS_OK)
        st = hsi_control_create(&exec->control, error);
    if (st == HS_OK)
        st = hsi_report_create(&exec->report);
    if (st == HS_OK)
        st = hsi_dispatcher_create(&exec->dispatcher);
    if (st == HS_OK)
        st = hsi_machine_assign_cores(&exec->machine, spec, error);
    if (st == HS_OK)
        st = hsi_workers_create(exec, error);
    if (st == HS_OK)
        st = make_policy(exec, &exec->policy);
    if (st == HS_OK)
        error->why[0] = '\0'; /* a body that may be missing is no error */
    if (st == HS_OK)
        st = open_journal(exec, error);
    return st == HS_OK ? hsi_report_predict_end(exec) : st;
}

hs_status hsi_exec_prepare_next_run(hs_exec *exec)
{
    hsi_results *results = NULL;
    hs_policy   *policy = NULL;
    hs_status    st = hsi_results_create(&results, &exec->spec);

    if (st == HS_OK)
        st = make_policy(exec, &policy);
    if (st != HS_OK) {
        hsi_results_free(results);
        return st;
    }
    hsi_results_free(exec->results);
    hs_policy_free(exec->policy);
    exec->results = results;
    exec->policy = policy;
    return HS_OK;
}

hs_status hs_exec_create(const hs_instance *in, const hs_schedule *plan,
                         const hs_exec_settings *settings, hs_exec **out, hs_error *error)
{
    hs_error  fault = {0};
    hs_exec  *exec;
    hs_status st;

    if (!in || !out)
        return hsi_error_copy_to_caller(error, HS_EINVAL, &fault);
    exec = calloc(1, sizeof *exec);
    if (!exec)
        return hsi_error_copy_to_caller(error, HS_ENOMEM, &fault);
    st = hsi_run_spec_make(&exec->spec, in, plan, settings, &fault);
    if (st == HS_OK)
        st = prepare(exec, &fault);
    if (st == HS_OK)
        *out = exec;
    else
        hs_exec_free(exec);
    return hsi_error_copy_to_caller(error, st, &fault);
}

hsi_run_data *hsi_exec_data(const hs_exec *exec)
{
    return hsi_bodies_data(exec->bodies);
}

void hs_exec_free(hs_exec *exec)
{
    if (!exec)
        return;
    hsi_results_free(exec->results);
    hs_policy_free(exec->policy);
    hsi_workers_free(exec);
    hsi_dispatcher_free(exec->dispatcher);
    hsi_report_free(exec->report);
    hsi_control_free(exec->control);
    hsi_bodies_free(exec->bodies);
    hsi_machine_close(&exec->machine);
    hsi_run_spec_free(&exec->spec);
    free(exec);
}

/* Write the worker's cores, separated by commas, up to the size of the text. */
static void list_cores(const hs_exec *exec, unsigned worker, char *text, size_t size)
{
    const int *cores = hsi_machine_cores(&exec->machine, &exec->spec, worker);
    hs_type    type = worker < exec->spec.cpus ? HS_CPU : HS_GPU;
    size_t     used = 0, i;

    for (i = 0; cores && i < exec->spec.settings.place.cores[type] && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%d", i ? "," : "", cores[i]);
}

void hs_exec_describe_worker(const hs_exec *exec, unsigned worker, hs_exec_worker_info *info)
{
    hs_exec_worker_info      full = {.os_cpu = -1};
    const hs_backend_device *device;

    if (exec && worker < exec->spec.workers) {
        hs_worker_name(exec->spec.cpus, worker, full.name);
        full.os_cpu = exec->machine.os_cpu[worker];
        list_cores(exec, worker, full.cores, sizeof full.cores);
        device = hsi_machine_device(&exec->machine, &exec->spec, worker);
        full.device = device ? device->uuid : NULL;
        full.unused = exec->spec.unused[worker < exec->spec.cpus ? HS_CPU : HS_GPU];
        full.node = hsi_bodies_node_name(exec->bodies, worker);
    }
    hsi_sized_copy_out(info, &full, sizeof full);
}

const char *hs_exec_backend_name(const hs_exec *exec, uint32_t task, hs_type type)
{
    const hsi_body *body;

    if (!exec || task >= hs_instance_tasks(exec->spec.in) || (type != HS_CPU && type != HS_GPU))
        return NULL;
    body = hsi_body_of(exec->bodies, exec->spec.in, task, type);
    return body->body ? body->body->backend->name : NULL;
}

void hs_exec_summarise_journal(const hs_exec *exec, hs_exec_journal_summary *past)
{
    hs_exec_journal_summary full = {0};

    if (exec) {
        const hsi_journal_past *p = hsi_results_past(exec->results);

        full = (hs_exec_journal_summary){
            .done = p->done, .failed = p->failed, .changed = p->changed, .gone = p->gone};
        full.note = p->note[0] ? p->note : NULL;
        full.fresh = hs_instance_tasks(exec->spec.in) - p->done - p->failed - p->changed;
    }
    hsi_sized_copy_out(past, &full, sizeof full);
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
    in = hsi_bodies_runnable_instance(exec->bodies, exec->spec.in);
    tasks = hs_instance_tasks(in);
    skip = calloc(tasks + 1, 1);
    if (!skip)
        return HS_ENOMEM;
    for (size_t i = 0; i < tasks; i++)
        skip[i] = !is_to_be_run(exec, (uint32_t)i);
    settings = policy_settings(&exec->spec.settings);
    settings.tolerance = 0;
    settings.skip = skip;
    settings.transfers = 1;
    st = hs_policy_simulate(exec->spec.settings.decide.policy, in, exec->spec.plan, in, &settings,
                            out, NULL);
    free(skip);
    return st;
}
