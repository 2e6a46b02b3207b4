/* SPDX-License-Identifier: BSD-3-Clause */
#include "policy/plan_simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double grace = 1e-6; /* margin relative to the time since the start: clocks count whole
                                     nanoseconds */

hs_status hsi_plan_simulation_open(hsi_plan_simulation *r, const hs_instance *in,
                                   const hsi_problem *pb, const hsi_plan_lists *lists)
{
    size_t tasks = pb->n + 1;

    *r = (hsi_plan_simulation){.pb = pb};
    r->due = malloc(tasks * sizeof *r->due);
    r->owner = malloc(tasks * sizeof *r->owner);
    r->running = malloc(lists->workers * sizeof *r->running);
    r->left = aligned_alloc(sizeof *r->left, lists->workers * sizeof *r->left);
    if (!r->due || !r->owner || !r->running || !r->left ||
        hsi_worker_tree_open(&r->busy, lists->workers) || hsi_ready_open(&r->ready, pb) != HS_OK ||
        hsi_inputs_open(&r->inputs, in, pb) != HS_OK) {
        hsi_plan_simulation_close(r);
        return HS_ENOMEM;
    }
    for (unsigned w = 0; w < lists->workers; w++)
        for (const uint32_t *task = lists->of[w].next; task != lists->of[w].end; task++)
            r->owner[*task] = w;
    return HS_OK;
}

void hsi_plan_simulation_close(hsi_plan_simulation *r)
{
    free(r->due);
    free(r->owner);
    free(r->running);
    free(r->left);
    hsi_worker_tree_close(&r->busy);
    hsi_ready_close(&r->ready);
    hsi_inputs_close(&r->inputs);
    *r = (hsi_plan_simulation){0};
}

void hsi_plan_simulation_mark_done_before_start(hsi_plan_simulation *r, uint32_t task)
{
    hsi_ready_mark_done_before_start(&r->ready, task);
}

/* Start the next task of an idle worker's list, if the task is ready. */
static void start_next(hsi_plan_simulation *r, unsigned worker, double now)
{
    const double *time = worker < r->pb->m ? r->pb->p : r->pb->q;
    uint32_t      task;

    if (!hsi_plan_list_peek(&r->left[worker], &task) || !hsi_is_ready(&r->ready, task))
        return;
    r->left[worker].next++;
    r->running[worker] = task;
    hsi_inputs_prefetch(&r->inputs, task, worker);
    r->due[task] = hsi_inputs_start_transfers(&r->inputs, task, worker, now);
    hsi_worker_tree_set(&r->busy, worker, r->due[task] + time[task]);
}

typedef struct moment {
    hsi_plan_simulation *simulation;
    double               now;
} moment;

static void release(void *data, uint32_t task)
{
    const moment *m = data;
    unsigned      worker = m->simulation->owner[task];

    if (isinf(hsi_worker_tree_time_of(&m->simulation->busy, worker)))
        start_next(m->simulation, worker, m->now);
}

void hsi_plan_simulate(hsi_plan_simulation *r, const hsi_plan_lists *lists)
{
    moment m = {r, 0};

    memcpy(r->left, lists->of, lists->workers * sizeof *r->left);
    for (size_t i = 0; i < r->pb->n; i++)
        r->due[i] = INFINITY;
    for (unsigned w = 0; w < lists->workers; w++)
        hsi_worker_tree_set(&r->busy, w, INFINITY);
    for (unsigned w = 0; w < lists->workers; w++)
        start_next(r, w, 0);
    while (!isinf(m.now = hsi_worker_tree_time(&r->busy))) {
        unsigned worker = hsi_worker_tree_first(&r->busy);

        hsi_worker_tree_set(&r->busy, worker, INFINITY);
        hsi_inputs_record_end(&r->inputs, r->running[worker], worker, m.now);
        hsi_ready_record_done_concurrently(&r->ready, r->running[worker], release, &m);
        if (isinf(hsi_worker_tree_time_of(&r->busy, worker)))
            start_next(r, worker, m.now);
    }
    for (size_t i = 0; i < r->pb->n; i++)
        r->due[i] += r->due[i] * grace;
}
