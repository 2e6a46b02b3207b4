/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory of a device, divided into ranges. A split copies the recorded steps to both parts, and
 * a merge keeps the later step of each stream, so a range never forgets who uses its memory.
 */
#include <stdlib.h>
#include <string.h>

#include "data/ledger_private.h"

enum { DETACHED = 256 }; /* pinned ranges without a replica for which structures are reserved */

static void unlink_range(ledger_node *node, uint32_t r)
{
    hsi_range *range = node->range;

    range[range[r].older].newer = range[r].newer;
    range[range[r].newer].older = range[r].older;
}

/* Insert a range at the newest end of a ring. */
static void link_newest(ledger_node *node, uint32_t r, uint32_t ring)
{
    hsi_range *range = node->range;

    range[r].newer = ring;
    range[r].older = range[ring].older;
    range[range[r].older].newer = r;
    range[ring].older = r;
}

static void move_to_ring(ledger_node *node, uint32_t r, uint32_t ring)
{
    unlink_range(node, r);
    link_newest(node, r, ring);
    node->range[r].is_free = ring == FREE_RING;
}

hs_status hsi_ledger_space_allocate(hsi_ledger *l, uint32_t number, uint32_t ranges)
{
    ledger_node *node = &l->node[number];

    node->range = calloc(ranges + 1, sizeof *node->range);
    node->used = calloc((size_t)ranges + 1, (l->streams + 1) * sizeof *node->used);
    if (!node->range || !node->used) {
        hsi_ledger_space_free(node);
        return HS_ENOMEM;
    }
    node->ranges = ranges;
    for (uint32_t r = 0; r < ranges; r++)
        node->range[r] = (hsi_range){.handle = HS_NONE,
                                     .left = HS_NONE,
                                     .right = HS_NONE,
                                     .used = node->used + (size_t)r * l->streams};
    return HS_OK;
}

void hsi_ledger_space_free(ledger_node *node)
{
    free(node->range);
    free(node->used);
    free(node->chunk_bytes);
    node->range = NULL;
    node->used = NULL;
    node->chunk_bytes = NULL;
    node->ranges = node->chunks = 0;
}

/* Return the structures needed for all replicas, some detached ranges, and the free ranges between
 * them, but no more than the memory has units. */
static uint32_t count_structures(const hsi_ledger *l, const size_t *chunk_bytes, uint32_t chunks)
{
    size_t wanted = 2 * (l->size.handles + DETACHED) + chunks, units = 0;

    for (uint32_t c = 0; c < chunks; c++)
        units += chunk_bytes[c] / HSI_LEDGER_UNIT;
    wanted = wanted < units ? wanted : units;
    return RINGS + (uint32_t)(wanted < UINT32_MAX / 2 ? wanted : UINT32_MAX / 2);
}

hs_status hsi_ledger_space_open(hsi_ledger *l, uint32_t number, const size_t *chunk_bytes,
                                uint32_t chunks)
{
    ledger_node *node = &l->node[number];
    hs_status    st;

    hsi_ledger_space_free(node);
    st = hsi_ledger_space_allocate(l, number, count_structures(l, chunk_bytes, chunks));
    if (st != HS_OK)
        return st;
    node->chunk_bytes = malloc((chunks + 1) * sizeof *node->chunk_bytes);
    if (!node->chunk_bytes) {
        hsi_ledger_space_free(node);
        return HS_ENOMEM;
    }
    for (uint32_t c = 0; c < chunks; c++)
        node->chunk_bytes[c] = chunk_bytes[c] / HSI_LEDGER_UNIT * HSI_LEDGER_UNIT;
    node->chunks = chunks;
    hsi_ledger_space_clear(l, number);
    return HS_OK;
}

void hsi_ledger_space_clear(hsi_ledger *l, uint32_t number)
{
    ledger_node *node = &l->node[number];
    uint32_t     next = RINGS;

    for (uint32_t ring = 0; ring < RINGS; ring++)
        node->range[ring].older = node->range[ring].newer = ring;
    memset(node->used, 0, (size_t)node->ranges * l->streams * sizeof *node->used);
    for (uint32_t r = RINGS; r < node->ranges; r++) {
        node->range[r] = (hsi_range){.handle = HS_NONE,
                                     .losses = node->range[r].losses + 1,
                                     .left = HS_NONE,
                                     .right = HS_NONE,
                                     .used = node->range[r].used};
        link_newest(node, r, UNUSED_RING);
    }
    for (uint32_t c = 0; c < node->chunks; c++) {
        if (node->chunk_bytes[c] == 0)
            continue;
        node->range[next].chunk = c;
        node->range[next].bytes = node->chunk_bytes[c];
        move_to_ring(node, next++, FREE_RING);
    }
}

