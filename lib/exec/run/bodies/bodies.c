/* SPDX-License-Identifier: BSD-3-Clause */
/* Make the bodies of tasks: ask each backend in turn for a body of each row and type. */
#include "exec/run/bodies/bodies_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/cost.h>

#include "core/error.h"
#include "core/instance_store.h"
#include "exec/backend/backends.h"
#include "exec/backend/command/starter.h"
#include "exec/backend/kernel/kernel.h"
#include "exec/client/buffers.h"
#include "exec/client/client.h"

static const char *const type_name[] = {"CPU", "GPU"};

typedef struct candidates {
    unsigned slot[2][8]; /* by type: slots of backends to try after the backends of the settings */
    unsigned count[2];
} candidates;

static void add_candidate(hsi_bodies *bodies, candidates *list, hs_type type,
                          const hs_backend *backend)
{
    unsigned slot = 0;

    while (slot < bodies->backend_count && bodies->backends[slot] != backend)
        slot++;
    if (slot == bodies->backend_count)
        bodies->backends[bodies->backend_count++] = backend;
    list->slot[type][list->count[type]++] = slot;
}

static hs_status list_backends(hsi_bodies *bodies, const hsi_run_spec *spec,
                               const hsi_machine *machine, candidates *list, hs_error *error)
{
    const hs_exec_settings *s = &spec->settings;
    unsigned                client;
    size_t                  i;

    bodies->backends = calloc(s->run.backend_count + 9, sizeof *bodies->backends);
    bodies->used = calloc(s->run.backend_count + 9, 2);
    if (!bodies->backends || !bodies->used)
        return HS_ENOMEM;
    for (i = 0; i < s->run.backend_count; i++) {
        const char *lacks = hsi_backend_defect(s->run.backends[i]);

        if (lacks)
            return hsi_error_set(error, HS_EINVAL, "backend %zu of the settings: %s", i, lacks);
        bodies->backends[bodies->backend_count++] = s->run.backends[i];
    }
    for (int type = HS_CPU; bodies->remote && type <= HS_GPU; type++)
        add_candidate(bodies, list, (hs_type)type, hsi_remote_backend(bodies->remote));
    if (bodies->remote)
        return HS_OK;
    for (int type = HS_CPU; s->run.calls && type <= HS_GPU; type++)
        if (!s->run.emulate[type])
            add_candidate(bodies, list, (hs_type)type, &bodies->call);
    for (client = 0; client < hsi_run_data_clients(bodies->data); client++) {
        add_candidate(bodies, list, HS_CPU, hsi_run_data_host_backend(bodies->data, client));
        if (s->run.emulate[HS_GPU])
            add_candidate(bodies, list, HS_GPU, hsi_run_data_host_backend(bodies->data, client));
    }
    if (hsi_run_data_gpu_backend(bodies->data))
        add_candidate(bodies, list, HS_GPU, hsi_run_data_gpu_backend(bodies->data));
    if (!s->run.emulate[HS_CPU]) {
        add_candidate(bodies, list, HS_CPU, &hsi_backend_command);
        add_candidate(bodies, list, HS_CPU, &hsi_backend_plugin);
        add_candidate(bodies, list, HS_CPU, &hsi_backend_cpu);
    }
    add_candidate(bodies, list, HS_CPU, &hsi_backend_emulated);
    if (s->run.emulate[HS_GPU]) {
        add_candidate(bodies, list, HS_GPU, &hsi_backend_command);
        add_candidate(bodies, list, HS_GPU, &hsi_backend_emulated);
    }
    if (machine->module.backend) {
        add_candidate(bodies, list, HS_GPU, machine->module.backend); /* plugins get the stream of
                                                                         this backend */
        add_candidate(bodies, list, HS_GPU, &hsi_backend_command);
        add_candidate(bodies, list, HS_GPU, &hsi_backend_plugin);
    }
    return HS_OK;
}

hs_backend_options hsi_bodies_backend_options(const hsi_bodies *bodies, unsigned slot)
{
    hs_backend_options options = bodies->options;

    options.data = bodies->backends[slot]->data;
    return options;
}

