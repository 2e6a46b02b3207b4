/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of the ledger that enter transfers, repeated until all locks are held; what they evict is
 * compared with the last uses of the replicas. */
#include "property/ledger_world_private.h"

#include "suite.h"

enum { MOST_TRANSFERS = 16, MOST_WAITS = 4 * 2 * (WORLD_ALL_STREAMS + 1) };

/* The lists of a call. */
typedef struct call {
    hsi_transfer_op transfer[MOST_TRANSFERS];
    hsi_moment      wait[MOST_WAITS];
} call;

static hsi_entered prepare(call *c, size_t room, uint64_t locked)
{
    return (hsi_entered){.transfer = c->transfer,
                         .room = room,
                         .wait = c->wait,
                         .wait_room = MOST_WAITS,
                         .locked = locked};
}

/* Evictions, compared with the last uses of the replicas. */

typedef enum rank { IN_USE, FARTHEST, LEAST_RECENT, INVALID } rank;

typedef struct snapshot {
    rank     rank[WORLD_HANDLES];
    uint32_t place[WORLD_HANDLES];
} snapshot;

static bool is_used_by(const hsi_use *use, unsigned uses, uint32_t handle)
{
    for (unsigned i = 0; i < uses; i++)
        if (use[i].handle == handle && (use[i].mode & HS_READ || !use[i].keep))
            return true;
    return false;
}

static snapshot take_snapshot(world *w, uint32_t node, const hsi_use *use, unsigned uses)
{
    snapshot s;

    for (uint32_t h = 0; h < w->size.handles; h++) {
        s.place[h] = hsi_ledger_range_of(w->ledger, h, node);
        if (s.place[h] == HS_NONE || hsi_ledger_range(w->ledger, node, s.place[h])->pins > 0 ||
            is_used_by(use, uses, h))
            s.rank[h] = IN_USE;
        else if (hsi_ledger_state(w->ledger, h, node) == HSI_REPLICA_INVALID)
            s.rank[h] = INVALID;
        else
            s.rank[h] = w->needed_by[node][h] < 0 ? LEAST_RECENT : FARTHEST;
    }
    return s;
}

/* Return true if replica `a` must be evicted before `b`. */
static bool goes_first(const world *w, uint32_t node, const snapshot *s, uint32_t a, uint32_t b)
{
    if (s->rank[a] != s->rank[b])
        return s->rank[a] > s->rank[b];
    if (s->rank[a] == FARTHEST && w->needed_by[node][a] != w->needed_by[node][b])
        return w->needed_by[node][a] > w->needed_by[node][b];
    return w->last_use[node][a] < w->last_use[node][b];
}

/* Check the replicas that a call has evicted; those needed by entries up to `entry` must stay. */
static void check_evictions(world *w, uint32_t node, const snapshot *s, int entry)
{
    for (uint32_t h = 0; h < w->size.handles; h++) {
        if (s->place[h] == HS_NONE || hsi_ledger_range_of(w->ledger, h, node) == s->place[h])
            continue;
        ck_assert_msg(s->rank[h] != IN_USE, "a range in use was evicted");
        ck_assert(s->rank[h] != FARTHEST || w->needed_by[node][h] > entry);
        w->evictions++;
        for (uint32_t other = 0; other < w->size.handles; other++)
            ck_assert_msg(s->rank[other] == IN_USE ||
                              hsi_ledger_range_of(w->ledger, other, node) != s->place[other] ||
                              !goes_first(w, node, s, other, h),
                          "a replica was evicted before an older one");
    }
    for (uint32_t h = 0; h < w->size.handles; h++)
        if (hsi_ledger_range_of(w->ledger, h, node) == HS_NONE)
            w->needed_by[node][h] = -1;
}

/* Record the last uses after a begin: replicas that were there first. */
static void record_uses(world *w, uint32_t node, const snapshot *s, const hsi_use *use,
                        unsigned uses, uint32_t *second_tick)
{
    for (unsigned i = 0; i < uses; i++)
        if (s->place[use[i].handle] != HS_NONE && is_used_by(&use[i], 1, use[i].handle))
            w->last_use[node][use[i].handle] = ++w->tick;
    for (unsigned i = 0; i < uses; i++) {
        if (s->place[use[i].handle] == HS_NONE &&
            hsi_ledger_range_of(w->ledger, use[i].handle, node) != HS_NONE) {
            w->last_use[node][use[i].handle] = ++w->tick;
            w->needed_by[node][use[i].handle] = -1;
        }
        second_tick[i] = ++w->tick;
    }
}

