/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks that use handles: begin, commit, end, failure and prefetch. */
#include "data/ledger_private.h"

static bool reads(const hsi_use *use)
{
    return use->mode & HS_READ;
}

static bool writes(const hsi_use *use)
{
    return use->mode & HS_WRITE;
}

static bool writes_second(const hsi_use *use)
{
    return writes(use) && use->keep;
}

static bool writes_in_place(const hsi_use *use)
{
    return writes(use) && !use->keep;
}

/* A task that only writes a second range of a device needs no replica. */
static bool needs_replica(const hsi_use *use, uint32_t node)
{
    return reads(use) || !use->keep || node == HSI_LEDGER_HOST;
}

/* A thread of the host that overwrites a handle in place needs the newest version too: a device
 * could otherwise copy its modified replica to this range in the meantime. */
static bool needs_content(const hsi_use *use, uint32_t node)
{
    return reads(use) || (node == HSI_LEDGER_HOST && writes_in_place(use));
}

static hsi_ledger_answer check_versions(const hsi_ledger *l, const hsi_use *use, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t newest = l->handle[use[i].handle].newest;

        if (newest == HSI_VERSION_LOST && reads(&use[i]))
            return HSI_LEDGER_LOST;
        if (newest != HSI_VERSION_LOST && newest != use[i].version)
            return HSI_LEDGER_STALE;
    }
    return HSI_LEDGER_OK;
}

static void pin(hsi_ledger *l, uint32_t node, uint32_t range)
{
    range_at(l, node, range)->pins++;
    if (node != HSI_LEDGER_HOST)
        hsi_ledger_space_touch(l, node, range);
}

static void unpin(hsi_ledger *l, uint32_t node, uint32_t r)
{
    hsi_range *range;

    if (r == HS_NONE)
        return;
    range = range_at(l, node, r);
    range->pins--;
    if (range->pins == 0 && range->handle == HS_NONE && node != HSI_LEDGER_HOST)
        hsi_ledger_space_release(l, node, r);
}

/* Count the tasks that write ranges of the host in place: nothing is copied from there meanwhile.
 */
static void count_overwriters(hsi_ledger *l, const hsi_use *use, size_t count, int change)
{
    for (size_t i = 0; i < count; i++)
        if (writes_in_place(&use[i]))
            range_at(l, HSI_LEDGER_HOST, use[i].range)->overwriters += (uint32_t)change;
}

/* Give the node's replica a range; its content is invalid. */
static hsi_ledger_answer add_range(hsi_ledger *l, uint32_t node, uint32_t handle, int64_t entry,
                                   hsi_entered *out)
{
    uint32_t          range;
    hsi_ledger_answer answer =
        hsi_ledger_make_room(l, node, (size_t)l->handle[handle].bytes, entry, out, &range);

    if (answer != HSI_LEDGER_OK)
        return answer;
    replica_of(l, handle, node)->place = range;
    replica_of(l, handle, node)->version = NO_VERSION;
    range_at(l, node, range)->handle = handle;
    return HSI_LEDGER_OK;
}

/* Pin the ranges of uses that have a range, so that no later use evicts them. */
static void pin_present(hsi_ledger *l, uint32_t node, hsi_use *use, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        use[i].range =
            needs_replica(&use[i], node) ? replica_of(l, use[i].handle, node)->place : HS_NONE;
        if (use[i].range != HS_NONE)
            pin(l, node, use[i].range);
        if (node != HSI_LEDGER_HOST || !writes_second(&use[i]))
            use[i].second = HS_NONE;
        else
            pin(l, node, use[i].second);
    }
}

static hsi_ledger_answer take_second(hsi_ledger *l, uint32_t node, hsi_use *use, hsi_entered *out)
{
    uint32_t          range;
    hsi_ledger_answer answer =
        hsi_ledger_make_room(l, node, (size_t)l->handle[use->handle].bytes, -1, out, &range);

    if (answer != HSI_LEDGER_OK)
        return answer;
    use->second = range;
    pin(l, node, range);
    return HSI_LEDGER_OK;
}

