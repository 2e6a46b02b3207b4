/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "core/instance_store.h"
#include "picture/picture.h"
#include "picture/task_runs.h"

/*
 * The search for the cause of an entry's start: the last event that the worker waited for. An event
 * is the end of a task plus the transfer of its result, or the end of the worker's previous entry.
 * Of the paths through a barrier only the latest events matter: for each memory node the last event
 * known there, and the last end there, for edges out of the barrier with bytes.
 */
typedef struct event {
    uint32_t task; /* task whose end is the event; HS_NONE: no event */
    double   when;
} event;

typedef struct search {
    const hsi_runs *runs;
    size_t          nodes;
    event          *there; /* per barrier and memory node: last event known */
    event          *ends;
    unsigned char  *known; /* per barrier: whether `there` and `ends` are set */
} search;

static hs_status open_search(search *f, const hsi_runs *runs)
{
    size_t barriers = runs->graph->vertices - runs->graph->tasks;

    *f = (search){.runs = runs, .nodes = 1};
    if (runs->in->store->relations->links.has[HS_H2D])
        f->nodes = hs_instance_nodes(runs->in) + hs_schedule_gpus(runs->s);
    f->there = malloc((barriers * f->nodes + 1) * sizeof *f->there);
    f->ends = malloc((barriers * f->nodes + 1) * sizeof *f->ends);
    f->known = calloc(barriers + 1, 1);
    return f->there && f->ends && f->known ? HS_OK : HS_ENOMEM;
}

static void close_search(search *f)
{
    free(f->there);
    free(f->ends);
    free(f->known);
}

static uint32_t node_of(const search *f, uint32_t worker)
{
    return f->nodes > 1 ? hs_instance_memory_node(f->runs->in, worker) : 0;
}

static void take_later(event *last, event other)
{
    if (other.task != HS_NONE && other.when > last->when)
        *last = other;
}

/* Replace `last` by the arrival of a task's result at a memory node, if this is later. */
static void add_result(const search *f, uint32_t task, uint32_t node, double bytes, event *last)
{
    uint32_t worker = task == HS_NONE ? HS_NONE : f->runs->worker[task];
    double   transfer;

    if (worker == HS_NONE)
        return;
    transfer = hs_instance_transfer_time(f->runs->in, node_of(f, worker), node, bytes);
    take_later(last, (event){task, hsi_run_of(f->runs, task)->end + transfer});
}

static void find_barrier(search *f, uint32_t barrier);

/* Replace `last` by the event of an edge out of `before`, a task or a barrier, if this is later. */
static void follow(search *f, uint32_t before, uint32_t node, double bytes, event *last)
{
    size_t at;

    if (!hsi_is_barrier(f->runs->graph, before)) {
        add_result(f, before, node, bytes, last);
        return;
    }
    at = before - f->runs->graph->tasks;
    if (!f->known[at])
        find_barrier(f, before);
    take_later(last, f->there[at * f->nodes + node]);
    for (size_t from = 0; bytes > 0 && from < f->nodes; from++)
        add_result(f, f->ends[at * f->nodes + from].task, node, bytes, last);
}

static void follow_edges(search *f, uint32_t vertex, uint32_t node, event *last)
{
    size_t          count;
    const uint32_t *before = hsi_predecessors(f->runs->graph, vertex, &count);
    const double   *bytes = hsi_predecessor_bytes(f->runs->graph, vertex);

    for (size_t i = 0; i < count; i++)
        follow(f, before[i], node, bytes ? bytes[i] : 0, last);
}

static void add_end(search *f, event *ends, uint32_t before)
{
    uint32_t worker;

    if (hsi_is_barrier(f->runs->graph, before)) {
        size_t at = (before - f->runs->graph->tasks) * f->nodes;

        for (size_t node = 0; node < f->nodes; node++)
            take_later(&ends[node], f->ends[at + node]);
        return;
    }
    worker = f->runs->worker[before];
    if (worker != HS_NONE)
        take_later(&ends[node_of(f, worker)], (event){before, hsi_run_of(f->runs, before)->end});
}

/* Compute the events of a barrier. A path through barriers is short: from a join to a fork. */
static void find_barrier(search *f, uint32_t barrier)
{
    size_t          number = barrier - f->runs->graph->tasks, at = number * f->nodes, count;
    const uint32_t *before = hsi_predecessors(f->runs->graph, barrier, &count);

    f->known[number] = 1;
    for (uint32_t node = 0; node < f->nodes; node++) {
        f->there[at + node] = f->ends[at + node] = (event){HS_NONE, -INFINITY};
        follow_edges(f, barrier, node, &f->there[at + node]);
    }
    for (size_t i = 0; i < count; i++)
        add_end(f, &f->ends[at], before[i]);
}

