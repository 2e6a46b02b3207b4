/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/idle.h"

#include <math.h>
#include <stdlib.h>

#include "core/graph/graph.h"

typedef struct event {
    double   time;
    uint32_t task;
    int      change; /* change of the number of ready tasks: 1: the task becomes ready; -1: it
                        starts */
} event;

/* All entries, grouped by task. */
typedef struct table {
    size_t   *first; /* first entry of each task, and the number of entries */
    hs_entry *entries;
} table;

static int by_start(const void *a, const void *b)
{
    const hs_entry *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end; /* an attempt that was aborted at its start
                                                      comes before the run */
}

static int by_time(const void *a, const void *b)
{
    const event *x = a, *y = b;

    return x->time < y->time ? -1 : x->time > y->time;
}

static unsigned workers_of(const hs_schedule *s)
{
    return hs_schedule_cpus(s) + hs_schedule_gpus(s);
}

static hs_status sort_by_task(const hs_schedule *s, size_t tasks, table *t)
{
    size_t          count, i;
    const hs_entry *e;
    unsigned        w;

    t->first = calloc(tasks + 2, sizeof *t->first);
    t->entries = malloc((hs_schedule_entry_count(s) + 1) * sizeof *t->entries);
    if (!t->first || !t->entries)
        return HS_ENOMEM;
    for (w = 0; w < workers_of(s); w++)
        for (e = hs_schedule_entries(s, w, &count), i = 0; i < count; i++)
            t->first[e[i].task + 2]++;
    for (i = 2; i < tasks + 2; i++)
        t->first[i] += t->first[i - 1];
    for (w = 0; w < workers_of(s); w++)
        for (e = hs_schedule_entries(s, w, &count), i = 0; i < count; i++)
            t->entries[t->first[e[i].task + 1]++] = e[i];
    for (i = 0; i < tasks; i++)
        qsort(t->entries + t->first[i], t->first[i + 1] - t->first[i], sizeof *t->entries,
              by_start);
    return HS_OK;
}

/*
 * Return the end of a task's run; INFINITY: never completed; 0 for a task without entries, done
 * before the start.
 */
static double end_of(const table *t, size_t task)
{
    size_t i;

    for (i = t->first[task]; i < t->first[task + 1]; i++)
        if (t->entries[i].state == HS_RUN)
            return t->entries[i].end;
    return t->first[task] < t->first[task + 1] ? INFINITY : 0;
}

/* Compute the time at which the last predecessor of each vertex was done. */
static void find_times(const hs_graph *g, const table *t, double *ready)
{
    size_t i, k, count;

    for (i = 0; i < g->vertices; i++) {
        uint32_t        v = hsi_vertex_at_position(g, i);
        const uint32_t *after = hsi_successors(g, v, &count);
        double          end = hsi_is_barrier(g, v) ? ready[v] : end_of(t, v);

        for (k = 0; k < count; k++)
            ready[after[k]] = fmax(ready[after[k]], end);
    }
}

static void add_event(event *events, size_t *count, double from, double to, uint32_t task)
{
    if (!(from < to))
        return;
    events[(*count)++] = (event){from, task, 1};
    events[(*count)++] = (event){to, task, -1};
}

/*
 * List the intervals during which a task is ready. After its last entry a task is never ready
 * again: it failed, or the run stopped first, which entries do not tell. A task without entries was
 * done before the start.
 */
static size_t list_events(const table *t, size_t tasks, const double *ready, event *events)
{
    size_t count = 0, task, i;

    for (task = 0; task < tasks; task++) {
        double from = ready[task];

        for (i = t->first[task]; i < t->first[task + 1]; i++) {
            add_event(events, &count, from, t->entries[i].start, (uint32_t)task);
            from = t->entries[i].end;
        }
    }
    qsort(events, count, sizeof *events, by_time);
    return count;
}

static hs_status make_room(hsi_ready_counts *b, size_t steps)
{
    int i;

    b->time = calloc(steps, sizeof *b->time);
    for (i = 0; i < HSI_READY_KINDS; i++)
        b->ready[i] = calloc(steps, sizeof *b->ready[i]);
    for (i = 0; i < 2; i++)
        b->without[i] = calloc(steps, sizeof *b->without[i]);
    return b->time && b->ready[0] && b->ready[1] && b->ready[2] && b->without[0] && b->without[1]
               ? HS_OK
               : HS_ENOMEM;
}

