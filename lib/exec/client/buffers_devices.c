/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers on devices: each datum is a handle, and functions of plugins compute the tasks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/instance_store.h"
#include "exec/backend/backends.h"
#include "exec/backend/plugin/file.h"
#include "exec/client/buffers_private.h"
#include "exec/device/devices.h"

enum { UNIT = HSI_LEDGER_UNIT };

struct hsi_shared_buffers {
    hsi_devices     devices; /* first, so the data of the backend are both */
    hs_backend      backend;
    hsi_buffers    *buffers;
    const hs_graph *graph;
    uint32_t       *last; /* by handle: last task that writes it; HS_NONE */
};

typedef struct shared_body {
    hsi_device_body base;
    hsi_device_call call;
    hsi_plugin      plugin;
} shared_body;

/* Set the uses of a task, and return their number. A task that `keeps` may fail and be repeated. */
static unsigned uses_of(const hsi_shared_buffers *shared, uint32_t task, bool keeps, hsi_use *use)
{
    size_t           count, i;
    const hs_access *access = hs_graph_accesses(shared->graph, task, &count);

    for (i = 0; i < count; i++)
        use[i] = (hsi_use){.handle = access[i].data,
                           .version = access[i].writer,
                           .mode = (uint8_t)access[i].mode,
                           .keep = keeps && access[i].mode & HS_WRITE,
                           .range = HS_NONE,
                           .second = HS_NONE};
    return (unsigned)count;
}

static void body_free(hs_body *body)
{
    shared_body *b = (shared_body *)(void *)body;

    hsi_plugin_close(&b->plugin);
    free(b);
}

/* Refuse a row that cannot be a task on devices, with the reason. */
static hs_status check_row(const hsi_shared_buffers *shared, const hs_task *row, size_t number,
                           hs_error *error)
{
    const hs_instance *in = shared->buffers->in;

    if (hsi_store_count(in->store, number) > 1)
        return hsi_error_set(error, HS_ERESOURCE,
                             "kernel '%.100s' is not for GPUs in a row of several tasks on one "
                             "datum: write a row for each task",
                             row->kernel);
    if (hsi_buffers_count(shared->buffers, number) > HSI_MOST_USES)
        return hsi_error_set(
            error, HS_ERESOURCE,
            "kernel '%.100s' is not for GPUs with more than %d data: use fewer, or "
            "set the GPU time to inf",
            row->kernel, HSI_MOST_USES);
    return HS_OK;
}

static const char *macro_of(const char *suffix)
{
    return strcmp(suffix, "_gpu") == 0      ? "HS_PLUGIN_GPU_TASK"
           : strcmp(suffix, "_opencl") == 0 ? "HS_PLUGIN_OPENCL_TASK"
                                            : "HS_PLUGIN_TASK";
}

/* Find a function for each kind of devices. */
static hs_status find_functions(const hsi_devices *d, shared_body *body, hs_error *error)
{
    for (unsigned i = 0; i < d->call_kinds; i++) {
        const char *suffix = d->call_kind[i]->suffix;

        body->call.function[i] = hsi_plugin_find(&body->plugin, suffix);
        if (!body->call.function[i])
            return hsi_error_set(error, HS_EINVAL,
                                 "%.200s has no function %.64s%s for these GPUs: define it with "
                                 "%s(%.64s), or set the GPU time to inf",
                                 body->plugin.path, body->plugin.symbol, suffix, macro_of(suffix),
                                 body->plugin.symbol);
    }
    return HS_OK;
}

static hs_status open_plugin(hsi_shared_buffers *shared, shared_body *body, const hs_task *row,
                             const hs_backend_options *options, hs_error *error)
{
    hs_status st = hsi_plugin_open(row, options->dry_run, &body->plugin, error);

    if (st != HS_OK || options->dry_run)
        return st;
    st = find_functions(&shared->devices, body, error);
    return st == HS_OK
               ? hsi_plugin_check_modes(&body->plugin, shared->buffers, options->row, row, error)
               : st;
}

static void describe_body(hsi_shared_buffers *shared, shared_body *body, const hs_task *row,
                          const hs_backend_options *options)
{
    const hs_instance *in = shared->buffers->in;
    hsi_device_body   *base = &body->base;

    base->base.backend = &shared->backend;
    base->kernel = row->kernel;
    base->version = (uint32_t)hsi_store_first_task(in->store, options->row);
    base->keeps = shared->buffers->may_fail;
    base->count = uses_of(shared, base->version, base->keeps, base->use);
    for (unsigned i = 0; i < base->count; i++)
        base->is_last[i] = shared->last[base->use[i].handle] == base->version;
    base->call = &body->call;
    body->call.in = in;
    body->call.seconds = row->gpu * options->seconds_per_unit;
}

static hs_status body_create(const hs_backend_options *options, const hs_task *row, hs_type type,
                             hs_body **out, hs_error *error)
{
    hsi_shared_buffers *shared = options->data;
    shared_body        *body;
    hs_status           st;

    *out = NULL;
    if (type != HS_GPU || (row->gpu_command && *row->gpu_command) ||
        hsi_buffers_count(shared->buffers, options->row) == 0)
        return HS_OK;
    st = hsi_plugin_allow(options, row, error);
    if (st == HS_OK)
        st = check_row(shared, row, options->row, error);
    if (st != HS_OK)
        return st;
    body = calloc(1, sizeof *body);
    if (!body)
        return HS_ENOMEM;
    describe_body(shared, body, row, options);
    st = open_plugin(shared, body, row, options, error);
    if (st == HS_OK)
        *out = &body->base.base;
    else
        body_free(&body->base.base);
    return st;
}

