/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/run/dispatcher.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/backend/backends.h"

static const char *const type_name[] = {"CPU", "GPU"};

typedef struct asked {
    unsigned slot[2][8]; /* by type: after those of the settings */
    unsigned count[2];
} asked;

static void ask(hs_exec *exec, asked *list, hs_type type, const hs_backend *backend)
{
    unsigned slot = 0;

    while (slot < exec->backend_count && exec->backends[slot] != backend)
        slot++;
    if (slot == exec->backend_count)
        exec->backends[exec->backend_count++] = backend;
    list->slot[type][list->count[type]++] = slot;
}

static hs_status list_backends(hs_exec *exec, asked *list, char why[HS_WHY])
{
    const hs_exec_settings *s = &exec->settings;
    size_t                  i;

    exec->backends = calloc(s->backend_count + 5, sizeof *exec->backends);
    exec->used = calloc(s->backend_count + 5, 2);
    if (!exec->backends || !exec->used)
        return HS_ENOMEM;
    for (i = 0; i < s->backend_count; i++) {
        if (!s->backends[i] || s->backends[i]->abi != HS_BACKEND_ABI) {
            snprintf(why, HS_WHY, "a backend is for another version of the library");
            return HS_EINVAL;
        }
        exec->backends[exec->backend_count++] = s->backends[i];
    }
    if (!s->emulate[HS_CPU]) {
        ask(exec, list, HS_CPU, &hsi_backend_command);
        ask(exec, list, HS_CPU, &hsi_backend_plugin);
        ask(exec, list, HS_CPU, &hsi_backend_cpu);
    }
    ask(exec, list, HS_CPU, &hsi_backend_emulated);
    if (s->emulate[HS_GPU]) {
        ask(exec, list, HS_GPU, &hsi_backend_command);
        ask(exec, list, HS_GPU, &hsi_backend_emulated);
    }
    if (exec->module.backend) {
        ask(exec, list, HS_GPU, exec->module.backend); /* plugins get its stream */
        ask(exec, list, HS_GPU, &hsi_backend_command);
        ask(exec, list, HS_GPU, &hsi_backend_plugin);
    }
    return HS_OK;
}

static hs_status try_backend(hs_exec *exec, unsigned slot, const hs_task *row, hs_type type,
                             hsi_body *out, char why[HS_WHY])
{
    hs_body  *body = NULL;
    hs_status st = exec->backends[slot]->body_create(&exec->options, row, type, &body, why);

    if (st == HS_OK && body) {
        *out = (hsi_body){body, slot};
        exec->used[2 * slot + type] = 1;
    }
    return st;
}

static void name_row(const hs_task *row, size_t number, char *buffer, size_t size)
{
    if (row->id)
        snprintf(buffer, size, "%s", row->id);
    else
        snprintf(buffer, size, "t%zu", number);
}

/* The first backend that makes one. HS_ERESOURCE: none knows how, and `why` says so. */
static hs_status make_body(hs_exec *exec, const asked *list, size_t number, const hs_task *row,
                           hs_type type, char why[HS_WHY])
{
    hsi_body *out = &exec->bodies[2 * number + type];
    hs_status st = HS_OK;
    unsigned  i;
    char      name[200];

    why[0] = '\0';
    for (i = 0; i < exec->settings.backend_count && st == HS_OK && !out->body; i++)
        st = try_backend(exec, i, row, type, out, why);
    for (i = 0; i < list->count[type] && st == HS_OK && !out->body; i++)
        st = try_backend(exec, list->slot[type][i], row, type, out, why);
    if (out->body)
        return HS_OK;
    name_row(row, number, name, sizeof name);
    if (st == HS_OK) {
        snprintf(why, HS_WHY, "task %s: nothing here can run it on a %s", name, type_name[type]);
        return HS_ERESOURCE;
    }
    if (!why[0])
        snprintf(why, HS_WHY, "task %s on a %s: %s", name, type_name[type], hs_status_text(st));
    return st;
}

enum { ON_CPU = 1 << HS_CPU, ON_GPU = 1 << HS_GPU };

/* By row: the types on which its tasks are planned. NULL: no memory. */
static unsigned char *planned_types(const hs_exec *exec)
{
    unsigned char  *types = calloc(hs_instance_rows(exec->in) + 1, 1);
    const hs_entry *entry;
    size_t          count;
    unsigned        w;

    for (w = 0; types && w < exec->workers; w++)
        for (entry = hs_schedule_entries(exec->plan, w, &count); count--; entry++)
            if (entry->state == HS_RUN)
                types[hs_instance_row_of(exec->in, entry->task)] |=
                    w < exec->cpus ? ON_CPU : ON_GPU;
    return types;
}

