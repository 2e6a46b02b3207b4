/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPOP: the priority of a task is the length of the longest path through it, by mean times and mean
 * transfers. The tasks of one longest path go to the one worker that executes them in the least
 * time, as far as they can run there; each other task goes to the worker that ends it first, gaps
 * included. Ready tasks are placed by decreasing priority.
 */
#include <math.h>

#include "algorithm/algorithm.h"
#include "algorithm/graph/placing.h"
#include "core/graph/arcs.h"
#include "support/heap.h"

typedef struct cpop {
    const hsi_problem *pb;
    hsi_arcs           arcs;
    double            *up, *priority; /* longest path from each task on; through each task */
    bool              *is_critical;
    uint32_t          *left; /* number of each task's unplaced predecessors */
    uint32_t          *heap; /* ready tasks */
    size_t             size;
} cpop;

static hs_status open_cpop(cpop *c, const hsi_problem *pb)
{
    *c = (cpop){.pb = pb};
    c->up = hsi_arena_alloc(pb->arena, pb->n, sizeof *c->up);
    c->priority = hsi_arena_alloc_zeroed(pb->arena, pb->n, sizeof *c->priority);
    c->is_critical = hsi_arena_alloc_zeroed(pb->arena, pb->n, sizeof *c->is_critical);
    c->left = hsi_arena_alloc(pb->arena, pb->n, sizeof *c->left);
    c->heap = hsi_arena_alloc(pb->arena, pb->n, sizeof *c->heap);
    return c->up && c->priority && c->is_critical && c->left && c->heap ? HS_OK : HS_ENOMEM;
}

/* Return the mean time of a task over the workers that can run it. */
static double mean_time(const hsi_problem *pb, uint32_t task)
{
    double p = pb->p[task], q = pb->q[task];

    if (isinf(p) || isinf(q))
        return fmin(p, q);
    return (pb->m * p + pb->k * q) / ((double)pb->m + pb->k);
}

/* Return the mean time of an arc's transfer over pairs of workers of one node. */
static double mean_transfer(const hsi_problem *pb, const hsi_arcs *arcs, const hsi_arc *arc)
{
    const double *move = arcs->move + (size_t)HS_LINKS * arc->move;
    double        m = pb->m, k = pb->k;

    return (m * k * (move[HS_H2D] + move[HS_D2H]) + k * (k - 1) * move[HS_D2D]) /
           ((m + k) * (m + k));
}

/* Set the longest paths, the transfers at both ends of a task not counted: first those from each
 * task on, then, in `priority`, those that lead to it. */
static void find_paths(cpop *c)
{
    const hsi_arcs *arcs = &c->arcs;

    for (size_t i = c->pb->n; i-- > 0;) {
        uint32_t task = arcs->order[i];
        double   longest = 0;

        for (size_t at = arcs->after_at[task]; at < arcs->after_at[task + 1]; at++)
            longest = fmax(longest, mean_transfer(c->pb, arcs, &arcs->after[at]) +
                                        c->up[arcs->after[at].task]);
        c->up[task] = mean_time(c->pb, task) + longest;
    }
    for (size_t i = 0; i < c->pb->n; i++) {
        uint32_t task = arcs->order[i];
        double   end = c->priority[task] + mean_time(c->pb, task);

        for (size_t at = arcs->after_at[task]; at < arcs->after_at[task + 1]; at++) {
            double *later = &c->priority[arcs->after[at].task];

            *later = fmax(*later, end + mean_transfer(c->pb, arcs, &arcs->after[at]));
        }
    }
}