static const hs_backend backend = {
    .struct_size = sizeof(hs_backend),
    .name = "device", /* replaced by the name of the module */
    .body_create = body_create,
    .body_free = body_free,
    .worker_open = hsi_device_worker_open,
    .worker_close = hsi_device_worker_close,
    .run = hsi_device_run,
};

/* Find the last writer of each handle. */
static hs_status find_last(hsi_shared_buffers *shared)
{
    const hs_instance *in = shared->buffers->in;

    shared->last = malloc((shared->buffers->count + 1) * sizeof *shared->last);
    if (!shared->last)
        return HS_ENOMEM;
    for (size_t i = 0; i < shared->buffers->count; i++)
        shared->last[i] = HS_NONE;
    for (uint32_t task = 0; task < hs_instance_tasks(in); task++) {
        size_t           count, i;
        const hs_access *access = hs_graph_accesses(shared->graph, task, &count);

        for (i = 0; i < count; i++)
            if (access[i].mode & HS_WRITE)
                shared->last[access[i].data] = task;
    }
    return HS_OK;
}

hs_status hsi_shared_buffers_create(hsi_buffers *buffers, const hsi_client_run *run)
{
    hsi_shared_buffers *shared = calloc(1, sizeof *shared);
    hs_status           st = HS_ENOMEM;

    if (!shared)
        return st;
    shared->buffers = buffers;
    st = hs_instance_graph(buffers->in, &shared->graph);
    if (st == HS_OK)
        st = hsi_devices_create(run->devices, run->gpus, buffers->count, &shared->devices);
    if (st != HS_OK) {
        free(shared);
        return st;
    }
    st = find_last(shared);
    shared->backend = backend;
    shared->devices.unit = UNIT;
    hsi_devices_set_up(&shared->devices, &shared->backend, run->settings);
    if (st == HS_OK && !hsi_devices_allow_calls(&shared->devices))
        buffers->shared = shared;
    else
        hsi_shared_buffers_free(shared);
    return st;
}

void hsi_shared_buffers_free(hsi_shared_buffers *shared)
{
    if (!shared)
        return;
    hsi_devices_free(&shared->devices);
    free(shared->last);
    free(shared);
}

hsi_devices *hsi_shared_buffers_devices(hsi_shared_buffers *shared)
{
    return &shared->devices;
}

/* Set the place of a datum on the host. Nothing is copied from or to the place. */
static void place(hsi_shared_buffers *shared, size_t handle)
{
    const hsi_buffer *b = &shared->buffers->buffer[handle];

    hsi_ledger_place(shared->devices.ledger, (uint32_t)handle, (double)b->bytes, b->at, b->bytes);
}

static size_t units_of(const hsi_shared_buffers *shared, size_t handle)
{
    return (shared->devices.bytes[handle] + UNIT - 1) / UNIT;
}

/* Return the memory that a row needs on a device, in units. A task that may fail updates a copy. */
static size_t needed_by(const hsi_shared_buffers *shared, size_t row)
{
    const hs_instance *in = shared->buffers->in;
    size_t             units = 0, handle;
    hs_access_mode     mode;
    hs_task            task;

    hs_instance_row(in, row, &task);
    if (isinf(task.gpu) || !hsi_buffers_have_row(in, row))
        return 0;
    for (size_t i = 0; hs_instance_access(in, row, i, &handle, &mode); i++)
        units +=
            units_of(shared, handle) * (1 + (shared->buffers->may_fail && mode == HS_READ_WRITE));
    return units;
}

/* Room for all data and for two tasks: one in flight, one in preparation. */
void hsi_shared_buffers_renew(hsi_shared_buffers *shared)
{
    const hsi_buffers *buffers = shared->buffers;
    hsi_devices       *d = &shared->devices;
    size_t             most = 0, all = 0;

    for (size_t i = 0; i < buffers->count; i++) {
        d->bytes[i] = buffers->buffer[i].used ? buffers->buffer[i].bytes : 0;
        all += units_of(shared, i);
    }
    for (size_t i = 0; i < hs_instance_rows(buffers->in); i++) {
        size_t needed = needed_by(shared, i);

        most = needed > most ? needed : most;
    }
    d->least_units = d->together = most;
    d->most_units = all + 2 * most;
    hsi_devices_renew(d);
    for (size_t i = 0; i < buffers->count; i++)
        place(shared, i);
}

bool hsi_shared_buffers_take(hsi_shared_buffers *shared, hsi_buffers_attempt *a, char why[HS_WHY])
{
    a->count = uses_of(shared, a->task, false, a->use);
    return hsi_devices_take(&shared->devices, a->use, a->count, why);
}

void hsi_shared_buffers_give(hsi_shared_buffers *shared, const hsi_buffers_attempt *a, bool done)
{
    hsi_devices *d = &shared->devices;

    pthread_mutex_lock(&d->lock);
    for (unsigned i = 0; done && i < a->count; i++)
        if (a->use[i].mode & HS_WRITE)
            place(shared, a->use[i].handle);
    pthread_mutex_unlock(&d->lock);
    hsi_devices_give(d, a->use, a->count, a->task,
                     done      ? HSI_GIVEN_NEW
                     : a->keep ? HSI_GIVEN_NOTHING
                               : HSI_GIVEN_SPOILED);
}

void hsi_shared_buffers_expect(hsi_shared_buffers *shared, uint32_t task)
{
    hsi_use use[HSI_MOST_USES];
    size_t  count;

    hs_graph_accesses(shared->graph, task, &count);
    if (count <= HSI_MOST_USES)
        hsi_devices_prefetch(&shared->devices, HSI_LEDGER_HOST, use,
                             uses_of(shared, task, false, use), 0);
}
