/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks are placed in the order of their starts in the given schedule, among equal starts by end, then
 * by topological position. So a task follows its predecessors and the tasks before it on its worker. The
 * worker's list alone may have another order where the time of a task is lost in rounding: two such
 * tasks start and end at once.
 */
#include "refine/graph/earliest_starts.h"

#include <stdlib.h>

/* A task of the given schedule. */
typedef struct given_task {
    double   start, end;
    uint32_t task, worker, position;
} given_task;

/* State of the shift. */
typedef struct shift {
    const hsi_arcs *arcs;
    hsi_arena       arena;
    given_task     *given;
    size_t          count;   /* size of `given` */
    uint32_t       *place;   /* place of each task */
    double         *arrive;  /* arrival of each task's inputs */
    double         *free_at; /* by worker */
    hs_placement   *placed;
} shift;

static hs_status open_shift(shift *sh)
{
    const hsi_problem *pb = sh->arcs->pb;
    hsi_arena         *arena = &sh->arena;

    sh->given = hsi_arena_alloc(arena, pb->n, sizeof *sh->given);
    sh->place = hsi_arena_alloc(arena, pb->n, sizeof *sh->place);
    sh->arrive = hsi_arena_alloc(arena, pb->n, sizeof *sh->arrive);
    sh->free_at = hsi_arena_alloc_zeroed(arena, (size_t)pb->m + pb->k, sizeof *sh->free_at);
    sh->placed = hsi_arena_alloc(arena, pb->n, sizeof *sh->placed);
    return sh->given && sh->place && sh->arrive && sh->free_at && sh->placed ? HS_OK : HS_ENOMEM;
}

static void read_worker(shift *sh, const hs_schedule *s, uint32_t worker)
{
    const hsi_arcs *arcs = sh->arcs;
    size_t          count;
    const hs_entry *entry = hs_schedule_entries(s, worker, &count);
    uint32_t        place = hsi_place_of_worker(arcs, worker);

    for (; count > 0; count--, entry++) {
        if (entry->state != HS_RUN)
            continue;
        sh->given[sh->count++] = (given_task){entry->start, entry->end, entry->task, worker,
                                              hsi_position(arcs->pb->graph, entry->task)};
        sh->place[entry->task] = place;
        sh->arrive[entry->task] = hsi_initial_data_arrival(arcs, entry->task, place);
    }
}

static int by_start(const void *a, const void *b)
{
    const given_task *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return x->position < y->position ? -1 : 1;
}

static hs_placement place_task(shift *sh, uint32_t task, uint32_t worker)
{
    const hsi_arcs *arcs = sh->arcs;
    uint32_t        from = sh->place[task];
    double          start = sh->arrive[task];
    double          end;

    if (sh->free_at[worker] > start)
        start = sh->free_at[worker];
    end = sh->free_at[worker] = start + hsi_task_time_at(arcs, task, from);
    for (size_t i = arcs->after_at[task]; i < arcs->after_at[task + 1]; i++) {
        const hsi_arc *arc = &arcs->after[i];
        double         there = end + hsi_arc_transfer_time(arcs, arc, from, sh->place[arc->task]);

        if (there > sh->arrive[arc->task])
            sh->arrive[arc->task] = there;
    }
    return (hs_placement){start, end, task, worker, HS_RUN};
}

hs_status hsi_shift_to_earliest_starts(const hsi_arcs *arcs, const hs_schedule *s,
                                       hs_schedule **out)
{
    const hsi_problem *pb = arcs->pb;
    shift              sh = {.arcs = arcs};
    hs_status          st = open_shift(&sh);

    if (st == HS_OK) {
        for (uint32_t worker = 0; worker < pb->m + pb->k; worker++)
            read_worker(&sh, s, worker);
        qsort(sh.given, sh.count, sizeof *sh.given, by_start);
        for (size_t i = 0; i < sh.count; i++)
            sh.placed[i] = place_task(&sh, sh.given[i].task, sh.given[i].worker);
        st = hs_schedule_build(pb->m, pb->k, pb->n, sh.placed, out);
    }
    hsi_arena_close(&sh.arena);
    return st;
}
