/* SPDX-License-Identifier: BSD-3-Clause */
/* Policies that assign tasks to workers' queues, and plans. */
#include <math.h>
#include <string.h>

#include "literal.h"
#include "literal_law.h"

static void enqueue(law *l, int w, int t)
{
    law_start_transfers(l, t, w);
    law_leave_fifo(l, t);
    l->state[t] = TAKEN;
    l->lane[w].queue[l->lane[w].waiting++] = t;
}

/* Start a task from a worker's queue, by rank or first in, first out. */
static bool start_queued(law *l)
{
    for (int i = 0; i < workers(l); i++) {
        int    w = worker_at(l, i);
        lane  *a = &l->lane[w];
        size_t best = 0;
        int    t;

        if (a->task >= 0 || a->waiting == 0)
            continue;
        for (size_t j = 1; law_is_length(l) && j < a->waiting; j++)
            if (law_has_higher_rank(l, a->queue[j], a->queue[best]))
                best = j;
        t = a->queue[best];
        memmove(&a->queue[best], &a->queue[best + 1], (--a->waiting - best) * sizeof *a->queue);
        law_hold(l, w, t);
        return true;
    }
    return false;
}

bool law_dynamic_step(law *l)
{
    int    best = NOBODY, best_is_free = 0, is_free_worker = 0;
    double least = 0;

    if (start_queued(l))
        return true;
    for (int w = 0; w < workers(l); w++)
        is_free_worker |= l->lane[w].task < 0;
    if (!is_free_worker || l->ready == 0)
        return false;
    for (int pass = 0; pass < 2; pass++) /* idle workers before busy workers */
        for (int i = 0; i < workers(l); i++) {
            int    w = worker_at(l, i);
            double end = l->lane[w].task < 0 ? l->now : law_end_of(l, w);

            if ((l->lane[w].task < 0) != (pass == 0))
                continue;
            for (size_t j = 0; j < l->lane[w].waiting; j++)
                end += time_on(l, w, l->lane[w].queue[j]);
            end += time_on(l, w, l->fifo[0]);
            if (isinf(end) || (best >= 0 && end >= least))
                continue;
            best = w;
            least = end;
            best_is_free = pass == 0;
        }
    if (best_is_free)
        law_hold(l, best, l->fifo[0]);
    else
        enqueue(l, best, l->fifo[0]);
    return true;
}

static double available(const law *l, int w)
{
    const lane *a = &l->lane[w];

    return a->task >= 0 || a->waiting > 0 ? a->estimate : l->now;
}

static bool goes_first(const law *l, int a, int b)
{
    const graph_sample *s = l->s;
    int                 sign;

    if (is_named(l, "d-rank"))
        return l->key[a] > l->key[b];
    if (isinf(s->p[a]) || isinf(s->q[a]) || isinf(s->p[b]) || isinf(s->q[b]))
        return (isinf(s->p[a]) || isinf(s->q[a])) && !(isinf(s->p[b]) || isinf(s->q[b]));
    sign = literal_compare_ratios(fmax(s->p[a], s->q[a]), fmin(s->p[a], s->q[a]),
                                  fmax(s->p[b], s->q[b]), fmin(s->p[b], s->q[b]));
    return sign > 0;
}

static unsigned waiting_to_start(const law *l)
{
    unsigned count = 0;

    for (int w = 0; w < workers(l); w++)
        count += (unsigned)l->lane[w].waiting + (l->lane[w].task >= 0 && l->lane[w].start > l->now);
    return count;
}

bool law_rank_step(law *l)
{
    unsigned threshold = l->settings->parameters.threshold ? l->settings->parameters.threshold
                                                           : 2 * (unsigned)workers(l);
    int      t, best = NOBODY;
    double   least = 0;

    if (start_queued(l))
        return true;
    if (l->ready == 0 || waiting_to_start(l) >= threshold)
        return false;
    t = l->fifo[0];
    for (size_t i = 1; i < l->ready; i++)
        if (goes_first(l, l->fifo[i], t))
            t = l->fifo[i];
    for (int i = 0; i < workers(l); i++) {
        int    w = worker_at(l, i);
        double end = available(l, w) + law_longest_transfer(l, t, w) + time_on(l, w, t);

        if (isinf(end) || (best >= 0 && end >= least))
            continue;
        best = w;
        least = end;
    }
    l->lane[best].estimate = least;
    enqueue(l, best, t);
    return true;
}

bool law_dmda_step(law *l)
{
    int    t, best = NOBODY;
    double least = 0;

    if (l->ready == 0)
        return start_queued(l);
    t = l->fifo[0];
    for (int i = 0; i < workers(l); i++) {
        int    w = worker_at(l, i);
        double end = fmax(available(l, w), law_arrival(l, t, w)) + time_on(l, w, t);

        if (isinf(end) || (best >= 0 && end >= least))
            continue;
        best = w;
        least = end;
    }
    l->lane[best].estimate = least;
    enqueue(l, best, t);
    return true;
}


bool law_start_own(law *l, int w)
{
    int t;

    if (l->lane[w].task >= 0 || l->at[w] == l->listed[w])
        return false;
    t = l->list[w][l->at[w]];
    if (l->state[t] != READY)
        return false;
    l->at[w]++;
    law_hold_from(l, w, t, law_planned_arrival(l, t, w));
    return true;
}

bool law_plan_step(law *l)
{
    for (int i = 0; i < workers(l); i++)
        if (law_start_own(l, worker_at(l, i)))
            return true;
    return false;
}

void law_read_plan(law *l)
{
    for (int w = 0; w < workers(l); w++) {
        size_t          count;
        const hs_entry *entry = hs_schedule_entries(l->rules->plan, (unsigned)w, &count);

        for (size_t i = 0; i < count; i++)
            if (entry[i].state == HS_RUN)
                l->list[w][l->listed[w]++] = (int)entry[i].task;
    }
}