static hs_status try_backend(hsi_bodies *bodies, unsigned slot, size_t number, const hs_task *row,
                             hs_type type, hsi_body *out, hs_error *error)
{
    hs_backend_options options = hsi_bodies_backend_options(bodies, slot);
    hs_body           *body = NULL;
    hs_status          st;

    options.row = number;
    st = bodies->backends[slot]->body_create(&options, row, type, &body, error);
    if (st == HS_OK && body)
        *out = (hsi_body){body, slot};
    return st;
}

static void free_body(hsi_body *body)
{
    if (body->body && body->body->backend->body_free)
        body->body->backend->body_free(body->body);
    *body = (hsi_body){0};
}

/* Ask the clients for the rows whose data they own. */
static hs_status make_data(hsi_bodies *bodies, const hsi_run_spec *spec, const hsi_machine *machine,
                           hs_error *error)
{
    const hs_exec_settings *s = &spec->settings;
    const hsi_client_run    run = {
        .in = spec->in,
        .settings = s,
        .gpus = spec->gpus,
        .devices = machine->choice,
        .operations = machine->operations,
        .may_fail = spec->timed || s->fail.retries > 0,
        .may_take = spec->cpus > 0 && spec->gpus > 0 && !hs_policy_keeps_plan(s->decide.policy)};

    return hsi_run_data_create(&run, &bodies->data, error);
}

/* Return true if the body would use private data although the row names shared data. */
static bool works_on_data(const hsi_bodies *bodies, const hsi_run_spec *spec, size_t number,
                          const hsi_body *body)
{
    const hs_backend *backend = bodies->backends[body->slot];
    size_t            data;
    hs_access_mode    mode;

    if (!body->body || !hs_instance_access(spec->in, number, 0, &data, &mode))
        return false;
    if (backend == &hsi_backend_cpu)
        return hsi_cpu_body_bytes(body->body) > 0; /* sleep and spin kernels need no memory */
    return backend == &hsi_backend_plugin || backend->devices != NULL;
}

static hs_status refuse_data(const hsi_bodies *bodies, const hsi_body *body, const char *name,
                             hs_type type, hs_error *error)
{
    const hs_error *refusal = hsi_run_data_refusal(bodies->data);

    if (type == HS_CPU && refusal->status != HS_OK)
        return hsi_error_set(error, refusal->status, "%s", refusal->why);
    if (bodies->backends[body->slot] == &hsi_backend_plugin && type == HS_GPU)
        return hsi_error_set(error, HS_EDEPENDENT,
                             "task %s: the GPUs share the tiles of a factorisation, and no data of "
                             "plugins: set the task's GPU time to inf, or use "
                             "settings.run.emulate[HS_GPU]",
                             name);
    return hsi_error_set(error, HS_EDEPENDENT,
                         "task %s: this kernel cannot use data of other tasks: use a command, or "
                         "settings.run.emulate[HS_%s]",
                         name, type_name[type]);
}

static hs_status refuse_row(const hsi_bodies *bodies, const char *name, hs_type type,
                            hs_error *error)
{
    if (type == HS_GPU && bodies->lists_modules)
        return hsi_error_set(error, HS_ERESOURCE,
                             "task %s: the GPUs of settings.gpu.module run only the kernels of a "
                             "factorisation on tiles, or else functions of plugins on shared data: "
                             "set the task's GPU time to inf, or use settings.run.emulate[HS_GPU]",
                             name);
    return hsi_error_set(error, HS_ERESOURCE, "task %s: no backend can run it on a %s", name,
                         type_name[type]);
}

/* Create the body with the first backend that can. HS_ERESOURCE: no backend can; *error names the
 * task. */
