/* SPDX-License-Identifier: BSD-3-Clause */
/* The backend of settings.run.calls: tasks that are functions of the program. */
#include "core/error.h"
#include "core/instance_store.h"
#include "exec/backend/backends.h"
#include "exec/backend/plugin/call.h"
#include "exec/backend/plugin/function.h"

bool hsi_calls_have_type(const hsi_calls *calls, size_t row, hs_type type)
{
    return calls->list &&
           calls->list[hsi_store_first_task(calls->in->store, row)].function[type] != NULL;
}

bool hsi_calls_have_row(const hsi_calls *calls, size_t row)
{
    return hsi_calls_have_type(calls, row, HS_CPU) || hsi_calls_have_type(calls, row, HS_GPU);
}

static bool has(const char *text)
{
    return text && *text;
}

static const char *const type_name[] = {"CPUs", "GPUs"};

/* Check that a task has functions for the same types as the first task of its row. */
static hs_status check_like_first(const hsi_calls *calls, size_t first, size_t task,
                                  hs_error *error)
{
    for (int type = HS_CPU; type <= HS_GPU; type++)
        if (!calls->list[task].function[type] != !calls->list[first].function[type])
            return hsi_error_set(error, HS_EINVAL,
                                 "settings.run.calls[%zu] and [%zu]: only one of them has a "
                                 "function for %s, but both tasks belong to one row: use the same "
                                 "types",
                                 first, task, type_name[type]);
    return HS_OK;
}

static hs_status check_row(const hsi_calls *calls, size_t row, hs_error *error)
{
    size_t    first = hsi_store_first_task(calls->in->store, row);
    size_t    count = hsi_store_count(calls->in->store, row);
    hs_task   task;
    hs_status st = HS_OK;

    for (size_t i = 1; i < count && st == HS_OK; i++)
        st = check_like_first(calls, first, first + i, error);
    if (st != HS_OK || hsi_calls_have_row(calls, row))
        return st;
    hs_instance_row(calls->in, row, &task);
    if (has(task.kernel) || has(task.cpu_command) || has(task.gpu_command))
        return HS_OK;
    return hsi_error_set(error, HS_EINVAL,
                         "settings.run.calls[%zu] has no function, and the task has no command or "
                         "kernel: set one of them",
                         first);
}

hs_status hsi_calls_check(const hsi_calls *calls, hs_error *error)
{
    hs_status st = HS_OK;

    for (size_t i = 0; calls->list && i < hs_instance_rows(calls->in) && st == HS_OK; i++)
        st = check_row(calls, i, error);
    return st;
}

static hs_status body_create(const hs_backend_options *options, const hs_task *row, hs_type type,
                             hs_body **out, hs_error *error)
{
    hsi_calls *calls = options->data;

    (void)row;
    *out = NULL;
    if (!hsi_calls_have_row(calls, options->row))
        return HS_OK;
    if (hsi_calls_have_type(calls, options->row, type)) {
        calls->body[type] = (hsi_call_body){{&hsi_backend_call}, calls->list, type};
        *out = &calls->body[type].base;
        return HS_OK;
    }
    return hsi_error_set(
        error, HS_ERESOURCE,
        "settings.run.calls[%zu] has no function for %s: set the task's %s time to "
        "inf, or use another plan",
        hsi_store_first_task(calls->in->store, options->row), type_name[type],
        type == HS_CPU ? "CPU" : "GPU");
}

static hs_status worker_open(const hs_backend_options *options, const hs_backend_worker_info *info,
                             hs_backend_worker **out, hs_error *error)
{
    (void)options;
    (void)error->why;
    return hsi_function_worker_open(&hsi_backend_call, info, out);
}

static hs_outcome run(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt)
{
    const hsi_call_body  *b = (const hsi_call_body *)body;
    const hs_exec_call   *call = &b->calls[attempt->task];
    const hs_plugin_task *task = hsi_function_describe(worker, attempt);

    return hsi_function_judge(call->function[b->type](call->argument, task), "function", attempt);
}

const hs_backend hsi_backend_call = {
    .struct_size = sizeof(hs_backend),
    .name = "call",
    .body_create = body_create,
    .worker_open = worker_open,
    .worker_close = hsi_function_worker_close,
    .run = run,
};
