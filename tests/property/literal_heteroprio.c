/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HeteroPrio (Beaumont, Eyraud-Dubois, Kumar 2017, Algorithm 1), event by event. At every event,
 * every idle worker examines every task that runs on the opposite type; the library avoids repeated
 * examinations.
 */
#include "literal.h"

#include <math.h>
#include <stdlib.h>

enum { NONE = -1 };

typedef struct worker {
    long   task; /* NONE: idle */
    size_t entry; /* index of the entry in the plan */
    double start, end;
} worker;

typedef struct world {
    const sample *s;
    plan         *out;
    bool          spoliation;
    double        now;
    uint32_t     *queue; /* ready tasks; the front is the GPUs' end */
    size_t        queue_size;
    worker       *workers;
    double       *free_at; /* time from which each worker is available */
} world;

static bool nearer_to_front(const sample *s, uint32_t a, uint32_t b)
{
    int rho = literal_compare_ratios(s->p[a], s->q[a], s->p[b], s->q[b]);

    if (rho != 0)
        return rho > 0;
    if (s->priority[a] != s->priority[b])
        return (s->priority[a] > s->priority[b]) == (s->p[a] >= s->q[a]);
    return a < b;
}

static void fill_queue(world *w)
{
    uint32_t i, j;

    for (i = 0; i < w->s->n; i++) {
        for (j = i; j > 0 && nearer_to_front(w->s, i, w->queue[j - 1]); j--)
            w->queue[j] = w->queue[j - 1];
        w->queue[j] = i;
    }
    w->queue_size = w->s->n;
}

/* Return the task at the worker's end of the queue; NONE: empty or impossible for the worker. */
static long first_of_queue(const world *w, unsigned number)
{
    bool is_cpu = number < w->s->m;
    long task;

    if (w->queue_size == 0)
        return NONE;
    task = w->queue[is_cpu ? w->queue_size - 1 : 0];
    return isinf((is_cpu ? w->s->p : w->s->q)[task]) ? NONE : task;
}

static void remove_from_queue(world *w, unsigned number)
{
    size_t i;

    w->queue_size--;
    if (number >= w->s->m)
        for (i = 0; i < w->queue_size; i++)
            w->queue[i] = w->queue[i + 1];
}

static void start_task(world *w, unsigned number, long task)
{
    worker *at = &w->workers[number];

    at->task = task;
    at->start = w->now;
    at->end = w->now + (number < w->s->m ? w->s->p : w->s->q)[task];
    at->entry = w->out->count;
    plan_add_entry(w->out, (uint32_t)task, number, at->start, at->end);
}

static bool considered_before(const world *w, const worker *a, const worker *b)
{
    const int64_t *priority = w->s->priority;

    if (a->end != b->end)
        return a->end > b->end;
    if (priority[a->task] != priority[b->task])
        return priority[a->task] > priority[b->task];
    return a->task < b->task;
}

/* Return the worker whose task the thief should spoliate: the first candidate among tasks that
 * would end strictly earlier on the thief. NULL: none. */
static worker *find_victim(world *w, unsigned thief)
{
    bool          is_cpu = thief < w->s->m;
    const double *time = is_cpu ? w->s->p : w->s->q;
    unsigned      other = is_cpu ? w->s->m : 0, end = is_cpu ? w->s->m + w->s->k : w->s->m;
    worker       *found = NULL;

    for (; other < end; other++) {
        worker *at = &w->workers[other];

        if (at->task == NONE || !(w->now + time[at->task] < at->end))
            continue;
        if (w->s->restartable && !w->s->restartable[at->task])
            continue;
        if (!found || considered_before(w, at, found))
            found = at;
    }
    return found;
}

/* Let an idle worker start or spoliate a task; return false if no task is available. */
static bool act_of_worker(world *w, unsigned number)
{
    long    task = first_of_queue(w, number);
    worker *victim;

    if (task != NONE) {
        remove_from_queue(w, number);
        start_task(w, number, task);
        return true;
    }
    victim = w->spoliation ? find_victim(w, number) : NULL;
    if (!victim)
        return false;
    task = victim->task;
    victim->task = NONE;
    w->out->at[victim->entry].state = HS_ABORTED;
    w->out->at[victim->entry].end = w->now;
    start_task(w, number, task);
    return true;
}

static void end_tasks(world *w)
{
    unsigned i;

    for (i = 0; i < w->s->m + w->s->k; i++)
        if (w->workers[i].task != NONE && w->workers[i].end <= w->now)
            w->workers[i].task = NONE;
}

/* Let the first idle worker act: GPUs before CPUs, lower numbers first. */
static bool act_of_first_idle(world *w)
{
    unsigned workers = w->s->m + w->s->k, i;

    for (i = 0; i < workers; i++) {
        unsigned number = (w->s->m + i) % workers;

        if (w->free_at[number] <= w->now && w->workers[number].task == NONE &&
            act_of_worker(w, number))
            return true;
    }
    return false;
}

static double next_event(const world *w)
{
    double   next = INFINITY;
    unsigned i;

    for (i = 0; i < w->s->m + w->s->k; i++)
        if (w->workers[i].task != NONE)
            next = fmin(next, w->workers[i].end);
        else if (w->free_at[i] > w->now)
            next = fmin(next, w->free_at[i]);
    return next;
}

static void simulate(const sample *s, bool spoliation, const hs_settings *settings, plan *out)
{
    world    w = {.s = s, .out = out, .spoliation = spoliation};
    unsigned i;

    w.queue = literal_allocate(s->n, sizeof *w.queue);
    w.workers = literal_allocate(s->m + s->k, sizeof *w.workers);
    w.free_at = literal_loads(s, settings);
    for (i = 0; i < s->m + s->k; i++)
        w.workers[i].task = NONE;
    fill_queue(&w);
    for (w.now = 0; !isinf(w.now); w.now = next_event(&w)) {
        do
            end_tasks(&w);
        while (act_of_first_idle(&w));
    }
    free(w.free_at);
    free(w.workers);
    free(w.queue);
}

void literal_heteroprio(const sample *s, const hs_settings *settings, plan *out)
{
    simulate(s, true, settings, out);
}

void literal_heteroprio_ns(const sample *s, const hs_settings *settings, plan *out)
{
    simulate(s, false, settings, out);
}