/* Let the kernels of a task on a device wait for the steps that use its ranges. */
static hsi_ledger_answer allow_kernels(const hsi_ledger *l, uint32_t node, const hsi_use *use,
                                       hsi_entered *out)
{
    hsi_ledger_answer answer = HSI_LEDGER_OK;

    if (use->range != HS_NONE)
        answer = hsi_ledger_allow(l, node, node, use->range, writes_in_place(use), out);
    if (answer == HSI_LEDGER_OK && use->second != HS_NONE)
        answer = hsi_ledger_allow(l, node, node, use->second, true, out);
    return answer;
}

static hsi_ledger_answer provide(hsi_ledger *l, uint32_t node, hsi_use *use, hsi_entered *out)
{
    hsi_ledger_answer answer = HSI_LEDGER_OK;

    if (needs_replica(use, node) && use->range == HS_NONE) {
        answer = add_range(l, node, use->handle, -1, out);
        if (answer != HSI_LEDGER_OK)
            return answer;
        use->range = replica_of(l, use->handle, node)->place;
        pin(l, node, use->range);
    }
    if (needs_content(use, node) && l->handle[use->handle].newest != HSI_VERSION_LOST)
        answer = hsi_ledger_fill(l, use->handle, node, out);
    if (answer == HSI_LEDGER_OK && node != HSI_LEDGER_HOST && writes_second(use))
        answer = take_second(l, node, use, out);
    if (answer == HSI_LEDGER_OK && node != HSI_LEDGER_HOST)
        answer = allow_kernels(l, node, use, out);
    return answer;
}

static void unpin_all(hsi_ledger *l, uint32_t node, const hsi_use *use, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unpin(l, node, use[i].range);
        unpin(l, node, use[i].second);
    }
}

hsi_ledger_answer hsi_ledger_begin(hsi_ledger *l, uint32_t node, hsi_use *use, size_t count,
                                   hsi_entered *out)
{
    hsi_ledger_answer answer =
        l->node[node].is_open ? check_versions(l, use, count) : HSI_LEDGER_CLOSED;

    out->needed = 0;
    if (answer != HSI_LEDGER_OK)
        return answer;
    pin_present(l, node, use, count);
    for (size_t i = 0; i < count && answer == HSI_LEDGER_OK; i++)
        answer = provide(l, node, &use[i], out);
    if (answer != HSI_LEDGER_OK) {
        unpin_all(l, node, use, count);
        return answer;
    }
    if (node == HSI_LEDGER_HOST)
        count_overwriters(l, use, count, 1);
    for (size_t i = 0; i < count; i++) {
        if (use[i].range != HS_NONE)
            use[i].losses[0] = range_at(l, node, use[i].range)->losses;
        if (use[i].second != HS_NONE)
            use[i].losses[1] = range_at(l, node, use[i].second)->losses;
    }
    return HSI_LEDGER_OK;
}

void hsi_ledger_end(hsi_ledger *l, uint32_t node, const hsi_use *use, size_t count)
{
    if (!l->node[node].is_open)
        return;
    if (node == HSI_LEDGER_HOST)
        count_overwriters(l, use, count, -1);
    unpin_all(l, node, use, count);
}

bool hsi_ledger_input_was_lost(const hsi_ledger *l, uint32_t node, const hsi_use *use, size_t count)
{
    if (!l->node[node].is_open)
        return true;
    for (size_t i = 0; i < count; i++)
        if (((reads(&use[i]) || writes_in_place(&use[i])) && use[i].range != HS_NONE &&
             range_at(l, node, use[i].range)->losses != use[i].losses[0]) ||
            (use[i].second != HS_NONE &&
             range_at(l, node, use[i].second)->losses != use[i].losses[1]))
            return true;
    return false;
}

/* Make the second range of a use the place of the replica. The old range is freed at its last
 * unpin. */
static void replace_range(hsi_ledger *l, uint32_t node, const hsi_use *use)
{
    ledger_replica *replica = replica_of(l, use->handle, node);

    if (node == HSI_LEDGER_HOST)
        range_at(l, node, replica->place)->handle = HS_NONE;
    else
        hsi_ledger_detach(l, use->handle, node);
    replica->place = use->second;
    range_at(l, node, use->second)->handle = use->handle;
}

