/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfers and evictions. A transfer changes the states of replicas when it is entered. */
#include "data/ledger_private.h"

/* Return the devices that a transfer concerns, as bits. */
static uint64_t devices_of(const hsi_transfer_op *op)
{
    uint64_t nodes = UINT64_C(1) << op->from | UINT64_C(1) << op->to;

    return nodes & ~(UINT64_C(1) << HSI_LEDGER_HOST);
}

/* Return HSI_LEDGER_BUSY if the stream of a transfer has as many steps under way as it may have. */
static hsi_ledger_answer allow_stream(const hsi_ledger *l, const hsi_transfer_op *op,
                                      hsi_entered *out)
{
    uint32_t stream = hsi_ledger_stream_of(l, op);

    if (!l->size.pending || l->noted[stream] - l->reached[stream] < l->size.pending)
        return HSI_LEDGER_OK;
    out->late = moment_of(stream, l->noted[stream] - l->size.pending + 1);
    return HSI_LEDGER_BUSY;
}

/* Return HSI_LEDGER_OK if a transfer may use its nodes and ranges now, its stream may get a step,
 * and the lists have room. */
static hsi_ledger_answer allow_transfer(const hsi_ledger *l, const hsi_transfer_op *op,
                                        uint32_t from, uint32_t to, hsi_entered *out)
{
    uint32_t          executor = op->to == HSI_LEDGER_HOST ? op->from : op->to;
    uint64_t          absent = devices_of(op) & ~out->locked;
    hsi_ledger_answer read, write, busy;

    if (absent) {
        out->needed |= absent;
        return HSI_LEDGER_NEED;
    }
    read = hsi_ledger_allow(l, executor, op->from, from, false, out);
    if (read == HSI_LEDGER_WAIT)
        return read;
    write = hsi_ledger_allow(l, executor, op->to, to, true, out);
    if (read != HSI_LEDGER_OK || write != HSI_LEDGER_OK)
        return write == HSI_LEDGER_OK ? read : write;
    busy = allow_stream(l, op, out);
    if (busy != HSI_LEDGER_OK)
        return busy;
    return out->count == out->room || out->waits + 2 * ((size_t)l->streams + 1) > out->wait_room
               ? HSI_LEDGER_FULL
               : HSI_LEDGER_OK;
}

hsi_ledger_answer hsi_ledger_enter(hsi_ledger *l, uint32_t handle, uint32_t from, uint32_t to,
                                   hsi_entered *out)
{
    uint32_t          source = replica_of(l, handle, from)->place;
    uint32_t          target = replica_of(l, handle, to)->place;
    hsi_transfer_op   op = {.handle = handle, .from = from, .to = to};
    hsi_ledger_answer answer = allow_transfer(l, &op, source, target, out);

    if (answer != HSI_LEDGER_OK)
        return answer;
    hsi_ledger_number_transfer(l, &op, source, target, out);
    out->transfer[out->count++] = op;
    replica_of(l, handle, to)->version = l->handle[handle].newest;
    l->handle[handle].owner = HS_NONE;
    if (to == HSI_LEDGER_HOST)
        l->handle[handle].source = HSI_LEDGER_HOST;
    return HSI_LEDGER_OK;
}

uint32_t hsi_ledger_source(const hsi_ledger *l, uint32_t handle, uint32_t node)
{
    for (uint32_t v = 1; !l->size.is_model && v < l->size.nodes; v++)
        if (l->node[node].peers >> v & 1 && v != node && is_valid(l, handle, v))
            return v;
    return l->handle[handle].source;
}

hsi_ledger_answer hsi_ledger_fill(hsi_ledger *l, uint32_t handle, uint32_t node, hsi_entered *out)
{
    hsi_ledger_answer answer = HSI_LEDGER_OK;

    if (is_valid(l, handle, node))
        return HSI_LEDGER_OK;
    if (!is_valid(l, handle, HSI_LEDGER_HOST))
        answer = hsi_ledger_enter(l, handle, l->handle[handle].owner, HSI_LEDGER_HOST, out);
    if (answer != HSI_LEDGER_OK || node == HSI_LEDGER_HOST)
        return answer;
    return hsi_ledger_enter(l, handle, hsi_ledger_source(l, handle, node), node, out);
}

void hsi_ledger_detach(hsi_ledger *l, uint32_t handle, uint32_t node)
{
    ledger_replica *replica = replica_of(l, handle, node);
    uint32_t        place = replica->place;

    replica->version = NO_VERSION;
    if (node == HSI_LEDGER_HOST || place == HS_NONE)
        return;
    replica->place = HS_NONE;
    range_at(l, node, place)->handle = HS_NONE;
    if (range_at(l, node, place)->pins == 0)
        hsi_ledger_space_release(l, node, place);
}

/* Evict a range that is not pinned; a modified replica is copied to the host first. */
static hsi_ledger_answer evict(hsi_ledger *l, uint32_t node, uint32_t range, hsi_entered *out)
{
    uint32_t          handle = range_at(l, node, range)->handle;
    hsi_ledger_answer answer = HSI_LEDGER_OK;

    if (l->handle[handle].owner == node)
        answer = hsi_ledger_enter(l, handle, node, HSI_LEDGER_HOST, out);
    if (answer == HSI_LEDGER_OK)
        hsi_ledger_detach(l, handle, node);
    return answer;
}

hsi_ledger_answer hsi_ledger_make_room(hsi_ledger *l, uint32_t node, size_t bytes, int64_t entry,
                                       hsi_entered *out, uint32_t *range)
{
    hsi_ledger_answer answer = HSI_LEDGER_OK;

    while (answer == HSI_LEDGER_OK) {
        uint32_t victim;

        *range = hsi_ledger_space_take(l, node, bytes);
        if (*range != HS_NONE)
            return HSI_LEDGER_OK;
        victim = hsi_ledger_space_victim(l, node, entry);
        answer = victim == HS_NONE ? HSI_LEDGER_NO_ROOM : evict(l, node, victim, out);
    }
    return answer;
}

hsi_ledger_answer hsi_ledger_flush(hsi_ledger *l, uint32_t handle, hsi_entered *out)
{
    uint32_t owner = l->handle[handle].owner;

    out->needed = 0;
    if (owner == HS_NONE || owner == HSI_LEDGER_HOST)
        return HSI_LEDGER_OK;
    return hsi_ledger_enter(l, handle, owner, HSI_LEDGER_HOST, out);
}

/* The order of the evictions does not matter, since all ranges are evicted. */
hsi_ledger_answer hsi_ledger_evict_all(hsi_ledger *l, uint32_t node, hsi_entered *out)
{
    hsi_ledger_answer answer = l->node[node].is_open ? HSI_LEDGER_OK : HSI_LEDGER_CLOSED;
    uint32_t          next;

    out->needed = 0;
    if (answer != HSI_LEDGER_OK)
        return answer;
    for (uint32_t r = range_at(l, node, USED_RING)->newer; r != USED_RING; r = next) {
        next = range_at(l, node, r)->newer;
        if (range_at(l, node, r)->pins == 0 && range_at(l, node, r)->handle != HS_NONE)
            answer = evict(l, node, r, out);
        if (answer != HSI_LEDGER_OK)
            break;
    }
    return answer;
}