static hs_status make_body(hsi_bodies *bodies, const hsi_run_spec *spec, const candidates *list,
                           size_t number, const hs_task *row, hs_type type, hs_error *error)
{
    hsi_body *out = &bodies->list[2 * number + type];
    hs_status st = HS_OK;
    unsigned  i;
    char      name[200];

    error->why[0] = '\0';
    for (i = 0; i < spec->settings.run.backend_count && st == HS_OK && !out->body; i++)
        st = try_backend(bodies, i, number, row, type, out, error);
    for (i = 0; i < list->count[type] && st == HS_OK && !out->body; i++)
        st = try_backend(bodies, list->slot[type][i], number, row, type, out, error);
    if (out->body && !works_on_data(bodies, spec, number, out)) {
        bodies->used[2 * out->slot + type] = 1;
        return HS_OK;
    }
    if (row->id)
        snprintf(name, sizeof name, "%s", row->id);
    else
        snprintf(name, sizeof name, "t%zu", number);
    if (out->body) {
        st = refuse_data(bodies, out, name, type, error);
        free_body(out);
        return st;
    }
    if (st == HS_OK)
        return refuse_row(bodies, name, type, error);
    if (!error->why[0])
        hsi_error_set(error, st, "task %s on a %s: %s", name, type_name[type], hs_status_text(st));
    return st;
}

enum { ON_CPU = 1 << HS_CPU, ON_GPU = 1 << HS_GPU };

/* Return for each row the types on which its tasks are planned; NULL: memory is short. */
static unsigned char *planned_types(const hsi_run_spec *spec)
{
    unsigned char  *types = calloc(hs_instance_rows(spec->in) + 1, 1);
    const hs_entry *entry;
    size_t          count;
    unsigned        w;

    for (w = 0; types && w < spec->workers; w++)
        for (entry = hs_schedule_entries(spec->plan, w, &count); count--; entry++)
            if (entry->state == HS_RUN)
                types[hs_instance_row_of(spec->in, entry->task)] |=
                    w < spec->cpus ? ON_CPU : ON_GPU;
    return types;
}

/* Return true if the row may do without a body on the type, so that its tasks do not run there.
 * With a plan, this holds for types without planned tasks of the row; without a plan, for any type
 * unless the backend refused the body: a refusal is an error of the caller. */
static bool may_lack(const hsi_run_spec *spec, hs_type type, unsigned planned, hs_status st)
{
    if (st == HS_ENOMEM)
        return false;
    if (hs_policy_needs_plan(spec->settings.decide.policy))
        return !(planned & 1u << type);
    return st != HS_EREFUSED && st != HS_EDEPENDENT;
}

static hs_status make_row(hsi_bodies *bodies, const hsi_run_spec *spec, const candidates *list,
                          size_t number, unsigned planned, int *lacking, hs_error *error)
{
    const unsigned there[2] = {spec->cpus, spec->gpus};
    hs_task        row;
    int            type, made = 0;

    hs_instance_row(spec->in, number, &row);
    for (type = HS_CPU; type <= HS_GPU; type++) {
        hs_status st;

        if (!there[type] || isinf(type == HS_CPU ? row.cpu : row.gpu))
            continue;
        st = make_body(bodies, spec, list, number, &row, (hs_type)type, error);
        if (st != HS_OK && !may_lack(spec, (hs_type)type, planned, st))
            return st;
        made += st == HS_OK;
        *lacking |= st != HS_OK;
    }
    if (made)
        return HS_OK;
    return HS_ERESOURCE; /* *error explains the type that was tried last */
}

/* Return true if the row's tasks are emulated on the type: they take their estimate, even a guess. */
static bool is_emulated(const hsi_bodies *bodies, size_t row, int type)
{
    const hs_body *body = bodies->list[2 * row + type].body;

    return body && body->backend == &hsi_backend_emulated;
}

/* Return true if a prediction or guess is the time that an emulated worker will take. */
static bool are_predictions_emulated(const hsi_bodies *bodies, const hs_instance *in)
{
    for (size_t i = 0; in->store->source && i < hs_instance_rows(in); i++)
        for (int type = HS_CPU; type <= HS_GPU; type++)
            if (in->store->source[2 * i + type] != HS_COST_GIVEN && is_emulated(bodies, i, type))
                return true;
    return false;
}