/* Mark the tasks of a longest path. */
static void mark_critical(cpop *c)
{
    const hsi_arcs *arcs = &c->arcs;
    uint32_t        task = arcs->order[0];

    for (size_t i = 0; i < c->pb->n; i++)
        if (arcs->waits[arcs->order[i]] == 0 && c->up[arcs->order[i]] > c->up[task])
            task = arcs->order[i];
    for (c->is_critical[task] = true; arcs->after_at[task] < arcs->after_at[task + 1];
         c->is_critical[task] = true) {
        const hsi_arc *next = &arcs->after[arcs->after_at[task]];

        for (const hsi_arc *arc = next; arc < arcs->after + arcs->after_at[task + 1]; arc++)
            if (mean_transfer(c->pb, arcs, arc) + c->up[arc->task] >
                mean_transfer(c->pb, arcs, next) + c->up[next->task])
                next = arc;
        task = next->task;
    }
}

static int comes_first(const void *context, uint32_t a, uint32_t b)
{
    const cpop *c = context;

    if (c->priority[a] != c->priority[b])
        return c->priority[a] > c->priority[b];
    return hsi_position(c->pb->graph, a) < hsi_position(c->pb->graph, b);
}

/* Return the worker for the longest path: the first worker of the type with the smaller sum of task
 * times along the path. A task that cannot run on the type adds 0. */
static uint32_t choose_worker(const cpop *c)
{
    const hsi_problem *pb = c->pb;
    double             on_cpu = 0, on_gpu = 0;

    for (size_t task = 0; task < pb->n; task++) {
        on_cpu += c->is_critical[task] && isfinite(pb->p[task]) ? pb->p[task] : 0;
        on_gpu += c->is_critical[task] && isfinite(pb->q[task]) ? pb->q[task] : 0;
    }
    return pb->k > 0 && (pb->m == 0 || on_gpu <= on_cpu) ? pb->m : 0;
}

static hs_status place_task(const cpop *c, hsi_placing *placing, uint32_t task, uint32_t worker)
{
    double time = worker < c->pb->m ? c->pb->p[task] : c->pb->q[task];

    if (c->is_critical[task] && isfinite(time))
        return hsi_placing_insert_on(placing, task, worker);
    return hsi_placing_insert(placing, task);
}

static hs_status place_all(cpop *c, hsi_placing *placing)
{
    const hsi_arcs *arcs = &c->arcs;
    uint32_t        worker = choose_worker(c);
    hs_status       st = HS_OK;

    for (uint32_t task = 0; task < c->pb->n; task++) {
        c->priority[task] += c->up[task];
        c->left[task] = arcs->waits[task];
    }
    for (uint32_t task = 0; task < c->pb->n; task++)
        if (c->left[task] == 0)
            hsi_heap_push(c->heap, c->size++, task, comes_first, c);
    while (st == HS_OK && c->size > 0) {
        uint32_t task = hsi_heap_pop(c->heap, c->size--, comes_first, c);

        st = place_task(c, placing, task, worker);
        for (size_t at = arcs->after_at[task]; at < arcs->after_at[task + 1]; at++)
            if (--c->left[arcs->after[at].task] == 0)
                hsi_heap_push(c->heap, c->size++, arcs->after[at].task, comes_first, c);
    }
    return st;
}

static hs_status run(const hsi_problem *pb, const hs_settings *settings, hsi_recorder *recorder)
{
    hsi_placing placing = {.line = NULL};
    cpop        c;
    hs_status   st = open_cpop(&c, pb);

    (void)settings;
    if (st == HS_OK)
        st = hsi_arcs_open(pb, &c.arcs);
    if (st == HS_OK)
        st = hsi_placing_open(&placing, pb);
    if (st == HS_OK) {
        find_paths(&c);
        mark_critical(&c);
        st = place_all(&c, &placing);
    }
    if (st == HS_OK)
        st = hsi_placing_record(&placing, recorder);
    hsi_placing_close(&placing);
    hsi_arcs_close(&c.arcs);
    return st;
}

const hsi_algorithm hsi_alg_cpop = {
    .about =
        {
            .struct_size = sizeof(hs_algorithm),
            .name = "cpop",
            .summary = "the longest path on one worker, other tasks where they end first",
            .source = "Topcuoglu, Hariri, Wu: Performance-Effective and Low-Complexity Task "
                      "Scheduling for Heterogeneous Computing",
            .supports_graphs = true,
        },
    .run = run,
};
