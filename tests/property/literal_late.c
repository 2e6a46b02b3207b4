/* SPDX-License-Identifier: BSD-3-Clause */
/* plan+steal on a graph without transfers whose running tasks are not restartable. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "literal_law.h"

static double tolerated_end(const law *l, int victim)
{
    return time_on(l, victim, l->lane[victim].task) * (1 + l->settings->tolerance);
}

/* Tell whether `worker`, if it starts `task` at `now`, would end it before `victim` is expected
 * to end it. */
static bool is_worth_stealing(const law *l, int worker, int victim, int task, double now)
{
    const lane *a = &l->lane[victim];
    double load = l->due[task] - l->due[l->list[victim][l->at[victim]]] + time_on(l, victim, task);
    double time = time_on(l, worker, task);

    if (isinf(time) || now <= l->due[task])
        return false;
    if (a->task < 0)
        return now + time < now + load;
    if (now > a->start + tolerated_end(l, victim)) /* an overdue task is expected to take the
                                                      elapsed time again */
        return now - a->start > time - load;
    return now + time < a->start + time_on(l, victim, a->task) + load;
}

static bool is_due_first(const law *l, int a, int b)
{
    if (l->due[a] != l->due[b])
        return l->due[a] < l->due[b];
    return l->s->position[a] < l->s->position[b];
}

/* Return the earliest due ready task worth stealing, or NOBODY; *from: owner of the list, *at:
 * index in the list. */
static int find_late(const law *l, int worker, int *from, size_t *index)
{
    int found = NOBODY;

    for (int v = 0; v < worker_count(l); v++)
        for (size_t i = l->at[v]; i < l->listed[v]; i++) {
            int t = l->list[v][i];

            if (l->state[t] != READY || !is_worth_stealing(l, worker, v, t, l->now) ||
                (found != NOBODY && !is_due_first(l, t, found)))
                continue;
            found = t;
            *from = v;
            *index = i;
        }
    return found;
}

bool law_steal_step(law *l)
{
    for (int i = 0; i < worker_count(l); i++) {
        int    w = worker_at(l, i), v = 0, t;
        size_t at = 0;

        if (law_start_own_task(l, w))
            return true;
        if (l->lane[w].task >= 0 || (t = find_late(l, w, &v, &at)) == NOBODY)
            continue;
        memmove(&l->list[v][at], &l->list[v][at + 1], (--l->listed[v] - at) * sizeof **l->list);
        law_start_now(l, w, t);
        return true;
    }
    return false;
}

/* Return the first time after `after` at which `worker` should steal `task`; the condition then
 * holds for as long as `victim` is late. INFINITY: `victim` is idle. */
static double when_worth_stealing(const law *l, int worker, int victim, int task, double after)
{
    double high = INFINITY, next;

    if (l->lane[victim].task < 0)
        return INFINITY;
    while (nextafter(after, INFINITY) < high) {
        uint64_t a, b, middle;

        memcpy(&a, &after, sizeof a);
        memcpy(&b, &high, sizeof b);
        middle = a + (b - a) / 2;
        memcpy(&next, &middle, sizeof next);
        if (is_worth_stealing(l, worker, victim, task, next))
            high = next;
        else
            after = next;
    }
    return high;
}

/* Return the next time at which an idle worker should steal `task`, without further events. */
static double next_steal_time(const law *l, int worker, int victim, int task)
{
    double due = nextafter(l->due[task], INFINITY), late = 0, next = INFINITY;

    if (l->lane[victim].task >= 0)
        late = nextafter(l->lane[victim].start + tolerated_end(l, victim), INFINITY);
    if (due > l->now && is_worth_stealing(l, worker, victim, task, due))
        next = due;
    if (late > l->now && is_worth_stealing(l, worker, victim, task, late))
        next = fmin(next, late);
    return fmin(next, when_worth_stealing(l, worker, victim, task, fmax(l->now, fmax(due, late))));
}

double law_next_steal_time(const law *l)
{
    double next = INFINITY;

    for (int w = 0; w < worker_count(l); w++)
        for (int v = 0; v < worker_count(l) && l->lane[w].task < 0; v++)
            for (size_t i = l->at[v]; i < l->listed[v]; i++)
                if (l->state[l->list[v][i]] == READY && !isinf(time_on(l, w, l->list[v][i])))
                    next = fmin(next, next_steal_time(l, w, v, l->list[v][i]));
    return next;
}

/* Set due[] to the start of each task in a simulation of the plan with estimated times. */
void law_simulate_plan(const graph_sample *s, const hs_schedule *plan, double *due)
{
    static hs_placement entry[TASKS];
    literal_rules       exactly = {"plan", NULL, plan, s->in, NULL};
    size_t              count = literal_graph_run(s, &exactly, entry, TASKS);

    for (size_t i = 0; i < count; i++)
        due[entry[i].task] = entry[i].start + entry[i].start * 1e-6;
}
