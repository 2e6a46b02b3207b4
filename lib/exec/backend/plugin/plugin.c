/* SPDX-License-Identifier: BSD-3-Clause */

/* The backend of kernels of the form plugin:FILE.so:SYMBOL, which call functions of the user. */

#include <hybridsched/plugin.h>

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "exec/backend/backends.h"
#include "exec/backend/plugin/function.h"
#include "exec/client/buffers.h"
#include "exec/error_text.h"
#include "support/clock.h"

/* A copy of the table whose `data` are buffers runs the rows that use data; the table itself runs
 * the other rows. */
typedef struct plugin_body {
    hs_body             base;
    void               *file; /* handle of dlopen(), which counts the bodies that share the file */
    hs_plugin_function *function;
    const uint32_t     *modes;   /* declared modes of the data; NULL: none are declared */
    hsi_buffers        *buffers; /* NULL: the task uses no data */
    size_t              row, data_count;
    bool                keep;     /* the task writes to memory of its own until it is done */
    bool                emulated; /* a task with data on an emulated GPU: takes its planned time */
} plugin_body;

static const char prefix[] = "plugin:";

/* The two parts of a kernel's name. A file name without a slash is a file in the working directory:
 * no search path is used. */
typedef struct address {
    char *file; /* owned */
    char *symbol;
} address;

static hs_status split_kernel(const char *kernel, address *out)
{
    const char *file = kernel + strlen(prefix);
    const char *colon = strrchr(file, ':');
    const char *folder = strchr(file, '/') ? "" : "./";
    size_t      bytes = strlen(folder) + strlen(file) + 1;

    if (!colon || colon == file || colon[1] == '\0')
        return HS_EINVAL;
    out->file = malloc(bytes);
    if (!out->file)
        return HS_ENOMEM;
    snprintf(out->file, bytes, "%s%s", folder, file);
    out->symbol = strrchr(out->file, ':');
    *out->symbol++ = '\0';
    return HS_OK;
}

static hs_status check_abi(void *file, const char *name, hs_error *error)
{
    const unsigned *abi = dlsym(file, "hs_plugin_abi");

    if (!abi)
        return hsi_error_set(error, HS_EINVAL,
                             "%.300s is not a plugin: add the line HS_PLUGIN_FILE; to its source",
                             name);
    if (*abi != HS_PLUGIN_ABI)
        return hsi_error_set(
            error, HS_EINVAL,
            "%.300s was compiled for version %u of the plugin interface, and this is "
            "version %u: compile it again",
            name, *abi, HS_PLUGIN_ABI);
    return HS_OK;
}

/* Return the function; for GPUs preferably SYMBOL_gpu. */
static void *look_up(void *file, const char *symbol, hs_type type)
{
    char  name[256];
    void *own = NULL;

    if (type == HS_GPU && snprintf(name, sizeof name, "%s_gpu", symbol) < (int)sizeof name)
        own = dlsym(file, name);
    return own ? own : dlsym(file, symbol);
}

static const uint32_t *look_up_modes(void *file, const char *symbol)
{
    char name[256];

    return snprintf(name, sizeof name, "%s_modes", symbol) < (int)sizeof name ? dlsym(file, name)
                                                                              : NULL;
}

