/* SPDX-License-Identifier: BSD-3-Clause */
/* A ledger: its creation, handles and nodes; queries; the model's moments. */
#include "data/ledger.h"

#include <math.h>
#include <stdlib.h>

#include "data/ledger_private.h"

static bool allocate(hsi_ledger *l)
{
    size_t handles = l->size.handles;

    l->handle = calloc(handles + 1, sizeof *l->handle);
    l->replica = calloc(handles + 1, l->size.nodes * sizeof *l->replica);
    l->reached = calloc((size_t)l->streams + 1, sizeof *l->reached);
    l->noted = calloc((size_t)l->streams + 1, sizeof *l->noted);
    l->node = calloc(l->size.nodes, sizeof *l->node);
    return l->handle && l->replica && l->reached && l->noted && l->node &&
           (l->size.is_model ||
            hsi_ledger_space_allocate(l, HSI_LEDGER_HOST, (uint32_t)handles + l->size.spares) ==
                HS_OK);
}

hs_status hsi_ledger_create(const hsi_ledger_size *size, hsi_ledger **out)
{
    hsi_ledger *l;

    if (!size->is_model && (size->nodes > HSI_LEDGER_MOST_NODES || size->handles > UINT32_MAX / 4 ||
                            size->spares > UINT32_MAX / 4))
        return HS_ETOOBIG;
    if ((uint64_t)size->streams * (size->nodes - 1) > UINT16_MAX)
        return HS_ETOOBIG; /* the number of a stream has 16 bits in hsi_moment */
    l = calloc(1, sizeof *l);
    if (!l)
        return HS_ENOMEM;
    l->size = *size;
    l->streams = size->streams * (size->nodes - 1);
    if (!allocate(l)) {
        hsi_ledger_free(l);
        return HS_ENOMEM;
    }
    l->node[HSI_LEDGER_HOST].is_open = true;
    for (uint32_t v = 0; v < size->nodes; v++)
        l->node[v].window = 1;
    hsi_ledger_reset(l);
    *out = l;
    return HS_OK;
}

void hsi_ledger_free(hsi_ledger *l)
{
    if (!l)
        return;
    for (uint32_t v = 0; l->node && v < l->size.nodes; v++)
        hsi_ledger_space_free(&l->node[v]);
    free(l->handle);
    free(l->replica);
    free(l->reached);
    free(l->noted);
    free(l->node);
    free(l);
}

/* Return all ranges of the host to their first handles. */
static void reset_host(hsi_ledger *l)
{
    const ledger_node *host = &l->node[HSI_LEDGER_HOST];

    for (uint32_t r = 0; r < host->ranges; r++) {
        host->range[r].handle = r < l->size.handles ? r : HS_NONE;
        host->range[r].pins = host->range[r].overwriters = 0;
        hsi_ledger_note(l, HSI_LEDGER_HOST, r, true, (hsi_moment){0});
    }
}

void hsi_ledger_reset(hsi_ledger *l)
{
    for (uint32_t h = 0; h < l->size.handles; h++) {
        l->handle[h].newest = HS_NONE;
        l->handle[h].owner = HS_NONE;
        l->handle[h].source = HSI_LEDGER_HOST;
        for (uint32_t v = 0; v < l->size.nodes; v++)
            *replica_of(l, h, v) = (ledger_replica){NO_VERSION, HS_NONE, 0};
        replica_of(l, h, HSI_LEDGER_HOST)->version = HS_NONE;
        replica_of(l, h, HSI_LEDGER_HOST)->place = l->size.is_model ? HS_NONE : h;
    }
    reset_host(l);
    for (uint32_t v = 1; v < l->size.nodes; v++)
        if (l->node[v].is_open)
            hsi_ledger_space_clear(l, v);
}

void hsi_ledger_place(hsi_ledger *l, uint32_t handle, double bytes, void *at, size_t room)
{
    l->handle[handle].bytes = bytes;
    if (l->size.is_model)
        return;
    range_at(l, HSI_LEDGER_HOST, handle)->at = at;
    range_at(l, HSI_LEDGER_HOST, handle)->bytes = room;
}

uint32_t hsi_ledger_place_spare(hsi_ledger *l, uint32_t number, void *at, size_t room)
{
    uint32_t r = (uint32_t)l->size.handles + number;

    range_at(l, HSI_LEDGER_HOST, r)->at = at;
    range_at(l, HSI_LEDGER_HOST, r)->bytes = room;
    return r;
}

hs_status hsi_ledger_open_node(hsi_ledger *l, uint32_t node, uint32_t domain,
                               const size_t *chunk_bytes, uint32_t chunks)
{
    hs_status st = hsi_ledger_space_open(l, node, chunk_bytes, chunks);

    if (st != HS_OK)
        return st;
    for (uint32_t h = 0; h < l->size.handles; h++)
        *replica_of(l, h, node) = (ledger_replica){NO_VERSION, HS_NONE, 0};
    l->node[node].domain = domain;
    l->node[node].is_open = true;
    return HS_OK;
}

void hsi_ledger_link_peers(hsi_ledger *l, uint32_t node1, uint32_t node2)
{
    l->node[node1].peers |= UINT64_C(1) << node2;
    l->node[node2].peers |= UINT64_C(1) << node1;
}

void hsi_ledger_write(hsi_ledger *l, uint32_t handle, uint32_t node, uint32_t task, double time)
{
    ledger_replica *replica = replica_of(l, handle, node);

    l->handle[handle].newest = task;
    l->handle[handle].owner = l->handle[handle].source = node;
    replica->version = task;
    replica->arrival = time;
}

bool hsi_ledger_request(hsi_ledger *l, uint32_t handle, uint32_t node, double time)
{
    ledger_replica *replica = replica_of(l, handle, node);

    if (is_valid(l, handle, node) && replica->arrival <= time)
        return false;
    if (l->handle[handle].owner != node)
        l->handle[handle].owner = HS_NONE;
    replica->version = l->handle[handle].newest;
    replica->arrival = time;
    return true;
}

double hsi_ledger_arrival(const hsi_ledger *l, uint32_t handle, uint32_t node)
{
    return is_valid(l, handle, node) ? replica_of(l, handle, node)->arrival : INFINITY;
}

uint32_t hsi_ledger_newest(const hsi_ledger *l, uint32_t handle)
{
    return l->handle[handle].newest;
}

double hsi_ledger_bytes(const hsi_ledger *l, uint32_t handle)
{
    return l->handle[handle].bytes;
}

hsi_coherence hsi_ledger_state(const hsi_ledger *l, uint32_t handle, uint32_t node)
{
    if (!is_valid(l, handle, node))
        return HSI_REPLICA_INVALID;
    return l->handle[handle].owner == node ? HSI_REPLICA_MODIFIED : HSI_REPLICA_SHARED;
}

uint32_t hsi_ledger_range_of(const hsi_ledger *l, uint32_t handle, uint32_t node)
{
    return replica_of(l, handle, node)->place;
}

const hsi_range *hsi_ledger_range(const hsi_ledger *l, uint32_t node, uint32_t range)
{
    return range < l->node[node].ranges ? range_at(l, node, range) : NULL;
}

double hsi_ledger_missing(const hsi_ledger *l, uint32_t node, const hsi_use *use, size_t count)
{
    double bytes = 0;

    for (size_t i = 0; i < count; i++)
        if (use[i].mode & HS_READ && !is_valid(l, use[i].handle, node))
            bytes += l->handle[use[i].handle].bytes;
    return bytes;
}