/*
 * What may be missing is: the type on which a task is not planned, or one type of
 * two for a policy without a plan. There the task does not go; but one that is not
 * allowed is refused rather than quietly done another way, unless it is not planned.
 */
static int may_lack(const hs_exec *exec, hs_type type, unsigned planned, hs_status st)
{
    if (st == HS_ENOMEM)
        return 0;
    if (hs_policy_needs_plan(exec->settings.policy))
        return !(planned & 1u << type);
    return st != HS_EREFUSED;
}

static hs_status make_row(hs_exec *exec, const asked *list, size_t number, unsigned planned,
                          int *lacking, char why[HS_WHY])
{
    const unsigned there[2] = {exec->cpus, exec->gpus};
    hs_task        row;
    int            type, made = 0;

    hs_instance_row(exec->in, number, &row);
    for (type = HS_CPU; type <= HS_GPU; type++) {
        hs_status st;

        if (!there[type] || isinf(type == HS_CPU ? row.cpu : row.gpu))
            continue;
        st = make_body(exec, list, number, &row, (hs_type)type, why);
        if (st != HS_OK && !may_lack(exec, (hs_type)type, planned, st))
            return st;
        made += st == HS_OK;
        *lacking |= st != HS_OK;
    }
    if (made)
        return HS_OK;
    return HS_ERESOURCE; /* `why` is of the last type that was tried */
}

/* Where a body is missing, a task cannot run: the same tasks with no time there. */
static hs_status reduce_estimates(hs_exec *exec)
{
    hs_builder *b = NULL;
    hs_task     row;
    size_t      i, task = 0;
    hs_status   st = hs_builder_create(&b);

    if (st == HS_OK)
        st = hs_builder_workers(b, exec->cpus, exec->gpus);
    if (st == HS_OK)
        st = hs_builder_unit(b, hs_instance_unit(exec->in));
    for (i = 0; i < hs_instance_rows(exec->in) && st == HS_OK; i++) {
        hs_instance_row(exec->in, i, &row);
        row.restartable = hs_instance_restartable(exec->in, task) ? HS_RESTART_YES : HS_RESTART_NO;
        row.id = row.kernel = row.cpu_command = row.gpu_command = NULL;
        if (!exec->bodies[2 * i + HS_CPU].body)
            row.cpu = INFINITY;
        if (!exec->bodies[2 * i + HS_GPU].body)
            row.gpu = INFINITY;
        task += row.count ? row.count : 1;
        st = hs_builder_add(b, &row);
    }
    if (st == HS_OK)
        st = hs_builder_finish(b, &exec->reduced, NULL);
    hs_builder_free(b);
    return st;
}

const hs_instance *hsi_estimates(const hs_exec *exec)
{
    return exec->reduced ? exec->reduced : exec->in;
}

hs_status hsi_bodies_make(hs_exec *exec, char why[HS_WHY])
{
    size_t         rows = hs_instance_rows(exec->in), i;
    asked          list = {.count = {0, 0}};
    unsigned char *planned = NULL;
    int            lacking = 0;
    hs_status      st = list_backends(exec, &list, why);
    if (st != HS_OK)
        return st;
    exec->bodies = calloc(2 * rows + 1, sizeof *exec->bodies);
    if (!exec->bodies)
        return HS_ENOMEM;
    if (exec->plan && !(planned = planned_types(exec)))
        return HS_ENOMEM;
    for (i = 0; i < rows && st == HS_OK; i++)
        st = make_row(exec, &list, i, planned ? planned[i] : 0, &lacking, why);
    free(planned);
    if (st == HS_OK && lacking)
        st = reduce_estimates(exec);
    return st;
}

void hsi_bodies_free(hs_exec *exec)
{
    size_t rows = hs_instance_rows(exec->in), i;

    for (i = 0; exec->bodies && i < 2 * rows; i++) {
        hs_body *body = exec->bodies[i].body;

        if (body && body->backend->body_free)
            body->backend->body_free(body);
    }
    free(exec->bodies);
    free(exec->backends);
    free(exec->used);
    hs_instance_free(exec->reduced);
}
