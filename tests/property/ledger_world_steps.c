/* SPDX-License-Identifier: BSD-3-Clause */
/* Memories with values, and the streams whose steps change them. */
#include "property/ledger_world_private.h"

#include <string.h>

#include "suite.h"

uint32_t world_value_of(uint32_t version, uint32_t handle)
{
    return (version == HS_NONE ? 0 : version + 1) * WORLD_HANDLES + handle;
}

void world_fill(world_cells cells, uint32_t value)
{
    for (unsigned u = 0; u < cells.units; u++)
        cells.at[u] = value;
}

void world_spoil(world *w, world_cells cells)
{
    world_fill(cells, WORLD_GARBAGE | (w->garbage++ & (WORLD_GARBAGE - 1)));
}

bool world_have(world_cells cells, uint32_t value)
{
    for (unsigned u = 0; u < cells.units; u++)
        if (cells.at[u] != value)
            return false;
    return true;
}

static uint32_t node_of_stream(uint32_t stream)
{
    return 1 + stream / WORLD_STREAMS;
}

world_step *world_next_step(world *w, uint32_t stream)
{
    const world_stream *s = &w->stream[stream];

    return s->done < s->last ? &w->queue[stream][(s->done + 1) % WORLD_QUEUE] : NULL;
}

bool world_may_execute(world *w, uint32_t stream)
{
    const world_step *step = world_next_step(w, stream);

    for (size_t i = 0; step && i < step->waits; i++)
        if (!world_is_done(w, step->wait[i]))
            return false;
    return step != NULL;
}

void world_run_kernel(world *w, world_task *task)
{
    for (unsigned i = 0; i < task->uses; i++)
        if (task->read[i].at && !world_have(task->read[i], task->expected[i]))
            task->read_garbage = true;
    for (unsigned i = 0; i < task->uses; i++) {
        if (!task->write[i].at)
            continue;
        if (task->read_garbage || task->fails)
            world_spoil(w, task->write[i]);
        else
            world_fill(task->write[i], world_value_of(task->number, task->use[i].handle));
    }
}

void world_execute(world *w, uint32_t stream)
{
    world_step *step = world_next_step(w, stream);

    if (step->is_kernel)
        world_run_kernel(w, &w->worker[step->worker].task[step->task]);
    else
        memcpy(step->to.at, step->from.at, step->to.units * sizeof *step->to.at);
    w->stream[stream].done++;
}

/* Execute all steps that a step waits for, and the step. */
void world_complete(world *w, hsi_moment wanted)
{
    while (!world_is_done(w, wanted)) {
        const world_step *step = world_next_step(w, wanted.stream);
        size_t            i = 0;

        while (i < step->waits && world_is_done(w, step->wait[i]))
            i++;
        if (i < step->waits)
            world_complete(w, step->wait[i]);
        else
            world_execute(w, wanted.stream);
    }
}

void world_complete_all(world *w)
{
    for (uint32_t s = 0; s < WORLD_ALL_STREAMS; s++)
        world_complete(w, (hsi_moment){.number = w->stream[s].last, .stream = (uint16_t)s});
}

void world_tell_reached(world *w, uint32_t stream)
{
    world_stream *s = &w->stream[stream];

    s->told = s->done > s->told ? s->done : s->told;
    hsi_ledger_reach(w->ledger, stream, s->done);
}

/* Add a step to its stream. Each step that it waits for is of the same domain and of a locked
 * node. */
void world_add_step(world *w, hsi_moment number, const world_step *step, uint64_t locked)
{
    world_stream *s = &w->stream[number.stream];
    uint32_t      node = node_of_stream(number.stream);

    if (s->last - s->done == WORLD_QUEUE)
        world_complete(w, (hsi_moment){.number = s->done + 1, .stream = number.stream});
    ck_assert(locked >> node & 1);
    for (size_t i = 0; i < step->waits; i++) {
        ck_assert(locked >> node_of_stream(step->wait[i].stream) & 1);
        ck_assert_uint_eq(w->domain[node_of_stream(step->wait[i].stream)], w->domain[node]);
        ck_assert_uint_ne(step->wait[i].stream, number.stream);
    }
    s->last++;
    ck_assert_uint_eq(s->last, number.number);
    w->queue[number.stream][s->last % WORLD_QUEUE] = *step;
}

static world_cells cells_at(world *w, uint32_t node, hsi_address address, uint32_t handle)
{
    uint32_t *at = address.at;

    if (node != HSI_LEDGER_HOST)
        at = &w->memory[node][address.chunk][address.offset / HSI_LEDGER_UNIT];
    return (world_cells){at, w->units[handle]};
}

world_cells world_cells_of(world *w, uint32_t node, uint32_t r, uint32_t handle)
{
    const hsi_range *range = hsi_ledger_range(w->ledger, node, r);

    return cells_at(w, node, (hsi_address){range->at, range->offset, range->chunk}, handle);
}

void world_make_transfers(world *w, const hsi_entered *entered)
{
    for (size_t i = 0; i < entered->count; i++) {
        const hsi_transfer_op *op = &entered->transfer[i];
        world_step             step = {.waits = op->waits};

        ck_assert_uint_ne(op->from, op->to);
        ck_assert(op->from == HSI_LEDGER_HOST || entered->locked >> op->from & 1);
        ck_assert(op->to == HSI_LEDGER_HOST || entered->locked >> op->to & 1);
        ck_assert_uint_le(op->first_wait + op->waits, entered->waits);
        step.from = cells_at(w, op->from, op->source, op->handle);
        step.to = cells_at(w, op->to, op->target, op->handle);
        memcpy(step.wait, entered->wait + op->first_wait, op->waits * sizeof *step.wait);
        world_add_step(w, op->step, &step, entered->locked);
    }
}

/* Wait for the steps that use a range of the host; return their number. */
size_t world_wait_for_host_range(world *w, uint32_t range, bool write)
{
    hsi_moment step[WORLD_WAITS];
    size_t     count = hsi_ledger_order(w->ledger, HSI_LEDGER_HOST, range, write, HS_NONE, step);

    for (size_t i = 0; i < count; i++) {
        world_complete(w, step[i]);
        world_tell_reached(w, step[i].stream);
    }
    w->waits++;
    return count;
}
