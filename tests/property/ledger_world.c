/* SPDX-License-Identifier: BSD-3-Clause */
/* Actions: the losses of devices, and the choice of what happens next. */
#include "property/ledger_world_private.h"

#include <stddef.h>
#include <string.h>

#include "suite.h"

/* The loss of a device. */

static void open_device(world *w, uint32_t node)
{
    w->chunks[node] = 1 + world_pick(w, w->size.chunks);
    for (unsigned c = 0; c < w->chunks[node]; c++)
        w->chunk_bytes[node][c] =
            HSI_LEDGER_UNIT * (size_t)(w->size.most_units + 1 +
                                       world_pick(w, w->size.chunk_units - w->size.most_units));
    for (uint32_t h = 0; h < w->size.handles; h++)
        w->needed_by[node][h] = -1;
    ck_assert_int_eq(hsi_ledger_open_node(w->ledger, node, w->domain[node], w->chunk_bytes[node],
                                          w->chunks[node]),
                     HS_OK);
    w->is_open[node] = true;
}

/* Spoil the memory of a lost device, and the targets of its transfers that were not complete. */
static void spoil_device(world *w, uint32_t node)
{
    for (unsigned s = 0; s < WORLD_STREAMS; s++) {
        uint32_t    stream = (node - 1) * WORLD_STREAMS + s;
        world_step *step;

        while ((step = world_next_step(w, stream))) {
            if (!step->is_kernel)
                world_spoil(w, step->to);
            w->stream[stream].done++;
        }
        w->stream[stream].told = w->stream[stream].done;
    }
    for (unsigned c = 0; c < WORLD_CHUNKS; c++)
        world_spoil(w, (world_cells){w->memory[node][c], WORLD_CHUNK_UNITS});
}

/* Return the number of a worker's tasks, from the first, that are complete and faultless. */
static unsigned count_good(world *w, const world_worker *worker)
{
    unsigned good = 0;

    for (; good < worker->count; good++) {
        const world_task *task = &worker->task[(worker->first + good) % WORLD_FLIGHT];

        if (!world_is_done(w, task->step) || task->fails ||
            hsi_ledger_input_was_lost(w->ledger, task->node, task->use, task->uses))
            break;
        ck_assert(!task->read_garbage);
    }
    return good;
}

/* End the tasks of a lost device. The first `good` ones are complete, but only what they committed
 * before remains. */
static void end_tasks_of_lost(world *w, world_worker *worker, unsigned good)
{
    for (; worker->count > 0; world_forget_first(worker)) {
        const world_task *task = world_task_at(worker, 0);

        ck_assert(hsi_ledger_input_was_lost(w->ledger, task->node, task->use, task->uses));
        ck_assert(!hsi_ledger_commit(w->ledger, task->node, task->use, task->uses, task->number));
        if (good > 0)
            good--;
        else
            world_fail_task(w, task);
        hsi_ledger_end(w->ledger, task->node, task->use, task->uses);
    }
}

/* Return true if a replica must survive the loss of a device: it is complete as far as the ledger
 * knows, or its own device's kernel writes it. */
static bool must_survive(world *w, uint32_t handle, uint32_t node)
{
    const hsi_range *range;

    if (!w->is_open[node] || hsi_ledger_state(w->ledger, handle, node) == HSI_REPLICA_INVALID)
        return false;
    range = hsi_ledger_range(w->ledger, node, hsi_ledger_range_of(w->ledger, handle, node));
    return range->written.number == 0 || world_is_done(w, range->written) ||
           range->written.number != range->copied.number ||
           range->written.stream != range->copied.stream;
}

static void lose_device(world *w, uint32_t node)
{
    bool          survives[WORLD_HANDLES] = {false};
    world_worker *worker = &w->worker[w->size.cpus + node - 1];
    unsigned      good = count_good(w, worker);

    for (uint32_t s = 0; s < w->size.devices * WORLD_STREAMS; s++)
        world_tell_reached(w, s);
    for (uint32_t h = 0; h < w->size.handles; h++)
        for (uint32_t v = 0; v <= w->size.devices; v++)
            survives[h] |= v != node && must_survive(w, h, v);
    hsi_ledger_lose(w->ledger, node);
    spoil_device(w, node);
    for (uint32_t h = 0; h < w->size.handles; h++) {
        bool lost = hsi_ledger_newest(w->ledger, h) == HSI_VERSION_LOST;

        ck_assert_msg(!survives[h] || !lost, "a handle was lost without need");
        w->lost_handles += lost && w->newest[h] != HSI_VERSION_LOST;
        if (lost)
            w->newest[h] = HSI_VERSION_LOST;
    }
    end_tasks_of_lost(w, worker, good);
    w->is_open[node] = false;
    w->losses++;
}

/* Actions. */

static void check_versions(const world *w)
{
    const char *why = hsi_ledger_check(w->ledger);

    ck_assert_msg(!why, "%s", why);
    for (uint32_t h = 0; h < w->size.handles; h++)
        ck_assert_uint_eq(hsi_ledger_newest(w->ledger, h), w->newest[h]);
}

