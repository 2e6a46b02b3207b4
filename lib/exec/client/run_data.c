/* SPDX-License-Identifier: BSD-3-Clause */
/* The clients of a run, each with its rows and data. */
#include <stdlib.h>

#include "exec/client/client.h"
#include "exec/device/devices.h"

static const hsi_client *const clients[] = {&hsi_client_tiled, &hsi_client_buffers};

enum { CLIENTS = sizeof clients / sizeof *clients };

typedef struct claim {
    const hsi_client  *client;
    void              *state;   /* NULL: dropped */
    hs_backend         host;    /* copy of client->host; its data is `state` */
    hs_backend         gpu;     /* copy of the devices' backend, which are its data */
    hsi_devices       *devices; /* NULL: GPUs do not share the data */
} claim;

struct hsi_run_data {
    claim    claim[CLIENTS];
    unsigned count;
    hs_error refusal;
};

static void add_claim(hsi_run_data *data, const hsi_client *client, void *state)
{
    claim *c = &data->claim[data->count++];

    *c = (claim){.client = client, .state = state, .host = *client->host};
    c->host.data = state;
    if (client->devices)
        c->devices = client->devices(state);
    if (!c->devices)
        return;
    c->gpu = *c->devices->backend;
    c->gpu.data = c->devices;
}

/* Return the claim of the data that GPUs share; NULL: there is none. */
static const claim *shared_claim(const hsi_run_data *data)
{
    for (unsigned i = 0; i < data->count; i++)
        if (data->claim[i].state && data->claim[i].devices)
            return &data->claim[i];
    return NULL;
}

/* Ask each client. The first that shares its data has the devices, and no other client has. */
static hs_status ask_clients(hsi_run_data *data, hsi_client_run *run, hs_error *error)
{
    hs_status st = HS_OK;

    for (size_t i = 0; i < CLIENTS && st == HS_OK; i++) {
        hs_error refusal = {0};
        void    *state = NULL;

        st = clients[i]->recognise(run, &state, &refusal, error);
        if (st == HS_OK && state)
            add_claim(data, clients[i], state);
        if (shared_claim(data))
            run->devices = NULL;
        if (data->refusal.status == HS_OK)
            data->refusal = refusal;
    }
    return st;
}

hs_status hsi_run_data_create(const hsi_client_run *run, hsi_run_data **out, hs_error *error)
{
    hsi_client_run full = *run;
    hsi_run_data  *data = calloc(1, sizeof *data);
    size_t         handles = 0;
    hs_status      st = HS_ENOMEM;

    while (hs_instance_handle_name(run->in, handles))
        handles++;
    full.claimed = calloc(handles + 1, sizeof *full.claimed);
    if (data && full.claimed)
        st = ask_clients(data, &full, error);
    free(full.claimed);
    if (st == HS_OK)
        *out = data;
    else
        hsi_run_data_free(data);
    return st;
}

void hsi_run_data_free(hsi_run_data *data)
{
    for (unsigned i = 0; data && i < data->count; i++)
        hsi_run_data_drop(data, i);
    free(data);
}

const hs_error *hsi_run_data_refusal(const hsi_run_data *data)
{
    return &data->refusal;
}

unsigned hsi_run_data_clients(const hsi_run_data *data)
{
    return data->count;
}

const hs_backend *hsi_run_data_host_backend(const hsi_run_data *data, unsigned index)
{
    return &data->claim[index].host;
}

const hs_backend *hsi_run_data_gpu_backend(const hsi_run_data *data)
{
    const claim *shared = shared_claim(data);

    return shared ? &shared->gpu : NULL;
}

unsigned hsi_run_data_client_of(const hsi_run_data *data, const hs_backend *backend)
{
    for (unsigned i = 0; i < data->count; i++)
        if (backend == &data->claim[i].host || backend == &data->claim[i].gpu)
            return i;
    return HS_NONE;
}

bool hsi_run_data_calls_blas(const hsi_run_data *data, const hs_backend *backend)
{
    unsigned index = hsi_run_data_client_of(data, backend);

    return index != HS_NONE && data->claim[index].client->calls_blas;
}

void hsi_run_data_drop(hsi_run_data *data, unsigned index)
{
    claim *c = &data->claim[index];

    if (c->state)
        c->client->free(c->state);
    c->state = c->host.data = NULL;
}

const char *hsi_run_data_resume_defect(const hsi_run_data *data)
{
    for (unsigned i = 0; i < data->count; i++)
        if (data->claim[i].state)
            return data->claim[i].client->no_resume;
    return NULL;
}

hs_status hsi_run_data_fill(hsi_run_data *data, hs_error *error)
{
    hs_status st = HS_OK;

    for (unsigned i = 0; i < data->count && st == HS_OK; i++)
        if (data->claim[i].state)
            st = data->claim[i].client->fill(data->claim[i].state, error);
    return st;
}

void hsi_run_data_flush(hsi_run_data *data)
{
    for (unsigned i = 0; i < data->count; i++)
        if (data->claim[i].state && data->claim[i].client->flush)
            data->claim[i].client->flush(data->claim[i].state);
}

hs_status hsi_run_data_verify(hsi_run_data *data, hs_error *error)
{
    hs_status st = HS_OK;

    for (unsigned i = 0; i < data->count && st == HS_OK; i++)
        if (data->claim[i].state && data->claim[i].client->verify)
            st = data->claim[i].client->verify(data->claim[i].state, error);
    return st;
}

hsi_devices *hsi_run_data_devices(const hsi_run_data *data)
{
    const claim *shared = shared_claim(data);

    return shared ? shared->devices : NULL;
}

hsi_exchange *hsi_run_data_exchange(const hsi_run_data *data)
{
    for (unsigned i = 0; i < data->count; i++) {
        const claim *c = &data->claim[i];

        if (c->state && c->client->exchange && c->client->exchange(c->state))
            return c->client->exchange(c->state);
    }
    return NULL;
}

void hsi_run_data_prefetch(const hsi_run_data *data, size_t row)
{
    const claim *shared = shared_claim(data);

    shared->client->prefetch(shared->state, row);
}

void *hsi_run_data_state(const hsi_run_data *data, const hsi_client *client)
{
    for (unsigned i = 0; i < data->count; i++)
        if (data->claim[i].client == client)
            return data->claim[i].state;
    return NULL;
}

hs_status hs_exec_data(hs_exec *exec, const char *name, void *at, size_t bytes)
{
    hsi_run_data *data = exec ? hsi_exec_data(exec) : NULL;

    for (unsigned i = 0; data && name && i < data->count; i++)
        if (data->claim[i].state && data->claim[i].client->place)
            return data->claim[i].client->place(data->claim[i].state, name, at, bytes);
    return HS_EINVAL;
}

void *hs_exec_data_at(const hs_exec *exec, const char *name, size_t *bytes)
{
    const hsi_run_data *data = exec ? hsi_exec_data(exec) : NULL;
    size_t              unused;

    bytes = bytes ? bytes : &unused;
    *bytes = 0;
    for (unsigned i = 0; data && name && i < data->count; i++)
        if (data->claim[i].state && data->claim[i].client->home)
            return data->claim[i].client->home(data->claim[i].state, name, bytes);
    return NULL;
}
