/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sufferage: of the ready tasks, the one that would lose most if it could not have the worker that
 * ends it first is placed there; its loss is the difference between the two least ends over all
 * workers, gaps included. O(n) placements are tried for each task.
 */
#include "algorithm/algorithm.h"
#include "algorithm/graph/placing.h"
#include "core/graph/arcs.h"

/* The tasks that may be placed next. */
typedef struct front {
    hsi_arcs  arcs;
    uint32_t *left; /* number of each task's unplaced predecessors */
    uint32_t *task; /* ready tasks, in the order in which they became ready */
    size_t    size;
} front;

static hs_status open_front(front *f, const hsi_problem *pb)
{
    hs_status st;

    *f = (front){.size = 0};
    st = hsi_arcs_open(pb, &f->arcs);
    if (st != HS_OK)
        return st;
    f->left = hsi_arena_alloc(pb->arena, pb->n, sizeof *f->left);
    f->task = hsi_arena_alloc(pb->arena, pb->n, sizeof *f->task);
    if (!f->left || !f->task)
        return HS_ENOMEM;
    for (size_t i = 0; i < pb->n; i++) {
        uint32_t task = f->arcs.order[i];

        f->left[task] = f->arcs.waits[task];
        if (f->left[task] == 0)
            f->task[f->size++] = task;
    }
    return HS_OK;
}

/* Set *best to the index of the ready task that would lose most, the first of equal ones. */
static hs_status choose_task(const front *f, hsi_placing *placing, size_t *best)
{
    double    largest = -1;
    hs_status st = HS_OK;

    for (size_t i = 0; st == HS_OK && i < f->size; i++) {
        double loss;

        st = hsi_placing_find_loss(placing, f->task[i], &loss);
        if (st == HS_OK && loss > largest) {
            largest = loss;
            *best = i;
        }
    }
    return st;
}

/* Remove the ready task at an index, and add the tasks that become ready. */
static void pass(front *f, size_t index)
{
    const hsi_arcs *arcs = &f->arcs;
    uint32_t        task = f->task[index];

    f->size--;
    for (size_t i = index; i < f->size; i++)
        f->task[i] = f->task[i + 1];
    for (size_t at = arcs->after_at[task]; at < arcs->after_at[task + 1]; at++)
        if (--f->left[arcs->after[at].task] == 0)
            f->task[f->size++] = arcs->after[at].task;
}

static hs_status place_all(front *f, hsi_placing *placing)
{
    hs_status st = HS_OK;

    while (st == HS_OK && f->size > 0) {
        size_t best = 0;

        st = choose_task(f, placing, &best);
        if (st == HS_OK)
            st = hsi_placing_insert(placing, f->task[best]);
        pass(f, best);
    }
    return st;
}

static hs_status run(const hsi_problem *pb, const hs_settings *settings, hsi_recorder *recorder)
{
    hsi_placing placing = {.line = NULL};
    front       f;
    hs_status   st = open_front(&f, pb);

    (void)settings;
    if (st == HS_OK)
        st = hsi_placing_open(&placing, pb);
    if (st == HS_OK)
        st = place_all(&f, &placing);
    if (st == HS_OK)
        st = hsi_placing_record(&placing, recorder);
    hsi_placing_close(&placing);
    hsi_arcs_close(&f.arcs);
    return st;
}

const hsi_algorithm hsi_alg_sufferage = {
    .about =
        {
            .struct_size = sizeof(hs_algorithm),
            .name = "sufferage",
            .summary = "first the ready task that loses most without its best worker",
            .source = "Maheswaran, Ali, Siegel, Hensgen, Freund: Dynamic Mapping of a Class of "
                      "Independent Tasks onto Heterogeneous Computing Systems",
            .supports_graphs = true,
        },
    .run = run,
};