/* Write modes as the column `data` has them, separated by commas. */
static void list_modes(const uint32_t *modes, size_t count, char *text, size_t size)
{
    static const char *const name[] = {"none", "r", "w", "rw"};
    size_t                   used = 0, i;

    text[0] = '\0';
    for (i = 0; i < count && used < size; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s", i ? "," : "", name[modes[i] & 3]);
}

/* Return the number of declared modes; *equal: they are those of the row's data. */
static size_t compare_modes(const plugin_body *body, bool *equal)
{
    size_t declared = 0, i;

    while (body->modes && body->modes[declared] != HS_PLUGIN_MODES_END)
        declared++;
    *equal = declared == body->data_count;
    for (i = 0; i < body->data_count && *equal; i++)
        *equal = body->modes[i] == hsi_buffers_mode(body->buffers, body->row, i);
    return declared;
}

/* Refuse a plugin that does not declare the data of its row. */
static hs_status check_modes(const plugin_body *body, const hs_task *row, const address *at,
                             hs_error *error)
{
    enum { SHOWN = 16 };
    const char *task = row->id && *row->id ? row->id : "without a name";
    uint32_t    named[SHOWN];
    char        declares[64], names[64];
    bool        equal;
    size_t      declared = compare_modes(body, &equal), shown = 0;

    if (equal)
        return HS_OK;
    if (!body->modes)
        return hsi_error_set(error, HS_EDEPENDENT,
                             "task %.100s uses data, and %.150s does not declare how: add the line "
                             "HS_PLUGIN_MODES(%.100s, ...) to its source",
                             task, at->file, at->symbol);
    for (; shown < body->data_count && shown < SHOWN; shown++)
        named[shown] = hsi_buffers_mode(body->buffers, body->row, shown);
    list_modes(named, shown, names, sizeof names);
    list_modes(body->modes, declared, declares, sizeof declares);
    if (!body->buffers)
        return hsi_error_set(
            error, HS_EDEPENDENT,
            "task %.100s gets no data, and %.100s in %.100s uses data as %s: name "
            "it in the column data, and set the GPU time to inf, since plugins use "
            "data on CPUs and emulated GPUs only",
            task, at->symbol, at->file, declares);
    return hsi_error_set(error, HS_EDEPENDENT,
                         "task %.100s uses data as %s, and %.100s in %.100s as %s: change the "
                         "column data or HS_PLUGIN_MODES",
                         task, names, at->symbol, at->file, declares);
}

/* Open the plugin and find its function. The caller closes body->file, also after a failure. */
static hs_status find_function(const address *at, hs_type type, plugin_body *body, hs_error *error)
{
    hs_status st;

    body->file = dlopen(at->file, RTLD_NOW | RTLD_LOCAL);
    if (!body->file)
        return hsi_error_set(error, HS_ERESOURCE, "cannot open the plugin: %.480s", dlerror());
    st = check_abi(body->file, at->file, error);
    if (st != HS_OK)
        return st;
    *(void **)&body->function = look_up(body->file, at->symbol, type);
    if (!body->function)
        return hsi_error_set(error, HS_EINVAL, "%.300s has no function %.100s", at->file,
                             at->symbol);
    body->modes = look_up_modes(body->file, at->symbol);
    return HS_OK;
}

static void body_free(hs_body *body)
{
    plugin_body *b = (plugin_body *)body;

    if (b->file)
        dlclose(b->file);
    free(b);
}

/* Check that the file is readable without opening it, since dlopen() runs its constructors. */
static hs_status look_at(const char *file, hs_error *error)
{
    if (access(file, R_OK) == 0)
        return HS_OK;
    return hsi_error_set(error, HS_ERESOURCE, "cannot open the plugin: %.300s: %s", file,
                         strerror(errno));
}

static hs_status open_body(const hs_backend_options *options, const hs_task *row, hs_type type,
                           hs_body **out, hs_error *error)
{
    address      at = {.file = NULL};
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
        type = HS_CPU;
    }
    st = split_kernel(row->kernel, &at);
    if (st == HS_EINVAL)
        snprintf(error->why, HS_WHY, "kernel '%.200s': expected plugin:FILE.so:SYMBOL",
                 row->kernel);
    if (st == HS_OK)
        st = options->dry_run ? look_at(at.file, error) : find_function(&at, type, body, error);
    if (st == HS_OK && !options->dry_run)
        st = check_modes(body, row, &at, error);
    free(at.file);
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
    bool named = row->id && row->id[0] != '\0';

    *out = NULL;
    if (!row->kernel || strncmp(row->kernel, prefix, strlen(prefix)) != 0)
        return HS_OK;
    if (options->data ? !uses_buffers(options, row, type) : options->emulate[type] != 0)
        return HS_OK;
    if (options->allow_plugins)
        return open_body(options, row, type, out, error);
    return hsi_error_set(error, HS_EREFUSED,
                         "%s%.48s runs %.200s: use settings.run.allow_plugins if you trust the "
                         "plan",
                         named ? "task " : "a task", named ? row->id : "", row->kernel);
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

/* Make room for the list of a task's data. */
static bool grow_data(hsi_function_worker *w, size_t count)
{
    hs_plugin_data *data;

    if (count <= w->data_room)
        return true;
    data = realloc(w->data, count * sizeof *data);
    if (!data)
        return false;
    w->data = data;
    w->data_room = count;
    return true;
}

static hs_outcome call_with_data(hs_backend_worker *worker, const plugin_body *body,
                                 hs_attempt *attempt)
{
    hsi_function_worker *w = (hsi_function_worker *)worker;
    int64_t              end = hsi_clock_ns() + (int64_t)(1e9 * fmin(attempt->seconds, 9e9));
    hs_outcome           outcome;

    if (!grow_data(w, body->data_count) ||
        !hsi_buffers_begin(body->buffers, body->row, body->keep, w->data))
        return hsi_attempt_fail(attempt,
                                "out of memory for the task's own copies of its data, which "
                                "retries, timeouts and spoliations need");
    w->task.data = w->data;
    w->task.data_count = body->data_count;
    outcome = call(worker, body, attempt);
    if (outcome == HS_OUTCOME_DONE && body->emulated && hsi_wait_until(attempt, end) && body->keep)
        outcome = HS_OUTCOME_ABORTED;
    hsi_buffers_end(body->buffers, body->row, body->keep, w->data, outcome == HS_OUTCOME_DONE);
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
