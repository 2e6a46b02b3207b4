/* SPDX-License-Identifier: BSD-3-Clause */
/* plan+steal on a graph of which nothing may be taken that runs, and without transfers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "literal_law.h"

static double tolerated(const law *l, int v)
{
    return time_on(l, v, l->lane[v].task) * (1 + l->settings->tolerance);
}

/* Would it be done by w, if that began at `now`, before v is expected to have done it? */
static int is_worth(const law *l, int w, int v, int t, double now)
{
    const lane *a = &l->lane[v];
    double      load = l->due[t] - l->due[l->list[v][l->at[v]]] + time_on(l, v, t);
    double      time = time_on(l, w, t);

    if (isinf(time) || now <= l->due[t])
        return 0;
    if (a->task < 0)
        return now + time < now + load;
    if (now > a->start + tolerated(l, v)) /* expected to take as long again */
        return now - a->start > time - load;
    return now + time < a->start + time_on(l, v, a->task) + load;
}

static int is_due_first(const law *l, int a, int b)
{
    if (l->due[a] != l->due[b])
        return l->due[a] < l->due[b];
    return l->s->position[a] < l->s->position[b];
}

/* Of all that is ready and waits, or NOBODY. *from: in whose list, *at: where. */
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

int law_late_step(law *l)
{
    for (int i = 0; i < workers(l); i++) {
        int    w = worker_at(l, i), v = 0, t;
        size_t at = 0;

        if (law_start_own(l, w))
            return 1;
        if (l->lane[w].task >= 0 || (t = find_late(l, w, &v, &at)) == NOBODY)
            continue;
        memmove(&l->list[v][at], &l->list[v][at + 1], (--l->listed[v] - at) * sizeof **l->list);
        law_hold(l, w, t);
        return 1;
    }
    return 0;
}

/* The first moment after `low` at which it is worth it, as it stays when v is late. */
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

/* When an idle worker may find something, if nothing else happens. */
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

/* When each task starts where all takes what it is estimated to, and the plan is followed. */
void law_rehearse(const graph_sample *s, const hs_schedule *plan, double *due)
{
    static hs_placement entry[TASKS];
    literal_rules       exactly = {"plan", NULL, plan, s->in, NULL};
    size_t              count = literal_graph(s, &exactly, entry, TASKS);

    for (size_t i = 0; i < count; i++)
        due[entry[i].task] = entry[i].start + entry[i].start * 1e-6;
}
