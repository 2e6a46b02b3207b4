/* SPDX-License-Identifier: BSD-3-Clause */
#include "refine/graph/earliest_starts.h"

/* State of the shift; the order on a worker counts as one more arc per task. */
typedef struct shift {
    const hsi_arcs *arcs;
    hsi_arena       arena;
    double         *arrive; /* time at which each task's inputs and worker are available */
    uint32_t       *left;   /* number of each task's unplaced predecessors */
    uint32_t       *next;   /* successor of each task on its worker; HS_NONE: none */
    uint32_t       *ready;  /* stack of ready tasks */
    hs_placement   *placed; /* placement of each task */
    size_t          count;  /* size of `ready` */
} shift;

static hs_status open_shift(shift *sh)
{
    const hsi_problem *pb = sh->arcs->pb;
    hsi_arena         *arena = &sh->arena;

    sh->arrive = hsi_arena_alloc(arena, pb->n, sizeof *sh->arrive);
    sh->left = hsi_arena_alloc(arena, pb->n, sizeof *sh->left);
    sh->next = hsi_arena_alloc(arena, pb->n, sizeof *sh->next);
    sh->ready = hsi_arena_alloc(arena, pb->n, sizeof *sh->ready);
    sh->placed = hsi_arena_alloc(arena, pb->n, sizeof *sh->placed);
    return sh->arrive && sh->left && sh->next && sh->ready && sh->placed ? HS_OK : HS_ENOMEM;
}

static void read_worker(shift *sh, const hs_schedule *s, uint32_t worker)
{
    const hsi_arcs *arcs = sh->arcs;
    size_t          count;
    const hs_entry *entries = hs_schedule_entries(s, worker, &count);
    uint32_t        before = HS_NONE;

    for (size_t i = 0; i < count; i++) {
        uint32_t task = entries[i].task;

        if (entries[i].state != HS_RUN)
            continue;
        sh->placed[task] = (hs_placement){.task = task, .worker = worker, .state = HS_RUN};
        sh->arrive[task] = hsi_initial_data_arrival(arcs, task, hsi_place_of_worker(arcs, worker));
        sh->left[task] = arcs->waits[task] + (before != HS_NONE);
        sh->next[task] = HS_NONE;
        if (before != HS_NONE)
            sh->next[before] = task;
        before = task;
    }
}

static void come_before(shift *sh, uint32_t task, double there)
{
    if (there > sh->arrive[task])
        sh->arrive[task] = there;
    if (--sh->left[task] == 0)
        sh->ready[sh->count++] = task;
}

static void place_task(shift *sh, uint32_t task)
{
    const hsi_arcs *arcs = sh->arcs;
    hs_placement   *p = &sh->placed[task];
    uint32_t        from = hsi_place_of_worker(arcs, p->worker);

    p->start = sh->arrive[task];
    p->end = p->start + hsi_task_time_at(arcs, task, from);
    for (size_t i = arcs->after_at[task]; i < arcs->after_at[task + 1]; i++) {
        const hsi_arc *arc = &arcs->after[i];
        uint32_t       to = hsi_place_of_worker(arcs, sh->placed[arc->task].worker);

        come_before(sh, arc->task, p->end + hsi_arc_transfer_time(arcs, arc, from, to));
    }
    if (sh->next[task] != HS_NONE)
        come_before(sh, sh->next[task], p->end);
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
        for (uint32_t i = 0; i < pb->n; i++)
            if (sh.left[i] == 0)
                sh.ready[sh.count++] = i;
        while (sh.count > 0)
            place_task(&sh, sh.ready[--sh.count]);
        st = hs_schedule_build(pb->m, pb->k, pb->n, sh.placed, out);
    }
    hsi_arena_close(&sh.arena);
    return st;
}
