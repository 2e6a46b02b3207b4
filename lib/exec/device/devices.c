/* SPDX-License-Identifier: BSD-3-Clause */
/* The devices of a run, and host memory for copies. */
#include "exec/device/devices.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/clock.h"

enum { HEADER = 64 }; /* keeps the alignment of what follows */

/* What precedes host memory for copies. */
typedef union host_header {
    bool is_pageable; /* false: page-locked memory of the module */
    char room[HEADER];
} host_header;

static bool allocate_node(hsi_devices *d, hsi_device_node *node, uint32_t number)
{
    size_t   waits = (size_t)HSI_STREAM_EVENTS * d->streams;
    unsigned i;

    node->devices = d;
    node->node = number;
    for (i = 0; i < HSI_STREAMS; i++) {
        node->stream[i].waits = calloc(waits, sizeof *node->stream[i].waits);
        if (!node->stream[i].waits)
            return false;
    }
    return true;
}

static hs_status allocate(hsi_devices *d)
{
    hsi_ledger_size size = {.handles = d->handles,
                            .nodes = d->count + 1,
                            .streams = HSI_STREAMS,
                            .in = HSI_STREAM_IN,
                            .out = HSI_STREAM_OUT,
                            .pending = HSI_STREAM_EVENTS};
    unsigned        i;

    d->bytes = calloc(d->handles + 1, sizeof *d->bytes);
    d->device = calloc(d->count + 1, sizeof *d->device);
    for (i = 0; d->device && i < d->count; i++)
        pthread_mutex_init(&d->device[i].issue, NULL);
    if (!d->bytes || !d->device)
        return HS_ENOMEM;
    for (i = 0; i < d->count; i++)
        if (!allocate_node(d, &d->device[i], i + 1))
            return HS_ENOMEM;
    return hsi_ledger_create(&size, &d->ledger);
}

hs_status hsi_devices_create(const hsi_device_choice *choice, unsigned count, size_t handles,
                             hsi_devices *out)
{
    hs_status st;

    *out = (hsi_devices){
        .choice = choice, .count = count, .streams = count * HSI_STREAMS, .handles = handles};
    if (count >= HSI_LEDGER_MOST_NODES)
        return HS_ETOOBIG;
    pthread_mutex_init(&out->lock, NULL);
    pthread_mutex_init(&out->host_lock, NULL);
    st = allocate(out);
    if (st != HS_OK)
        hsi_devices_free(out);
    return st;
}

void hsi_devices_set_up(hsi_devices *d, hs_backend *backend, const hs_exec_settings *settings)
{
    const double usual = 0.8; /* the rest is for code, libraries and displays */

    backend->name = d->choice[0].ops->name;
    d->backend = backend;
    d->limit_setting = "settings.gpu.tile_memory";
    d->limit = settings->gpu.tile_memory;
    d->share = settings->gpu.tile_share > 0 ? settings->gpu.tile_share : usual;
    d->keeps_records = settings->keep.transfers;
}

void hsi_devices_free(hsi_devices *d)
{
    unsigned i, k;

    for (i = 0; d->device && i < d->count; i++) {
        for (k = 0; k < HSI_STREAMS; k++)
            free(d->device[i].stream[k].waits);
        pthread_mutex_destroy(&d->device[i].issue);
    }
    if (d->host)
        d->choice[0].ops->close(d->host);
    hsi_ledger_free(d->ledger);
    hsi_records_free(d);
    free(d->device);
    free(d->bytes);
    free(d->operation);
    pthread_mutex_destroy(&d->host_lock);
    pthread_mutex_destroy(&d->lock);
    *d = (hsi_devices){.count = 0};
}

void hsi_devices_renew(hsi_devices *d)
{
    hsi_ledger_reset(d->ledger);
    d->why_lost[0] = '\0';
    d->epoch = hsi_clock_ns();
    hsi_records_free(d);
}

bool hsi_devices_lost(hsi_devices *d, char why[HS_WHY])
{
    for (uint32_t h = 0; d->why_lost[0] && h < d->handles; h++)
        if (hsi_ledger_newest(d->ledger, h) == HSI_VERSION_LOST) {
            snprintf(why, HS_WHY, "part of the result is lost with a GPU: %.300s", d->why_lost);
            return true;
        }
    return false;
}

void *hsi_devices_allocate(hsi_devices *d, size_t bytes)
{
    const hsi_device_choice *first = &d->choice[0];
    hs_error                 unused;
    host_header             *header = NULL;
    bool                     is_pageable;

    if (bytes > SIZE_MAX / 2)
        return NULL;
    pthread_mutex_lock(&d->host_lock);
    if (d->host || first->ops->open(first->which, first->index, &d->host, &unused) == HS_OK)
        header = first->ops->host_alloc(d->host, NULL, sizeof *header + bytes);
    pthread_mutex_unlock(&d->host_lock);
    is_pageable = !header;
    if (is_pageable)
        header = aligned_alloc(HEADER, (bytes / HEADER + 2) * HEADER);
    if (!header)
        return NULL;
    header->is_pageable = is_pageable;
    return header + 1;
}

void hsi_devices_release(hsi_devices *d, void *at)
{
    host_header *header = (host_header *)at - 1;

    if (header->is_pageable) {
        free(header);
        return;
    }
    pthread_mutex_lock(&d->host_lock);
    d->choice[0].ops->host_release(d->host, header, 0);
    pthread_mutex_unlock(&d->host_lock);
}