/* Give `to`, a copy of `in`, the sources of its times; the time of an emulated worker is exact. */
static hs_status copy_sources(const hsi_bodies *bodies, const hs_instance *in, hs_instance *to)
{
    unsigned char *source;

    if (!in->store->source)
        return HS_OK;
    source = calloc(hs_instance_rows(in) + 1, 2);
    if (!source)
        return HS_ENOMEM;
    for (size_t i = 0; i < hs_instance_rows(in); i++)
        for (int type = HS_CPU; type <= HS_GPU; type++)
            source[2 * i + type] = is_emulated(bodies, i, type) ? HS_COST_GIVEN
                                                                : in->store->source[2 * i + type];
    to->store->source = source;
    return HS_OK;
}

/*
 * Copy the instance to bodies->reduced with infinite times where a body is missing, and with the
 * times of emulated workers as given. Names and commands are copied only if times are to be learnt,
 * because they are features of the tasks.
 */
static hs_status reduce_estimates(hsi_bodies *bodies, const hsi_run_spec *spec)
{
    hs_builder *b = NULL;
    hs_task     row;
    size_t      i, task = 0;
    hs_status   st = hs_builder_create(&b);

    if (st == HS_OK)
        st = hs_builder_set_workers(b, spec->cpus, spec->gpus);
    if (st == HS_OK)
        st = hs_builder_set_unit(b, hs_instance_unit(spec->in));
    for (i = 0; i < hs_instance_rows(spec->in) && st == HS_OK; i++) {
        hs_instance_row(spec->in, i, &row);
        row.restartable =
            hs_instance_is_restartable(spec->in, task) ? HS_RESTART_YES : HS_RESTART_NO;
        row.id = NULL;
        if (!spec->in->store->source)
            row.kernel = row.cpu_command = row.gpu_command = NULL;
        if (!bodies->list[2 * i + HS_CPU].body)
            row.cpu = INFINITY;
        if (!bodies->list[2 * i + HS_GPU].body)
            row.gpu = INFINITY;
        task += row.count ? row.count : 1;
        st = hs_builder_add_row(b, &row);
    }
    if (st == HS_OK)
        st = hs_builder_copy_graph(b, spec->in);
    if (st == HS_OK)
        st = hs_builder_finish(b, &bodies->reduced, NULL);
    if (st == HS_OK)
        st = copy_sources(bodies, spec->in, bodies->reduced);
    hs_builder_free(b);
    return st;
}

hs_status hsi_bodies_create(hsi_bodies **out, const hsi_run_spec *spec, hs_error *error)
{
    const hs_exec_settings *s = &spec->settings;
    hsi_bodies             *bodies = calloc(1, sizeof *bodies);
    hs_status               st = HS_OK;

    if (!bodies)
        return HS_ENOMEM;
    bodies->options = (hs_backend_options){
        .struct_size = sizeof bodies->options,
        .seconds_per_unit = spec->seconds_per_unit,
        .grace = s->fail.grace,
        .process_memory = s->place.process_memory,
        .allow_commands = s->run.allow_commands,
        .allow_plugins = s->run.allow_plugins,
        .dry_run = s->keep.dry_run,
        .keep_visible_devices = s->gpu.keep_visible_devices,
        .emulate = {s->run.emulate[HS_CPU], s->run.emulate[HS_GPU]},
        .verify = s->run.verify,
        .gpu_mode = s->gpu.mode,
        .resident = s->gpu.resident,
    };
    bodies->call = hsi_backend_call;
    bodies->calls = (hsi_calls){.in = spec->in, .list = s->run.calls};
    bodies->call.data = &bodies->calls;
    if (s->run.node_count > 0)
        st = hsi_remote_open(spec, &bodies->remote, error);
    else if (s->run.allow_commands && !s->keep.dry_run)
        st = hsi_starter_open(&bodies->options, spec->workers, &bodies->options.starter, error);
    if (st == HS_OK)
        *out = bodies;
    else
        hsi_bodies_free(bodies);
    return st;
}

