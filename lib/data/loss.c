/* SPDX-License-Identifier: BSD-3-Clause */
/* The loss of a device. */
#include "data/ledger_private.h"

void hsi_ledger_drop(hsi_ledger *l, uint32_t handle, uint32_t node)
{
    uint32_t place = replica_of(l, handle, node)->place;

    if (place != HS_NONE)
        range_at(l, node, place)->losses++;
    hsi_ledger_detach(l, handle, node);
}

static bool are_equal(hsi_moment a, hsi_moment b)
{
    return a.number == b.number && a.stream == b.stream;
}

/* Count the loss of a range whose last transfer cannot complete. A task may have overwritten the
 * range in place since, in which case the version is the task's, and the task will fail. */
static void lose_transfer(hsi_ledger *l, uint32_t node, hsi_range *range)
{
    uint32_t handle = range->handle;

    if (handle != HS_NONE && is_valid(l, handle, node) && are_equal(range->written, range->copied))
        hsi_ledger_drop(l, handle, node);
    else
        range->losses++;
}

static void lose_transfers(hsi_ledger *l, uint32_t lost)
{
    for (uint32_t v = 0; v < l->size.nodes; v++)
        for (uint32_t r = 0; v != lost && l->node[v].is_open && r < l->node[v].ranges; r++) {
            hsi_range *range = range_at(l, v, r);

            if (range->origins >> lost & 1 && !is_reached(l, range->copied))
                lose_transfer(l, v, range);
        }
}

void hsi_ledger_choose_owner(hsi_ledger *l, uint32_t number)
{
    ledger_handle *handle = &l->handle[number];

    handle->owner = HS_NONE;
    for (uint32_t v = 1; v < l->size.nodes; v++) {
        if (!is_valid(l, number, v))
            continue;
        if (handle->owner == HS_NONE)
            handle->owner = handle->source = v;
        else
            hsi_ledger_detach(l, number, v);
    }
    if (handle->owner == HS_NONE)
        handle->newest = HSI_VERSION_LOST;
}

void hsi_ledger_lose(hsi_ledger *l, uint32_t node)
{
    if (!l->node[node].is_open)
        return;
    lose_transfers(l, node);
    for (uint32_t h = 0; h < l->size.handles; h++) {
        hsi_ledger_drop(l, h, node);
        if (l->handle[h].newest != HSI_VERSION_LOST && !is_valid(l, h, HSI_LEDGER_HOST))
            hsi_ledger_choose_owner(l, h);
    }
    for (uint32_t s = (node - 1) * l->size.streams; s < node * l->size.streams; s++)
        l->reached[s] = l->noted[s]; /* no step needs to wait for these any more */
    l->node[node].is_open = false;
}