/* Append a step to the step function, with the counts of the previous step. */
static size_t add_step(hsi_ready_counts *b, double time)
{
    size_t i = b->count++, kind;

    b->time[i] = time;
    for (kind = 0; kind < HSI_READY_KINDS; kind++)
        b->ready[kind][i] = b->ready[kind][i - 1];
    for (kind = 0; kind < 2; kind++)
        b->without[kind][i] =
            b->without[kind][i - 1] + (b->ready[kind][i] ? 0 : time - b->time[i - 1]);
    return i;
}

static void add_steps(hsi_ready_counts *b, const hs_instance *in, const event *events, size_t count)
{
    size_t step = 0, i;
    int    type;

    b->count = 1;
    for (i = 0; i < count; i++) {
        if (events[i].time > b->time[step])
            step = add_step(b, events[i].time);
        b->ready[HSI_READY_ANY][step] += (uint32_t)events[i].change;
        for (type = HS_CPU; type <= HS_GPU; type++)
            if (isfinite(hs_instance_time(in, events[i].task, (hs_type)type)))
                b->ready[type][step] += (uint32_t)events[i].change;
    }
}

hs_status hsi_ready_counts_open(hsi_ready_counts *b, const hs_instance *in, const hs_schedule *s)
{
    size_t          tasks = hs_instance_tasks(in), most = 2 * hs_schedule_entry_count(s) + 1;
    const hs_graph *g = NULL;
    table           t = {0};
    hs_status       st = hsi_graph_of(in, NULL, &g);
    double         *ready = calloc((g ? g->vertices : tasks) + 1, sizeof *ready);
    event          *events = malloc(most * sizeof *events);

    *b = (hsi_ready_counts){0};
    if (st == HS_OK)
        st = ready && events ? sort_by_task(s, tasks, &t) : HS_ENOMEM;
    if (st == HS_OK)
        st = make_room(b, most);
    if (st == HS_OK && g)
        find_times(g, &t, ready);
    if (st == HS_OK)
        add_steps(b, in, events, list_events(&t, tasks, ready, events));
    free(t.first);
    free(t.entries);
    free(ready);
    free(events);
    return st;
}

void hsi_ready_counts_close(hsi_ready_counts *b)
{
    int i;

    free(b->time);
    for (i = 0; i < HSI_READY_KINDS; i++)
        free(b->ready[i]);
    free(b->without[0]);
    free(b->without[1]);
    *b = (hsi_ready_counts){0};
}

size_t hsi_ready_counts_step_at(const hsi_ready_counts *b, double time)
{
    size_t low = 0, high = b->count;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (b->time[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Return the total time before `time` without a ready task for this type. */
static double idle_time_before(const hsi_ready_counts *b, hs_type type, double time)
{
    size_t i = hsi_ready_counts_step_at(b, time);

    return b->without[type][i] + (b->ready[type][i] ? 0 : time - b->time[i]);
}

hs_status hs_schedule_compute_idle(const hs_instance *in, const hs_schedule *s, hs_idle *idle)
{
    hsi_ready_counts b = {0};
    double      makespan = hs_schedule_makespan(s);
    hs_status        st = hsi_ready_counts_open(&b, in, s);
    unsigned    w;

    for (w = 0; st == HS_OK && w < workers_of(s); w++) {
        hs_type         type = w < hs_schedule_cpus(s) ? HS_CPU : HS_GPU;
        size_t          count, i;
        const hs_entry *e = hs_schedule_entries(s, w, &count);
        double          from = 0;

        idle[w] = (hs_idle){0, 0};
        for (i = 0; i <= count; i++) {
            double to = i < count ? e[i].start : makespan;
            double none =
                to > from ? idle_time_before(&b, type, to) - idle_time_before(&b, type, from) : 0;

            idle[w].no_task += none;
            idle[w].other += to > from ? fmax(0, to - from - none) : 0;
            from = i < count ? e[i].end : to;
        }
    }
    hsi_ready_counts_close(&b);
    return st;
}