/* Return the task whose end the entry waited for last; HS_NONE: the worker's previous entry. */
static uint32_t last_event(search *f, hsi_path_step at, const hs_entry *e)
{
    uint32_t         node = node_of(f, at.worker);
    event            last = {HS_NONE, -INFINITY};
    size_t           count;
    const hs_access *access = hsi_accesses(f->runs->graph, e->task, &count);

    follow_edges(f, e->task, node, &last);
    for (size_t i = 0; i < count; i++)
        if (access[i].mode & HS_READ)
            add_result(f, access[i].writer, node,
                       hs_instance_handle_bytes(f->runs->in, access[i].data), &last);
    return at.entry > 0 && e[-1].end > last.when ? HS_NONE : last.task;
}

/*
 * Return the step before `step` and set step->by_task. The worker of the result is HS_NONE if
 * `step` did not wait.
 */
static hsi_path_step cause_of(search *f, hsi_path_step *step)
{
    hsi_path_step   at = *step;
    size_t          count;
    const hs_entry *e = hs_schedule_entries(f->runs->s, at.worker, &count) + at.entry;
    uint32_t        task = last_event(f, at, e);

    step->by_task = task != HS_NONE;
    if (task != HS_NONE)
        return (hsi_path_step){.worker = f->runs->worker[task], .entry = f->runs->entry[task]};
    if (at.entry > 0)
        return (hsi_path_step){.worker = at.worker, .entry = at.entry - 1};
    return (hsi_path_step){.worker = HS_NONE};
}

static hsi_path_step last_entry(const hs_schedule *s)
{
    unsigned      workers = hs_schedule_cpus(s) + hs_schedule_gpus(s);
    hsi_path_step last = {.worker = HS_NONE};
    double        end = -INFINITY;

    for (unsigned w = 0; w < workers; w++) {
        size_t          count;
        const hs_entry *e = hs_schedule_entries(s, w, &count);

        if (count > 0 && e[count - 1].end > end) {
            end = e[count - 1].end;
            last = (hsi_path_step){.worker = w, .entry = count - 1};
        }
    }
    return last;
}

/* The path is never longer than the schedule, even if measured times are inconsistent. */
hs_status hsi_critical_path(const hsi_runs *runs, hsi_path_step **steps, size_t *count)
{
    size_t        most = hs_schedule_entry_count(runs->s);
    hsi_path_step at = last_entry(runs->s);
    search        f;
    hs_status     st = open_search(&f, runs);

    *count = 0;
    *steps = malloc((most + 1) * sizeof **steps);
    if (!*steps)
        st = HS_ENOMEM;
    while (st == HS_OK && at.worker != HS_NONE && *count < most) {
        (*steps)[*count] = at;
        at = cause_of(&f, &(*steps)[(*count)++]);
    }
    close_search(&f);
    return st;
}

/* Return the path of independent tasks: all entries of the worker that ends last, from its end. */
static hs_status path_of_worker(const hs_schedule *s, hsi_path_step **steps, size_t *count)
{
    hsi_path_step last = last_entry(s);

    *count = last.worker == HS_NONE ? 0 : last.entry + 1;
    *steps = malloc((*count + 1) * sizeof **steps);
    if (!*steps)
        return HS_ENOMEM;
    for (size_t i = 0; i < *count; i++)
        (*steps)[i] = (hsi_path_step){.worker = last.worker, .entry = last.entry - i};
    return HS_OK;
}

hs_status hs_critical_path(const hs_instance *in, const hs_schedule *s, hs_critical_step **out,
                           size_t *count)
{
    hs_critical_step *path = NULL;
    hsi_path_step    *steps = NULL;
    size_t            found = 0;
    hsi_runs          runs;
    hs_picture        unused;
    hs_status         st;

    if (!out || !count)
        return HS_EINVAL;
    st = hsi_picture_begin(&unused, NULL, in, s, NULL);
    if (st != HS_OK)
        return st;
    st = hsi_runs_open(&runs, in, s);
    if (st == HS_OK)
        st = runs.graph ? hsi_critical_path(&runs, &steps, &found)
                        : path_of_worker(s, &steps, &found);
    path = st == HS_OK ? malloc((found + 1) * sizeof *path) : NULL;
    if (st == HS_OK && !path)
        st = HS_ENOMEM;
    for (size_t i = 0; st == HS_OK && i < found; i++) {
        const hsi_path_step *step = &steps[found - 1 - i];

        path[i] = (hs_critical_step){step->worker, step->by_task, step->entry};
    }
    hsi_runs_close(&runs);
    free(steps);
    if (st != HS_OK)
        return st;
    *out = path;
    *count = found;
    return HS_OK;
}