static uint32_t pick_device(world *w)
{
    return 1 + world_pick(w, w->size.devices);
}

static void execute_some_step(world *w)
{
    uint32_t may[WORLD_ALL_STREAMS];
    unsigned count = 0;

    for (uint32_t s = 0; s < w->size.devices * WORLD_STREAMS; s++)
        if (world_may_execute(w, s))
            may[count++] = s;
    if (count == 0)
        return;
    world_execute(w, may[world_pick(w, count)]);
    if (w->size.is_small || world_pick(w, 2))
        world_tell_reached(w, world_pick(w, w->size.devices * WORLD_STREAMS));
}

/* On a random device: prefetch, evict every replica, lose the device, or open the device again. */
static void act_on_device(world *w)
{
    uint32_t node = pick_device(w);

    if (!w->is_open[node]) {
        open_device(w, node);
        return;
    }
    if (world_pick_one_in(w, 2))
        world_prefetch(w, node);
    else if (!w->size.has_losses || world_pick(w, w->size.is_small ? 2 : 8) > 0)
        world_evict_all(w, node);
    else
        lose_device(w, node);
}

void world_act(world *w)
{
    unsigned workers = w->size.cpus + w->size.devices, worker = world_pick(w, workers);

    switch (world_pick(w, w->size.devices == 0 ? 2 : w->size.is_small ? 6 : 8)) {
    case 0:
        if ((worker < w->size.cpus ? w->worker[worker].count == 0
                                   : w->is_open[worker - w->size.cpus + 1] &&
                                         w->worker[worker].count < w->size.flight))
            world_begin_task(w, worker);
        break;
    case 1:
        world_advance(w, worker);
        break;
    case 2:
        act_on_device(w);
        break;
    case 3:
        world_flush(w);
        break;
    case 4:
        world_prefetch(w, HSI_LEDGER_HOST);
        break;
    default:
        execute_some_step(w);
    }
    check_versions(w);
}

void world_settle(world *w)
{
    bool is_busy;

    do {
        world_complete_all(w);
        is_busy = false;
        for (unsigned i = 0; i < w->size.cpus + w->size.devices; i++) {
            world_advance(w, i);
            is_busy |= w->worker[i].count > 0;
        }
        check_versions(w);
    } while (is_busy);
    world_complete_all(w);
    for (uint32_t h = 0; h < w->size.handles; h++)
        for (uint32_t v = 0; v <= w->size.devices; v++) {
            uint32_t place = hsi_ledger_range_of(w->ledger, h, v);

            if (hsi_ledger_state(w->ledger, h, v) != HSI_REPLICA_INVALID)
                ck_assert_msg(
                    world_have(world_cells_of(w, v, place, h), world_value_of(w->newest[h], h)),
                    "a valid replica is not the newest version");
            if (v > 0 && place != HS_NONE)
                ck_assert_uint_eq(hsi_ledger_range(w->ledger, v, place)->pins, 0);
        }
}

static void place_handles(world *w)
{
    const size_t room = (size_t)WORLD_UNITS * HSI_LEDGER_UNIT;

    for (uint32_t h = 0; h < w->size.handles; h++) {
        w->units[h] = 1 + world_pick(w, w->size.most_units);
        w->newest[h] = HS_NONE;
        hsi_ledger_place(w->ledger, h, (double)w->units[h] * HSI_LEDGER_UNIT, w->host[h], room);
        world_fill((world_cells){w->host[h], w->units[h]}, world_value_of(HS_NONE, h));
    }
    for (unsigned i = 0; i < WORLD_SPARES; i++)
        w->spare[i] = hsi_ledger_place_spare(w->ledger, i, w->host[WORLD_HANDLES + i], room);
}

void world_open(world *w, const world_size *size, unsigned (*choose)(void *, unsigned), void *data)
{
    hsi_ledger_size ledger = {.handles = size->handles,
                              .nodes = size->devices + 1,
                              .streams = WORLD_STREAMS,
                              .in = WORLD_IN,
                              .out = WORLD_OUT,
                              .spares = WORLD_SPARES};

    memset(w, 0, offsetof(world, queue));
    w->size = *size;
    w->pick = choose;
    w->data = data;
    w->failed = HS_NONE;
    ck_assert_int_eq(hsi_ledger_create(&ledger, &w->ledger), HS_OK);
    place_handles(w);
    w->is_open[HSI_LEDGER_HOST] = true;
    for (uint32_t node = 1; node <= size->devices; node++) {
        w->domain[node] = world_pick(w, node); /* the first device's domain is 0 */
        open_device(w, node);
    }
    for (uint32_t node = 2; node <= size->devices; node++)
        for (uint32_t other = 1; other < node; other++)
            if (w->domain[node] == w->domain[other] && world_pick(w, 2)) {
                hsi_ledger_link_peers(w->ledger, node, other);
                w->peers[node] |= UINT64_C(1) << other;
            }
    check_versions(w);
}

void world_close(world *w)
{
    hsi_ledger_free(w->ledger);
}
