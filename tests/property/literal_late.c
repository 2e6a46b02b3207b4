/* SPDX-License-Identifier: BSD-3-Clause */
/* plan+steal on a graph without transfers whose running tasks are not restartable. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "literal_law.h"

static double tolerated(const law *l, int v)
{
    return time_on(l, v, l->lane[v].task) * (1 + l->settings->tolerance);
}

/* Tell whether w, if it starts task t at `now`, would end it before v is expected to end it. */
static bool is_worth(const law *l, int w, int v, int t, double now)
{
    const lane *a = &l->lane[v];
    double      load = l->due[t] - l->due[l->list[v][l->at[v]]] + time_on(l, v, t);
    double      time = time_on(l, w, t);

    if (isinf(time) || now <= l->due[t])
        return false;
    if (a->task < 0)
        return now + time < now + load;
    if (now > a->start + tolerated(l, v)) /* overdue: expected to take the elapsed time again */
        return now - a->start > time - load;
    return now + time < a->start + time_on(l, v, a->task) + load;
}

static bool is_due_first(const law *l, int a, int b)
{
    if (l->due[a] != l->due[b])
        return l->due[a] < l->due[b];
    return l->s->position[a] < l->s->position[b];
}

/* Return the ready task that is worth stealing and due first, or NOBODY. *from: the worker that has
 * it, *at: its index in that list. */
static int find_late(const law *l, int w, int *from, size_t *at)
{
    int found = NOBODY;

    for (int v = 0; v < workers(l); v++)
        for (size_t i = l->at[v]; i < l->listed[v]; i++) {
            int t = l->list[v][i];

            if (l->state[t] != READY || !is_worth(l, w, v, t, l->now) ||
                (found != NOBODY && !is_due_first(l, t, found)))
                continue;
            found = t;
            *from = v;
            *at = i;
        }
    return found;
}

bool law_late_step(law *l)
{
    for (int i = 0; i < workers(l); i++) {
        int    w = worker_at(l, i), v = 0, t;
        size_t at = 0;

        if (law_start_own(l, w))
            return true;
        if (l->lane[w].task >= 0 || (t = find_late(l, w, &v, &at)) == NOBODY)
            continue;
        memmove(&l->list[v][at], &l->list[v][at + 1], (--l->listed[v] - at) * sizeof **l->list);
        law_hold(l, w, t);
        return true;
    }
    return false;
}

/* Return the first time after `low` at which w should steal t; the condition then holds for as long
 * as v is late. INFINITY: v is idle. */
static double first_worth(const law *l, int w, int v, int t, double low)
{
    double high = INFINITY, next;

    if (l->lane[v].task < 0)
        return INFINITY;
    while (nextafter(low, INFINITY) < high) {
        uint64_t a, b, middle;

        memcpy(&a, &low, sizeof a);
        memcpy(&b, &high, sizeof b);
        middle = a + (b - a) / 2;
        memcpy(&next, &middle, sizeof next);
        if (is_worth(l, w, v, t, next))
            high = next;
        else
            low = next;
    }
    return high;
}

/* Return the next time at which an idle worker should steal t, without further events. */
static double moment_of(const law *l, int w, int v, int t)
{
    double due = nextafter(l->due[t], INFINITY), late = 0, next = INFINITY;

    if (l->lane[v].task >= 0)
        late = nextafter(l->lane[v].start + tolerated(l, v), INFINITY);
    if (due > l->now && is_worth(l, w, v, t, due))
        next = due;
    if (late > l->now && is_worth(l, w, v, t, late))
        next = fmin(next, late);
    return fmin(next, first_worth(l, w, v, t, fmax(l->now, fmax(due, late))));
}

double law_late_moment(const law *l)
{
    double next = INFINITY;

    for (int w = 0; w < workers(l); w++)
        for (int v = 0; v < workers(l) && l->lane[w].task < 0; v++)
            for (size_t i = l->at[v]; i < l->listed[v]; i++)
                if (l->state[l->list[v][i]] == READY && !isinf(time_on(l, w, l->list[v][i])))
                    next = fmin(next, moment_of(l, w, v, l->list[v][i]));
    return next;
}

/* Set due[] to the start of each task in a simulation of the plan with estimated times. */
void law_rehearse(const graph_sample *s, const hs_schedule *plan, double *due)
{
    static hs_placement entry[TASKS];
    literal_rules       exactly = {"plan", NULL, plan, s->in, NULL};
    size_t              count = literal_graph(s, &exactly, entry, TASKS);

    for (size_t i = 0; i < count; i++)
        due[entry[i].task] = entry[i].start + entry[i].start * 1e-6;
}