/* Call hsi_ledger_begin(). Repeat the call with the locks that the ledger asks for, if any. */
hsi_ledger_answer world_begin_on(world *w, world_task *task)
{
    uint64_t locked = UINT64_C(1) << task->node;

    for (;;) {
        call        c;
        size_t      room = w->size.is_small ? MOST_TRANSFERS : 1 + world_pick(w, MOST_TRANSFERS);
        hsi_entered entered = prepare(&c, room, locked);
        snapshot    before = take_snapshot(w, task->node, task->use, task->uses);
        hsi_ledger_answer answer;

        task->locked = locked;
        answer = hsi_ledger_begin(w->ledger, task->node, task->use, task->uses, &entered);
        if (task->node != HSI_LEDGER_HOST) {
            check_evictions(w, task->node, &before, -1);
            if (answer != HSI_LEDGER_LOST) /* a lost input is refused before any use */
                record_uses(w, task->node, &before, task->use, task->uses, task->second_tick);
        }
        world_make_transfers(w, &entered);
        if (answer == HSI_LEDGER_NEED) {
            ck_assert(entered.needed & ~locked);
            locked |= entered.needed;
        } else if (answer == HSI_LEDGER_FULL) {
            ck_assert_uint_gt(entered.count, 0);
        } else if (answer == HSI_LEDGER_WAIT) {
            ck_assert_uint_gt(world_wait_for_host_range(w, entered.range, entered.write), 0);
        } else {
            return answer;
        }
    }
}

/* Call hsi_ledger_evict_all(). Repeat the call with the locks that the ledger asks for, if any. */
void world_evict_all(world *w, uint32_t node)
{
    uint64_t          locked = UINT64_C(1) << node;
    hsi_ledger_answer answer;

    do {
        call        c;
        hsi_entered entered = prepare(&c, 2, locked);

        answer = hsi_ledger_evict_all(w->ledger, node, &entered);
        world_make_transfers(w, &entered);
        locked |= entered.needed;
        if (answer == HSI_LEDGER_WAIT)
            ck_assert_uint_gt(world_wait_for_host_range(w, entered.range, entered.write), 0);
    } while (answer != HSI_LEDGER_OK);
    for (uint32_t h = 0; h < w->size.handles; h++) {
        uint32_t place = hsi_ledger_range_of(w->ledger, h, node);

        ck_assert(place == HS_NONE || hsi_ledger_range(w->ledger, node, place)->pins > 0);
    }
}

/* Return true if a task on the host writes the handle in place. */
static bool is_overwritten(const world *w, uint32_t handle)
{
    uint32_t home = hsi_ledger_range_of(w->ledger, handle, HSI_LEDGER_HOST);

    return hsi_ledger_range(w->ledger, HSI_LEDGER_HOST, home)->overwriters > 0;
}

/* Prefetch a window of handles to a node. */
void world_prefetch(world *w, uint32_t node)
{
    unsigned entries = w->size.is_small ? 1 : 1 + world_pick(w, 3);

    hsi_ledger_renew_window(w->ledger, node);
    for (uint32_t h = 0; h < w->size.handles; h++)
        w->needed_by[node][h] = -1;
    for (unsigned entry = 0; entry < entries; entry++) {
        hsi_use  use = {.handle = world_pick(w, w->size.handles), .mode = HS_READ};
        uint64_t locked = w->size.is_small || world_pick(w, 2) ? UINT64_MAX : UINT64_C(1) << node;
        call     c;
        hsi_entered       entered = prepare(&c, MOST_TRANSFERS, locked);
        snapshot          before = take_snapshot(w, node, &use, 1);
        hsi_ledger_answer answer;

        use.version = w->newest[use.handle];
        answer = hsi_ledger_prefetch(w->ledger, node, &use, 1, entry, &entered);
        ck_assert(answer != HSI_LEDGER_OK || use.version == HSI_VERSION_LOST ||
                  hsi_ledger_range_of(w->ledger, use.handle, node) != HS_NONE ||
                  is_overwritten(w, use.handle));
        if (node != HSI_LEDGER_HOST)
            check_evictions(w, node, &before, (int)entry);
        world_make_transfers(w, &entered);
        if (node == HSI_LEDGER_HOST || use.version == HSI_VERSION_LOST ||
            hsi_ledger_range_of(w->ledger, use.handle, node) == HS_NONE ||
            is_overwritten(w, use.handle))
            continue;
        if (before.place[use.handle] == HS_NONE)
            w->needed_by[node][use.handle] = -1;
        w->last_use[node][use.handle] = ++w->tick;
        if (w->needed_by[node][use.handle] < 0)
            w->needed_by[node][use.handle] = (int)entry;
    }
}

void world_flush(world *w)
{
    call        c;
    hsi_entered entered = prepare(&c, 1, UINT64_MAX);
    uint32_t    handle = world_pick(w, w->size.handles);

    if (hsi_ledger_flush(w->ledger, handle, &entered) == HSI_LEDGER_WAIT)
        ck_assert_uint_gt(world_wait_for_host_range(w, entered.range, entered.write), 0);
    world_make_transfers(w, &entered);
}