/* Return true if tasks run on a backend of the client. */
static bool is_client_used(const hsi_bodies *bodies, unsigned client)
{
    unsigned slot;

    for (slot = 0; slot < bodies->backend_count; slot++)
        if (hsi_run_data_client_of(bodies->data, bodies->backends[slot]) == client &&
            (bodies->used[2 * slot + HS_CPU] || bodies->used[2 * slot + HS_GPU]))
            return true;
    return false;
}

/* Return true if other tasks have the row's data in memory, which the body does not use. Emulated
 * tasks compute nothing. */
static bool misses_memory(const hsi_bodies *bodies, const hsi_buffers *buffers, size_t row,
                          int type)
{
    const hsi_body   *body = &bodies->list[2 * row + type];
    const hs_backend *backend = bodies->backends[body->slot];

    return body->body && backend != &hsi_backend_emulated &&
           hsi_run_data_client_of(bodies->data, backend) == HS_NONE &&
           hsi_buffers_need_plugin(buffers, row);
}

static hs_status refuse_memory(const hsi_bodies *bodies, const hsi_run_spec *spec, size_t row,
                               int type, hs_error *error)
{
    const unsigned slot = bodies->list[2 * row + type].slot;
    char           name[HS_MAX_ID + 16];

    hs_instance_row_name(spec->in, row, 0, name, sizeof name);
    return hsi_error_set(error, HS_EDEPENDENT,
                         "task %.100s: plugins have its data in memory, which the backend %.32s on "
                         "%ss does not use: set the %s time to inf, or name other data",
                         name, bodies->backends[slot]->name, type_name[type], type_name[type]);
}

/* Refuse rows that other backends would run without the data in memory. If no task is planned on
 * the type, only free the body. */
static hs_status check_memory(hsi_bodies *bodies, const hsi_run_spec *spec,
                              const unsigned char *planned, int *lacking, hs_error *error)
{
    const hsi_buffers *buffers = hsi_run_data_state(bodies->data, &hsi_client_buffers);
    unsigned           client = 0;

    while (client < hsi_run_data_clients(bodies->data) &&
           hsi_run_data_host_backend(bodies->data, client)->data != buffers)
        client++;
    if (!buffers || !is_client_used(bodies, client))
        return HS_OK;
    for (size_t i = 0; i < bodies->rows; i++)
        for (int type = HS_CPU; type <= HS_GPU; type++) {
            if (!misses_memory(bodies, buffers, i, type))
                continue;
            if (!may_lack(spec, (hs_type)type, planned ? planned[i] : 0, HS_EDEPENDENT))
                return refuse_memory(bodies, spec, i, type, error);
            free_body(&bodies->list[2 * i + type]);
            *lacking = 1;
        }
    return HS_OK;
}

/* Free data that no task uses, since backends of the settings run all tasks of its client. Open
 * OpenBLAS for the others. */
static hs_status settle_data(hsi_bodies *bodies, hs_error *error)
{
    hs_status st = HS_OK;
    unsigned  client;

    for (client = 0; client < hsi_run_data_clients(bodies->data) && st == HS_OK; client++)
        if (!is_client_used(bodies, client))
            hsi_run_data_drop(bodies->data, client);
        else if (!bodies->options.dry_run &&
                 hsi_run_data_calls_blas(bodies->data, hsi_run_data_host_backend(bodies->data, client)))
            st = hsi_blas_open(error);
    return st;
}

