/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/recorder.h"

#include <string.h>

#include "core/schedule_impl.h"
#include "support/pages.h"

static size_t count_tasks(const hsi_problem *pb)
{
    size_t i, tasks = pb->n;

    if (pb->count)
        for (i = tasks = 0; i < pb->n; i++)
            tasks += pb->count[i];
    return tasks;
}

static void copy_polling(void *to, const void *from, size_t size, hsi_token *token)
{
    enum { PIECE = 1 << 18 };

    for (size_t at = 0; at < size && !hsi_poll(at ? token : NULL); at += PIECE)
        memcpy((char *)to + at, (const char *)from + at, size - at < PIECE ? size - at : PIECE);
}

/* Reallocate for `capacity` items and copy the present ones. */
static hs_status make_room(hsi_recorder *recorder, const hsi_problem *pb, size_t capacity)
{
    hsi_arena *arena = pb->arena ? pb->arena : &recorder->own;
    uint32_t  *task = hsi_arena_alloc(arena, capacity, sizeof *task);
    uint32_t  *worker = hsi_arena_alloc(arena, capacity, sizeof *worker);
    double    *end = hsi_arena_alloc(arena, capacity, sizeof *end);

    if (!task || !worker || !end)
        return HS_ENOMEM;
    if (recorder->size) {
        copy_polling(task, recorder->task, recorder->size * sizeof *task, pb->token);
        copy_polling(worker, recorder->worker, recorder->size * sizeof *worker, pb->token);
        copy_polling(end, recorder->end, recorder->size * sizeof *end, pb->token);
    }
    recorder->task = task;
    recorder->worker = worker;
    recorder->end = end;
    recorder->capacity = capacity;
    return HS_OK;
}

hs_status hsi_recorder_open(hsi_recorder *recorder, const hsi_problem *pb, size_t most_aborts)
{
    hs_status st = HS_OK;

    *recorder = (hsi_recorder){.loads = recorder->loads, .first = pb->first};
    if (!recorder->loads)
        st =
            make_room(recorder, pb, count_tasks(pb) + 2 * most_aborts + 1); /* an aborted task needs
                                                                          an item for the abort, and
                                                                          one for the second run */
    if (st != HS_OK)
        hsi_recorder_close(recorder);
    return st;
}

hs_status hsi_recorder_reserve(hsi_recorder *recorder, const hsi_problem *pb, size_t more_items)
{
    if (recorder->loads || recorder->size + more_items <= recorder->capacity)
        return HS_OK;
    return make_room(recorder, pb, 2 * recorder->capacity + more_items);
}

void hsi_recorder_close(hsi_recorder *recorder)
{
    hsi_arena_close(&recorder->own);
    recorder->task = recorder->worker = NULL;
    recorder->end = NULL;
}

void hsi_recorder_restart(hsi_recorder *recorder)
{
    recorder->size = recorder->aborts = recorder->starts = 0;
    if (recorder->loads)
        hsi_worker_loads_reset(recorder->loads);
}

static hs_status place_entries(const hsi_recorder *recorder, const hsi_problem *pb, hs_schedule *s,
                               double *free_at, size_t *next)
{
    size_t i;

    for (i = 0; i < recorder->size; i++) {
        uint32_t  worker = recorder->worker[i] & ~(HSI_ABORT | HSI_START);
        hs_entry *entry;

        if (hsi_poll_at_iteration(pb->token, i))
            return HS_ECANCELED;
        if (recorder->worker[i] & HSI_START) {
            free_at[worker] = recorder->end[i];
            continue;
        }
        if (recorder->worker[i] & HSI_ABORT) {
            entry = &s->entries[next[worker] - 1];
            entry->state = HS_ABORTED;
        } else {
            entry = &s->entries[next[worker]++];
            entry->start = free_at[worker];
            entry->task = recorder->task[i];
            entry->state = HS_RUN;
        }
        entry->end = free_at[worker] = recorder->end[i];
    }
    return HS_OK;
}

hs_status hsi_recorder_build_schedule_in(const hsi_recorder *recorder, const hsi_problem *pb,
                                         hs_schedule *s)
{
    hsi_arena own = {0}, *arena = pb->arena ? pb->arena : &own;
    hsi_mark  mark = hsi_arena_mark(arena);
    unsigned  workers = pb->m + pb->k, w;
    double   *free_at = hsi_arena_alloc(arena, workers, sizeof *free_at);
    size_t   *next = hsi_arena_alloc(arena, workers, sizeof *next), i;
    hs_status st = HS_ENOMEM;

    if (free_at && next)
        st = hsi_schedule_make_room(s, pb->m, pb->k,
                                    recorder->size - recorder->aborts - recorder->starts);
    if (st == HS_OK &&
        hsi_large_pages_touch(s->entries, s->entry_room * sizeof *s->entries, pb->token))
        st = HS_ECANCELED;
    if (st != HS_OK)
        goto out;
    for (i = 0; i < recorder->size; i++)
        if (!(recorder->worker[i] & (HSI_ABORT | HSI_START)))
            s->first[recorder->worker[i] + 1]++;
    hsi_schedule_counts_to_starts(s);
    for (w = 0; w < workers; w++) {
        next[w] = s->first[w];
        free_at[w] = pb->available ? pb->available[w] : 0;
    }
    st = place_entries(recorder, pb, s, free_at, next);
    for (w = 0; w < workers; w++)
        if (next[w] > s->first[w] && free_at[w] > s->makespan)
            s->makespan = free_at[w];
out:
    hsi_arena_release(arena, mark);
    hsi_arena_close(&own);
    return st;
}

hs_status hsi_recorder_build_schedule(const hsi_recorder *recorder, const hsi_problem *pb,
                                      hs_schedule **out)
{
    hs_schedule *s = hsi_schedule_new();
    hs_status    st = s ? hsi_recorder_build_schedule_in(recorder, pb, s) : HS_ENOMEM;

    if (st == HS_OK)
        *out = s;
    else
        hs_schedule_free(s);
    return st;
}
