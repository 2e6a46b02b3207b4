/* SPDX-License-Identifier: BSD-3-Clause */

/* The backend of kernels of the form plugin:FILE.so:SYMBOL, which call functions of the user. */

#include <hybridsched/plugin.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "exec/backend/backends.h"
#include "exec/backend/plugin/function.h"

typedef struct plugin_body {
    hs_body             base;
    void               *file; /* handle of dlopen(), which counts the bodies that share the file */
    hs_plugin_function *function;
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

static hs_status open_body(const char *kernel, hs_type type, int look_only, hs_body **out,
                           hs_error *error)
{
    address      at = {.file = NULL};
    plugin_body *body = calloc(1, sizeof *body);
    hs_status    st;

    if (!body)
        return HS_ENOMEM;
    body->base.backend = &hsi_backend_plugin;
    st = split_kernel(kernel, &at);
    if (st == HS_EINVAL)
        snprintf(error->why, HS_WHY, "kernel '%.200s': expected plugin:FILE.so:SYMBOL", kernel);
    if (st == HS_OK)
        st = look_only ? look_at(at.file, error) : find_function(&at, type, body, error);
    free(at.file);
    if (st == HS_OK)
        *out = &body->base;
    else
        body_free(&body->base);
    return st;
}

static hs_status body_create(const hs_backend_options *options, const hs_task *row, hs_type type,
                             hs_body **out, hs_error *error)
{
    bool named = row->id && row->id[0] != '\0';

    *out = NULL;
    if (!row->kernel || strncmp(row->kernel, prefix, strlen(prefix)) != 0 || options->emulate[type])
        return HS_OK;
    if (options->allow_plugins)
        return open_body(row->kernel, type, options->dry_run, out, error);
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

static hs_outcome run(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt)
{
    char            name[HS_MAX_ID + 16];
    hs_plugin_task *task = hsi_function_describe(worker, attempt);

    hs_instance_name(attempt->instance, attempt->task, name, sizeof name);
    task->id = name;
    attempt->why[0] = '\0';
    return hsi_function_judge(((const plugin_body *)body)->function(task), "plugin", attempt);
}

const hs_backend hsi_backend_plugin = {
    .abi = HS_BACKEND_ABI,
    .name = "plugin",
    .body_create = body_create,
    .body_free = body_free,
    .worker_open = worker_open,
    .worker_close = hsi_function_worker_close,
    .run = run,
};