/* Record the writer of a free range as a user: nobody reads the content any more. */
static void fold_writer(hsi_range *range)
{
    hsi_moment written = range->written;

    if (written.number > 0 && range->used[written.stream] < written.number)
        range->used[written.stream] = written.number;
    range->written = (hsi_moment){0};
    range->copied = (hsi_moment){0};
    range->origins = 0;
}

/* Split a free range behind its first `bytes`, if a structure is left for the rest. */
static void split(hsi_ledger *l, ledger_node *node, uint32_t r, size_t bytes)
{
    hsi_range *first = &node->range[r], *rest;
    uint32_t   other = node->range[UNUSED_RING].newer;

    if (first->bytes == bytes || other == UNUSED_RING)
        return;
    rest = &node->range[other];
    move_to_ring(node, other, FREE_RING);
    rest->chunk = first->chunk;
    rest->offset = first->offset + bytes;
    rest->bytes = first->bytes - bytes;
    memcpy(rest->used, first->used, l->streams * sizeof *rest->used);
    rest->left = r;
    rest->right = first->right;
    if (rest->right != HS_NONE)
        node->range[rest->right].left = other;
    first->right = other;
    first->bytes = bytes;
}

/* Merge a free range with its free right neighbour. */
static void merge(hsi_ledger *l, ledger_node *node, uint32_t r)
{
    hsi_range *first = &node->range[r], *second;
    uint32_t   other = first->right;

    if (other == HS_NONE || !node->range[other].is_free)
        return;
    second = &node->range[other];
    for (uint32_t s = 0; s < l->streams; s++)
        if (first->used[s] < second->used[s])
            first->used[s] = second->used[s];
    first->bytes += second->bytes;
    first->right = second->right;
    if (first->right != HS_NONE)
        node->range[first->right].left = r;
    second->left = second->right = HS_NONE;
    second->bytes = 0;
    move_to_ring(node, other, UNUSED_RING);
}

uint32_t hsi_ledger_space_take(hsi_ledger *l, uint32_t number, size_t bytes)
{
    ledger_node *node = &l->node[number];
    uint32_t     best = HS_NONE, r;

    bytes =
        bytes ? (bytes + HSI_LEDGER_UNIT - 1) / HSI_LEDGER_UNIT * HSI_LEDGER_UNIT : HSI_LEDGER_UNIT;
    for (r = node->range[FREE_RING].newer; r != FREE_RING; r = node->range[r].newer)
        if (node->range[r].bytes >= bytes &&
            (best == HS_NONE || node->range[r].bytes < node->range[best].bytes))
            best = r;
    if (best == HS_NONE)
        return HS_NONE;
    split(l, node, best, bytes);
    move_to_ring(node, best, USED_RING);
    node->range[best].window = 0;
    return best;
}

void hsi_ledger_space_release(hsi_ledger *l, uint32_t number, uint32_t r)
{
    ledger_node *node = &l->node[number];
    uint32_t     left = node->range[r].left;

    node->range[r].handle = HS_NONE;
    fold_writer(&node->range[r]);
    move_to_ring(node, r, FREE_RING);
    merge(l, node, r);
    if (left != HS_NONE && node->range[left].is_free)
        merge(l, node, left);
}

void hsi_ledger_space_touch(hsi_ledger *l, uint32_t number, uint32_t r)
{
    move_to_ring(&l->node[number], r, USED_RING);
}

/* Return the first entry of the current window that needs the range; -1: none does. */
static int64_t needed_by(const ledger_node *node, const hsi_range *range)
{
    return range->window == node->window ? (int64_t)range->entry : -1;
}

uint32_t hsi_ledger_space_victim(const hsi_ledger *l, uint32_t number, int64_t entry)
{
    const ledger_node *node = &l->node[number];
    uint32_t           victim = HS_NONE, r;
    int64_t            farthest = entry;

    for (r = node->range[USED_RING].newer; r != USED_RING; r = node->range[r].newer) {
        const hsi_range *range = &node->range[r];
        int64_t          needed = needed_by(node, range);

        if (range->pins > 0 || range->handle == HS_NONE)
            continue;
        if (!is_valid(l, range->handle, number))
            return r;
        if (victim != HS_NONE && needed_by(node, &node->range[victim]) < 0)
            continue;
        if (needed < 0 || needed > farthest) {
            victim = r;
            farthest = needed;
        }
    }
    return victim;
}