hs_status hsi_bodies_make(hsi_bodies *bodies, const hsi_run_spec *spec, const hsi_machine *machine,
                          hs_error *error)
{
    size_t         rows = hs_instance_rows(spec->in), i;
    candidates     list = {.count = {0, 0}};
    unsigned char *planned = NULL;
    int            lacking = 0;
    hs_status      st = make_data(bodies, spec, machine, error);

    if (st == HS_OK)
        st = list_backends(bodies, spec, machine, &list, error);
    bodies->lists_modules = machine->listed != NULL;
    bodies->options.device_memory = hsi_machine_smallest_gpu_memory(machine, spec);
    if (st != HS_OK)
        return st;
    bodies->rows = rows;
    bodies->list = calloc(2 * rows + 1, sizeof *bodies->list);
    if (!bodies->list)
        return HS_ENOMEM;
    if (spec->plan && !(planned = planned_types(spec)))
        return HS_ENOMEM;
    for (i = 0; i < rows && st == HS_OK; i++)
        st = make_row(bodies, spec, &list, i, planned ? planned[i] : 0, &lacking, error);
    if (st == HS_OK)
        st = check_memory(bodies, spec, planned, &lacking, error);
    free(planned);
    if (st == HS_OK)
        st = settle_data(bodies, error);
    if (st == HS_OK && (lacking || are_predictions_emulated(bodies, spec->in)))
        st = reduce_estimates(bodies, spec);
    return st;
}

void hsi_bodies_free(hsi_bodies *bodies)
{
    size_t i;

    if (!bodies)
        return;
    hsi_starter_close(bodies->options.starter);
    hsi_remote_close(bodies->remote);
    for (i = 0; bodies->list && i < 2 * bodies->rows; i++)
        free_body(&bodies->list[i]);
    free(bodies->list);
    free(bodies->backends);
    free(bodies->used);
    hs_instance_free(bodies->reduced);
    hsi_run_data_free(bodies->data);
    free(bodies);
}

const hsi_body *hsi_body_of(const hsi_bodies *bodies, const hs_instance *in, uint32_t task,
                            hs_type type)
{
    return &bodies->list[2 * hs_instance_row_of(in, task) + type];
}

unsigned hsi_bodies_slot_count(const hsi_bodies *bodies)
{
    return bodies->backend_count;
}

const hs_backend *hsi_bodies_backend(const hsi_bodies *bodies, unsigned slot)
{
    return bodies->backends[slot];
}

bool hsi_bodies_slot_runs_type(const hsi_bodies *bodies, unsigned slot, hs_type type)
{
    return bodies->used[2 * slot + type];
}

bool hsi_bodies_slot_takes_stream(const hsi_bodies *bodies, unsigned slot)
{
    return bodies->backends[slot] == &hsi_backend_plugin || bodies->backends[slot] == &bodies->call;
}

const char *hsi_bodies_node_name(const hsi_bodies *bodies, unsigned worker)
{
    return bodies->remote ? hsi_remote_node_name(bodies->remote, worker) : NULL;
}

void hsi_bodies_halt(const hsi_bodies *bodies)
{
    if (bodies->remote)
        hsi_remote_drain(bodies->remote);
}

/* Kernels on tiles wait for their own copies, and commands move their own data. */
bool hsi_bodies_slot_emulates_type(const hsi_bodies *bodies, unsigned slot, hs_type type)
{
    const hs_backend *backend = bodies->backends[slot];

    return backend == &hsi_backend_emulated ||
           (type == HS_GPU && backend != hsi_run_data_gpu_backend(bodies->data) &&
            hsi_run_data_client_of(bodies->data, backend) != HS_NONE);
}

hsi_run_data *hsi_bodies_data(const hsi_bodies *bodies)
{
    return bodies->data;
}

bool hsi_bodies_slot_shares_data(const hsi_bodies *bodies, unsigned slot)
{
    const hs_backend *gpu = hsi_run_data_gpu_backend(bodies->data);

    return gpu && hsi_run_data_client_of(bodies->data, bodies->backends[slot]) ==
                      hsi_run_data_client_of(bodies->data, gpu);
}

unsigned hsi_bodies_sharing_slot(const hsi_bodies *bodies)
{
    const hs_backend *gpu = hsi_run_data_gpu_backend(bodies->data);
    unsigned          slot;

    for (slot = 0; gpu && slot < bodies->backend_count; slot++)
        if (bodies->backends[slot] == gpu)
            return slot;
    return HS_NONE;
}

const hs_instance *hsi_bodies_runnable_instance(const hsi_bodies *bodies, const hs_instance *in)
{
    return bodies->reduced ? bodies->reduced : in;
}
