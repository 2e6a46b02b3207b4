/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_DATA_LEDGER_PRIVATE_H
#define HSI_DATA_LEDGER_PRIVATE_H

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
    uint32_t version; /* task that wrote it; HS_NONE; NO_VERSION */
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

/* space.c: allocate the ranges of a node. HS_ENOMEM. */
hs_status hsi_space_allocate(hsi_ledger *l, uint32_t node, uint32_t ranges);
void      hsi_space_free(ledger_node *node);

/* Allocate the ranges of a device, and free its memory. HS_ENOMEM: the node has no ranges. */
hs_status hsi_space_open(hsi_ledger *l, uint32_t node, const size_t *chunk_bytes, uint32_t chunks);

/* Make all memory of a device free: one range for each chunk. */
void hsi_space_clear(hsi_ledger *l, uint32_t node);

/* Take a free range of at least `bytes`, which becomes the most recently used one. HS_NONE: no free
 * range is large enough. */
uint32_t hsi_space_take(hsi_ledger *l, uint32_t node, size_t bytes);

/* Make a range free and merge it with free neighbours. */
void hsi_space_release(hsi_ledger *l, uint32_t node, uint32_t range);

/* Make a range the most recently used one. */
void hsi_space_touch(hsi_ledger *l, uint32_t node, uint32_t range);

/* Return the range to be evicted next among those that are not needed by window entries up to
 * `entry`. HS_NONE: none. */
uint32_t hsi_space_victim(const hsi_ledger *l, uint32_t node, int64_t entry);

/* transfers.c: enter a transfer of a handle. */
hsi_ledger_answer hsi_ledger_enter(hsi_ledger *l, uint32_t handle, uint32_t from, uint32_t to,
                                   hsi_entered *out);

/* order.c: number the step of a transfer between two ranges, list the steps before it, and record
 * it. `out` has room. */
void hsi_ledger_number_transfer(hsi_ledger *l, hsi_transfer_op *op, uint32_t from, uint32_t to,
                                hsi_entered *out);

/* Enter the transfers that make a node's replica valid. The node has a range for it. */
hsi_ledger_answer hsi_ledger_fill(hsi_ledger *l, uint32_t handle, uint32_t node, hsi_entered *out);

/* Return HSI_LEDGER_OK if a step of the node may use the range, HSI_LEDGER_NEED or HSI_LEDGER_WAIT.
 */
hsi_ledger_answer hsi_ledger_allow(const hsi_ledger *l, uint32_t executor, uint32_t node,
                                   uint32_t range, bool write, hsi_entered *out);

/* Take a range of at least `bytes`; evict others that window entries up to `entry` do not need. */
hsi_ledger_answer hsi_ledger_make_room(hsi_ledger *l, uint32_t node, size_t bytes, int64_t entry,
                                       hsi_entered *out, uint32_t *range);

/* loss.c: drop a node's replica. Tasks that have begun see its loss. */
void hsi_ledger_drop(hsi_ledger *l, uint32_t handle, uint32_t node);

/* Choose the owner of a handle that is not valid on the host: the lowest node with a valid replica.
 * The handle is lost if there is none. */
void hsi_ledger_choose_owner(hsi_ledger *l, uint32_t handle);

/* transfers.c: detach a node's replica from its range, which becomes free at its last unpin. */
void hsi_ledger_detach(hsi_ledger *l, uint32_t handle, uint32_t node);

#endif
