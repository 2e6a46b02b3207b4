/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prepare segments of a GPU's part of the plan before the start, if the settings ask for graphs. A
 * segment consists of neighbours in the plan whose predecessors, by the plan, end on other workers
 * before the first task of the segment starts. O(tasks) for each GPU.
 */
#include "exec/run/window/window_private.h"

#include <stdlib.h>

typedef struct part {
    const hs_graph *graph;
    size_t          tasks;
    double         *elsewhere; /* by task: end in the plan if another worker runs the task; else
                                  0 */
    hsi_ahead *list;           /* the worker's tasks, in order */
    double    *begin;
    size_t     count;
} part;

static void note_others(part *p, const hsi_worker *worker)
{
    const hsi_run_spec *spec = &worker->exec->spec;
    unsigned            w;

    for (w = 0; w < spec->workers; w++) {
        size_t          count;
        const hs_entry *entry = hs_schedule_entries(spec->plan, w, &count);

        for (; w != worker->number && count > 0; count--, entry++)
            if (entry->state == HS_RUN)
                p->elsewhere[entry->task] = entry->end;
    }
}

/* List the worker's tasks. A task of another backend gets no body here, and so ends a segment. */
static void note_own(part *p, const hsi_worker *worker, unsigned slot)
{
    const hs_exec  *exec = worker->exec;
    size_t          count;
    const hs_entry *entry = hs_schedule_entries(exec->spec.plan, worker->number, &count);

    for (; count > 0; count--, entry++) {
        const hsi_body *body = hsi_worker_body(worker, entry->task);

        if (entry->state != HS_RUN)
            continue;
        p->list[p->count] = (hsi_ahead){.task = entry->task};
        if (body->body && body->slot == slot)
            p->list[p->count].body = body->body;
        p->begin[p->count++] = entry->start;
    }
}

static bool waits_for_others(const part *p, uint32_t task, double begin)
{
    size_t          before;
    const uint32_t *v = hs_graph_predecessors(p->graph, task, &before, NULL);

    for (; before > 0; before--, v++)
        if (*v >= p->tasks || p->elsewhere[*v] > begin)
            return true;
    return false;
}

/* Return the number of tasks in the segment that starts at `first`; 0: that task has no body
 * here. */
static size_t reach(const part *p, size_t first)
{
    size_t i = first;

    while (i < p->count && i - first < HSI_SEGMENT && p->list[i].body &&
           (i == first || !waits_for_others(p, p->list[i].task, p->begin[first])))
        i++;
    return i - first;
}

static hs_status make_segments(part *p, hsi_worker *worker, hs_backend_worker *state,
                               hs_error *error)
{
    hs_status st = HS_OK;
    size_t    i, count;

    for (i = 0; i < p->count && st == HS_OK; i += count ? count : 1) {
        count = reach(p, i);
        if (count)
            st = hsi_device_segment_make(state, p->list + i, &count, error);
        worker->window->has_segments |= count > 0;
    }
    return st;
}

hs_status hsi_window_make_segments(hsi_worker *worker, hs_error *error)
{
    const hs_exec     *exec = worker->exec;
    const unsigned     slot = hsi_bodies_sharing_slot(exec->bodies);
    hs_backend_worker *state = slot == HS_NONE ? NULL : worker->states[slot];
    part               p = {.tasks = hs_instance_tasks(exec->spec.in)};
    hs_status          st;

    if (!state || exec->spec.settings.gpu.mode != HS_GPU_GRAPH || !hsi_plan_decides_order(exec))
        return HS_OK;
    st = hs_instance_graph(exec->spec.in, &p.graph);
    if (st != HS_OK || !p.graph)
        return st;
    p.elsewhere = calloc(p.tasks + 1, sizeof *p.elsewhere);
    p.list = calloc(p.tasks + 1, sizeof *p.list);
    p.begin = calloc(p.tasks + 1, sizeof *p.begin);
    st = HS_ENOMEM;
    if (p.elsewhere && p.list && p.begin) {
        note_others(&p, worker);
        note_own(&p, worker, slot);
        st = make_segments(&p, worker, state, error);
    }
    free(p.elsewhere);
    free(p.list);
    free(p.begin);
    return st;
}
