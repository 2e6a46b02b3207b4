/* SPDX-License-Identifier: BSD-3-Clause */
/* Hashes of states. */
#include "property/ledger_world_private.h"

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* Return the value, or a common number for every kind of garbage. */
static uint32_t without_number(uint32_t value)
{
    return value & WORLD_GARBAGE ? WORLD_GARBAGE : value;
}

static uint64_t hash_cells(uint64_t hash, const uint32_t *at, unsigned units)
{
    for (unsigned u = 0; u < units; u++)
        hash = mix(hash, without_number(at[u]));
    return hash;
}

static uint64_t hash_task(uint64_t hash, const world_task *task)
{
    hash = mix(hash, task->number << 3 | (uint32_t)task->fails << 2 |
                         (uint32_t)task->has_started << 1 | task->read_garbage);
    for (unsigned i = 0; i < task->uses; i++) {
        const hsi_use *use = &task->use[i];

        hash = mix(hash, use->handle << 4 | (uint32_t)use->mode << 1 | use->keep);
        hash = mix(hash, (uint64_t)use->range << 32 | use->second);
    }
    return mix(hash, task->step.number << 8 | task->step.stream);
}

static uint64_t hash_ledger(uint64_t hash, const world *w)
{
    const hsi_range *range;

    for (uint32_t h = 0; h < w->size.handles; h++) {
        hash = mix(hash, hsi_ledger_newest(w->ledger, h));
        for (uint32_t v = 0; v <= w->size.devices; v++) {
            hash = mix(hash, (uint64_t)hsi_ledger_state(w->ledger, h, v) << 32 |
                                 hsi_ledger_range_of(w->ledger, h, v));
            hash = mix(hash, (uint64_t)w->is_open[v] << 32 | (uint32_t)w->needed_by[v][h]);
        }
    }
    for (uint32_t v = 0; v <= w->size.devices; v++)
        for (uint32_t r = 0; (range = hsi_ledger_range(w->ledger, v, r)); r++) {
            hash = mix(hash, range->offset << 20 | range->bytes << 4 | range->pins);
            hash = mix(hash, range->written.number << 8 | range->written.stream);
            hash = mix(hash, (uint64_t)range->losses << 32 | range->handle);
            hash = mix(hash, (uint64_t)range->older << 32 | range->newer);
            hash = mix(hash, range->origins << 8 | range->copied.stream);
            hash = mix(hash, range->copied.number);
            for (uint32_t s = 0; s < w->size.devices * WORLD_STREAMS; s++)
                hash = mix(hash, range->used[s]);
        }
    return hash;
}

/* Hash the unexecuted steps of a stream and the ledger's record of the stream. */
static uint64_t hash_stream(uint64_t hash, const world *w, uint32_t stream)
{
    const world_stream *s = &w->stream[stream];

    hash = mix(mix(mix(hash, s->last), s->done), s->told);
    for (uint64_t number = s->done + 1; number <= s->last; number++) {
        const world_step *step = &w->queue[stream][number % WORLD_QUEUE];

        hash = mix(hash, (uint64_t)step->is_kernel << 32 | step->worker << 8 | step->task);
        for (size_t i = 0; i < step->waits; i++)
            hash = mix(hash, step->wait[i].number << 8 | step->wait[i].stream);
    }
    return hash;
}

uint64_t world_hash(const world *w)
{
    uint64_t hash = hash_ledger(mix(w->tasks, w->failed), w);

    for (uint32_t v = 1; v <= w->size.devices; v++)
        hash = mix(mix(hash, w->domain[v]), w->peers[v]);

    for (unsigned i = 0; i < w->size.cpus + w->size.devices; i++)
        for (unsigned k = 0; k < w->worker[i].count; k++)
            hash = hash_task(mix(hash, i),
                             &w->worker[i].task[(w->worker[i].first + k) % WORLD_FLIGHT]);
    for (uint32_t s = 0; s < WORLD_ALL_STREAMS; s++)
        hash = hash_stream(hash, w, s);
    for (unsigned i = 0; i < WORLD_HANDLES + WORLD_SPARES; i++)
        hash = hash_cells(hash, w->host[i], w->size.most_units);
    for (uint32_t v = 1; v <= w->size.devices; v++)
        for (unsigned c = 0; c < w->size.chunks; c++)
            hash = hash_cells(hash, w->memory[v][c], w->size.chunk_units);
    return hash;
}