/* Forget the steps of a range that a thread of the host wrote after it had waited for them. */
static void settle(hsi_ledger *l, uint32_t range)
{
    hsi_ledger_note(l, HSI_LEDGER_HOST, range, true, (hsi_moment){0});
}

/* Forget what an earlier, failed execution of the task left on other nodes: its version has the
 * same number. */
static void forget_earlier_attempt(hsi_ledger *l, uint32_t handle, uint32_t node, uint32_t task)
{
    for (uint32_t v = 0; v < l->size.nodes; v++)
        if (v != node && replica_of(l, handle, v)->version == task)
            replica_of(l, handle, v)->version = NO_VERSION;
}

bool hsi_ledger_commit(hsi_ledger *l, uint32_t node, const hsi_use *use, size_t count,
                       uint32_t task)
{
    if (hsi_ledger_input_was_lost(l, node, use, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!writes(&use[i]))
            continue;
        if (use[i].keep)
            replace_range(l, node, &use[i]);
        if (node == HSI_LEDGER_HOST)
            settle(l, replica_of(l, use[i].handle, node)->place);
        forget_earlier_attempt(l, use[i].handle, node, task);
        hsi_ledger_write(l, use[i].handle, node, task, 0);
    }
    return true;
}

static void lose_result(hsi_ledger *l, uint32_t node, const hsi_use *use, uint32_t task)
{
    bool was_committed = l->handle[use->handle].newest == task;

    if (!was_committed && use->keep)
        return;
    for (uint32_t v = 0; v < l->size.nodes; v++)
        if (v == node || (was_committed && is_valid(l, use->handle, v)))
            hsi_ledger_drop(l, use->handle, v);
    if (!is_valid(l, use->handle, HSI_LEDGER_HOST))
        hsi_ledger_choose_owner(l, use->handle);
}

void hsi_ledger_fail(hsi_ledger *l, uint32_t node, const hsi_use *use, size_t count, uint32_t task)
{
    for (size_t i = 0; i < count; i++)
        if (writes(&use[i]))
            lose_result(l, node, &use[i], task);
}

void hsi_ledger_renew_window(hsi_ledger *l, uint32_t node)
{
    l->node[node].window++;
}

static bool is_overwritten(const hsi_ledger *l, uint32_t handle)
{
    return range_at(l, HSI_LEDGER_HOST, replica_of(l, handle, HSI_LEDGER_HOST)->place)
               ->overwriters > 0;
}

static hsi_ledger_answer prefetch_handle(hsi_ledger *l, uint32_t node, uint32_t handle,
                                         uint32_t entry, hsi_entered *out)
{
    const ledger_replica *replica = replica_of(l, handle, node);
    hsi_range            *range;

    if (node != HSI_LEDGER_HOST) {
        hsi_ledger_answer answer = HSI_LEDGER_OK;

        if (replica->place == HS_NONE)
            answer = add_range(l, node, handle, entry, out);
        if (answer != HSI_LEDGER_OK)
            return answer;
        hsi_ledger_space_touch(l, node, replica->place);
    }
    range = range_at(l, node, replica->place);
    if (range->window != l->node[node].window || range->entry > entry)
        range->entry = entry;
    range->window = l->node[node].window;
    if (range->pins > 0 && !is_valid(l, handle, node))
        return HSI_LEDGER_OK; /* a task writes the range */
    return hsi_ledger_fill(l, handle, node, out);
}

hsi_ledger_answer hsi_ledger_prefetch(hsi_ledger *l, uint32_t node, const hsi_use *use,
                                      size_t count, uint32_t entry, hsi_entered *out)
{
    hsi_ledger_answer answer = l->node[node].is_open ? HSI_LEDGER_OK : HSI_LEDGER_CLOSED;

    out->needed = 0;
    for (size_t i = 0; i < count && answer == HSI_LEDGER_OK; i++) {
        uint32_t newest = l->handle[use[i].handle].newest;

        if (reads(&use[i]) && newest == use[i].version && newest != HSI_VERSION_LOST &&
            !is_overwritten(l, use[i].handle))
            answer = prefetch_handle(l, node, use[i].handle, entry, out);
    }
    return answer;
}
