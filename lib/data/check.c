/* SPDX-License-Identifier: BSD-3-Clause */
/* The invariants of a ledger. */
#include "data/ledger_private.h"

static const char *check_handle(const hsi_ledger *l, uint32_t number)
{
    const ledger_handle *handle = &l->handle[number];
    uint32_t             valid = 0;

    for (uint32_t v = 0; v < l->size.nodes; v++)
        valid += is_valid(l, number, v);
    if (handle->newest == HSI_VERSION_LOST)
        return valid == 0 && handle->owner == HS_NONE ? NULL : "a lost handle has a valid replica";
    if (valid == 0)
        return "no replica of a handle is valid";
    if (!is_valid(l, number, handle->source))
        return "the source has no valid replica";
    if (handle->owner != HS_NONE && (valid > 1 || !is_valid(l, number, handle->owner)))
        return "a modified replica is not the only valid one";
    if (handle->owner == HS_NONE && !l->size.is_model && !is_valid(l, number, HSI_LEDGER_HOST))
        return "a shared replica is not on the host";
    return NULL;
}

static const char *check_replica(const hsi_ledger *l, uint32_t handle, uint32_t node)
{
    const ledger_replica *replica = replica_of(l, handle, node);
    const hsi_range      *range;

    if (l->size.is_model || !l->node[node].is_open)
        return NULL;
    if (replica->place == HS_NONE)
        return is_valid(l, handle, node) ? "a valid replica has no range" : NULL;
    range = range_at(l, node, replica->place);
    if (range->handle != handle || range->is_free)
        return "a replica's range names another handle";
    return range->bytes < (size_t)l->handle[handle].bytes ? "a range is smaller than its replica"
                                                          : NULL;
}

static const char *check_range(const hsi_ledger *l, uint32_t node, uint32_t r)
{
    const hsi_range *range = range_at(l, node, r);

    if (range->pins > UINT32_MAX / 2)
        return "a range was unpinned too often";
    if (range->handle != HS_NONE && replica_of(l, range->handle, node)->place != r)
        return "a range names a handle whose replica is elsewhere";
    if (node == HSI_LEDGER_HOST || range->bytes == 0)
        return NULL;
    if (range->is_free && (range->pins > 0 || range->handle != HS_NONE))
        return "a free range is in use";
    if (!range->is_free && range->pins == 0 && range->handle == HS_NONE)
        return "a range without use is not free";
    return NULL;
}

/* Check that the ranges cover each chunk from begin to end without gaps, and that no two free
 * ranges are neighbours. */
static const char *check_chunks(const ledger_node *node)
{
    size_t sum = 0, whole = 0;

    for (uint32_t c = 0; c < node->chunks; c++)
        whole += node->chunk_bytes[c];
    for (uint32_t r = RINGS; r < node->ranges; r++) {
        const hsi_range *range = &node->range[r], *next;
        size_t           end = range->offset + range->bytes;

        sum += range->bytes;
        if (range->bytes == 0)
            continue;
        if (range->left == HS_NONE && range->offset != 0)
            return "the first range of a chunk is missing";
        if (range->right == HS_NONE) {
            if (end != node->chunk_bytes[range->chunk])
                return "the last range of a chunk is missing";
            continue;
        }
        next = &node->range[range->right];
        if (next->offset != end || next->chunk != range->chunk || next->left != r)
            return "ranges leave a gap or overlap";
        if (next->is_free && range->is_free)
            return "two free ranges are neighbours";
    }
    return sum == whole ? NULL : "ranges do not cover the memory";
}

static const char *check_node(const hsi_ledger *l, uint32_t node)
{
    const char *why = NULL;

    if (!l->node[node].is_open)
        return NULL;
    for (uint32_t r = node == HSI_LEDGER_HOST ? 0 : RINGS; !why && r < l->node[node].ranges; r++)
        why = check_range(l, node, r);
    if (!why && node != HSI_LEDGER_HOST)
        why = check_chunks(&l->node[node]);
    return why;
}

const char *hsi_ledger_check(const hsi_ledger *l)
{
    const char *why = NULL;

    for (uint32_t h = 0; !why && h < l->size.handles; h++) {
        why = check_handle(l, h);
        for (uint32_t v = 0; !why && v < l->size.nodes; v++)
            why = check_replica(l, h, v);
    }
    for (uint32_t v = 0; !why && v < l->size.nodes; v++)
        why = check_node(l, v);
    return why;
}
