/* SPDX-License-Identifier: BSD-3-Clause */

/* The backend of kernels of the form plugin:FILE.so:SYMBOL, which call functions of the user. */

#include <hybridsched/plugin.h>

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

#include "core/error.h"
#include "exec/backend/backends.h"
#include "exec/backend/plugin/file.h"
#include "exec/backend/plugin/function.h"
#include "exec/error_text.h"
#include "support/clock.h"

/* A copy of the table whose `data` are buffers runs the rows that use data; the table itself runs
 * the other rows. */
typedef struct plugin_body {
    hs_body             base;
    void               *file; /* handle of dlopen(), which counts the bodies that share the file */
    hs_plugin_function *function;
    hsi_buffers        *buffers; /* NULL: the task uses no data */
    size_t              row, data_count;
    bool                keep;     /* the task writes to memory of its own until it is done */
    bool                emulated; /* a task with data on an emulated GPU: takes its planned time */
} plugin_body;

static void body_free(hs_body *body)
{
    plugin_body *b = (plugin_body *)body;

    if (b->file)
        dlclose(b->file);
    free(b);
}

/* Find the function of a body; for GPUs preferably SYMBOL_gpu. A task with data on an emulated GPU
 * runs the function for CPUs. */
static hs_status find_function(const hsi_plugin *plugin, hs_type type, const hs_task *row,
                               plugin_body *body, hs_error *error)
{
    if (type == HS_GPU && !body->emulated)
        body->function = hsi_plugin_find(plugin, "_gpu");
    if (!body->function)
        body->function = hsi_plugin_find(plugin, "");
    if (!body->function)
        return hsi_error_set(error, HS_EINVAL, "%.300s has no function %.100s", plugin->path,
                             plugin->symbol);
    return hsi_plugin_check_modes(plugin, body->buffers, body->row, row, error);
}

static hs_status open_body(const hs_backend_options *options, const hs_task *row, hs_type type,
                           hs_body **out, hs_error *error)
{
    hsi_plugin   plugin;
    plugin_body *body = calloc(1, sizeof *body);
    hs_status    st;

    if (!body)
        return HS_ENOMEM;
    body->base.backend = &hsi_backend_plugin;
    if (options->data) {
        body->buffers = options->data;
        body->row = options->row;
        body->data_count = hsi_buffers_count(body->buffers, body->row);
        body->keep = hsi_buffers_keep(body->buffers, row);
        body->emulated = type == HS_GPU;
    }
    st = hsi_plugin_open(row, options->dry_run, &plugin, error);
    if (st == HS_OK && !options->dry_run)
        st = find_function(&plugin, type, row, body, error);
    body->file = plugin.file;
    plugin.file = NULL;
    hsi_plugin_close(&plugin);
    if (st == HS_OK)
        *out = &body->base;
    else
        body_free(&body->base);
    return st;
}

/* Return true if the table with buffers runs the row: a gpu_command runs on emulated GPUs instead.
 */
static bool uses_buffers(const hs_backend_options *options, const hs_task *row, hs_type type)
{
    return !(type == HS_GPU && row->gpu_command && *row->gpu_command) &&
           hsi_buffers_count(options->data, options->row) > 0;
}

static hs_status body_create(const hs_backend_options *options, const hs_task *row, hs_type type,
                             hs_body **out, hs_error *error)
{
    hs_status st = HS_OK;

    *out = NULL;
    if (!hsi_plugin_is_kernel(row))
        return HS_OK;
    if (options->data ? !uses_buffers(options, row, type) : options->emulate[type] != 0)
        return HS_OK;
    st = hsi_plugin_allow(options, row, error);
    return st == HS_OK ? open_body(options, row, type, out, error) : st;
}

static hs_status worker_open(const hs_backend_options *options, const hs_backend_worker_info *info,
                             hs_backend_worker **out, hs_error *error)
{
    (void)options;
    (void)error->why;
    return hsi_function_worker_open(&hsi_backend_plugin, info, out);
}

static hs_outcome call(hs_backend_worker *worker, const plugin_body *body, hs_attempt *attempt)
{
    char            name[HS_MAX_ID + 16];
    hs_plugin_task *task = hsi_function_describe(worker, attempt);

    hs_instance_name(attempt->instance, attempt->task, name, sizeof name);
    task->id = name;
    attempt->why[0] = '\0';
    return hsi_function_judge(body->function(task), "plugin", attempt);
}

/* Make room for the lists of a task's data. */
static bool grow_lists(hsi_function_worker *w, size_t count)
{
    hs_plugin_data *data;
    hsi_use        *use;

    if (count <= w->room)
        return true;
    data = realloc(w->data, count * sizeof *data);
    if (data)
        w->data = data;
    use = realloc(w->use, count * sizeof *use);
    if (use)
        w->use = use;
    if (!data || !use)
        return false;
    w->room = count;
    return true;
}

static hs_outcome call_with_data(hs_backend_worker *worker, const plugin_body *body,
                                 hs_attempt *attempt)
{
    hsi_function_worker *w = (hsi_function_worker *)worker;
    int64_t              end = hsi_clock_ns() + (int64_t)(1e9 * fmin(attempt->seconds, 9e9));
    hs_outcome           outcome;
    hsi_buffers_attempt  a = {.row = body->row, .task = attempt->task, .keep = body->keep};

    if (!grow_lists(w, body->data_count))
        return hsi_attempt_fail(attempt, "out of memory for the list of the task's data");
    a.data = w->data;
    a.use = w->use;
    if (!hsi_buffers_begin(body->buffers, &a, attempt->why))
        return HS_OUTCOME_FAILED;
    w->task.data = w->data;
    w->task.data_count = body->data_count;
    outcome = call(worker, body, attempt);
    if (outcome == HS_OUTCOME_DONE && body->emulated && hsi_wait_until(attempt, end) && body->keep)
        outcome = HS_OUTCOME_ABORTED;
    hsi_buffers_end(body->buffers, &a, outcome == HS_OUTCOME_DONE);
    return outcome;
}

static hs_outcome run(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt)
{
    const plugin_body *b = (const plugin_body *)body;

    return b->buffers ? call_with_data(worker, b, attempt) : call(worker, b, attempt);
}

const hs_backend hsi_backend_plugin = {
    .struct_size = sizeof(hs_backend),
    .name = "plugin",
    .body_create = body_create,
    .body_free = body_free,
    .worker_open = worker_open,
    .worker_close = hsi_function_worker_close,
    .run = run,
};
