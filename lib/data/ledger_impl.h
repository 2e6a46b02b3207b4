/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_DATA_LEDGER_IMPL_H
#define HSI_DATA_LEDGER_IMPL_H

/* The fields of a ledger, for lib/data and for policies, which read them millions of times. */

#include "data/ledger.h"

/* The version of a node that has no replica. */
#define NO_VERSION (HS_NONE - 2)

/* Ranges of a device begin with the heads of three rings: used ranges from the least to the most
 * recently used, free ranges, and unused structures. The host has no rings. */
enum { USED_RING, FREE_RING, UNUSED_RING, RINGS };

typedef struct ledger_handle {
    double   bytes;
    uint32_t newest; /* task that wrote the newest version; HS_NONE; HSI_VERSION_LOST */
    uint32_t owner;  /* node that alone has the newest version; HS_NONE */
    uint32_t source; /* node that has the newest version unless it is lost: the writer's, or the
                        host after a transfer to it */
} ledger_handle;

typedef struct ledger_replica {
    uint32_t version; /* task that wrote the content; HS_NONE: initial content; NO_VERSION: none */
    uint32_t place;   /* range; HS_NONE */
    double   arrival; /* model: when the replica can be used */
} ledger_replica;

typedef struct ledger_node {
    bool       is_open;
    uint32_t   domain;
    uint32_t   window;
    uint64_t   peers; /* bit v: node v is a peer */
    hsi_range *range;
    uint32_t   ranges;
    uint64_t  *used; /* memory of range->used */
    size_t    *chunk_bytes;
    uint32_t   chunks;
} ledger_node;

struct hsi_ledger {
    hsi_ledger_size size;
    uint32_t        streams; /* of all devices */
    ledger_handle  *handle;
    ledger_replica *replica; /* by handle and node */
    uint64_t       *reached; /* by stream: last step known to be complete */
    uint64_t       *noted;   /* by stream: last step numbered */
    ledger_node    *node;
};

static inline ledger_replica *replica_of(const hsi_ledger *l, uint32_t handle, uint32_t node)
{
    return &l->replica[(size_t)handle * l->size.nodes + node];
}

static inline hsi_range *range_at(const hsi_ledger *l, uint32_t node, uint32_t range)
{
    return &l->node[node].range[range];
}

static inline bool is_valid(const hsi_ledger *l, uint32_t handle, uint32_t node)
{
    return replica_of(l, handle, node)->version == l->handle[handle].newest;
}

static inline hsi_moment moment_of(uint32_t stream, uint64_t number)
{
    return (hsi_moment){.number = number & UINT64_C(0xffffffffffff), .stream = (uint16_t)stream};
}

static inline hsi_moment used_by(const hsi_range *range, uint32_t stream)
{
    return moment_of(stream, range->used[stream]);
}

static inline bool is_reached(const hsi_ledger *l, hsi_moment step)
{
    return step.number == 0 || step.number <= l->reached[step.stream];
}

static inline uint32_t node_of_stream(const hsi_ledger *l, uint32_t stream)
{
    return 1 + stream / l->size.streams;
}

#endif
