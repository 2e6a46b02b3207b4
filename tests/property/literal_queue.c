/* SPDX-License-Identifier: BSD-3-Clause */
/* Policies that assign tasks to workers' queues, and plans. */
#include <math.h>
#include <string.h>

#include "literal.h"
#include "literal_law.h"

static void assign_to_queue(law *l, int worker, int task)
{
    law_start_transfers(l, task, worker);
    law_remove_from_fifo(l, task);
    l->state[task] = TAKEN;
    l->lane[worker].queue[l->lane[worker].waiting++] = task;
}

/* dmdas: return, of the first 16 queued tasks of the rank of `first`, the one that waits for the
 * fewest bytes. All are indices in the queue of the worker. */
static size_t choose_fewest_bytes(law *l, int worker, size_t first)
{
    const lane *a = &l->lane[worker];
    size_t      best = first, last = first;

    for (int seen = 1; seen < 16; seen++) {
        size_t next = a->waiting;

        for (size_t j = 0; j < a->waiting; j++)
            if (law_compare_ranks(l, a->queue[j], a->queue[first]) == 0 &&
                law_has_higher_rank(l, a->queue[last], a->queue[j]) &&
                (next == a->waiting || law_has_higher_rank(l, a->queue[j], a->queue[next])))
                next = j;
        if (next == a->waiting)
            break;
        last = next;
        if (law_awaited_bytes(l, a->queue[next], worker) <
            law_awaited_bytes(l, a->queue[best], worker))
            best = next;
    }
    return best;
}

/* Start a task from a worker's queue, by rank or first in, first out. */
static bool start_queued(law *l)
{
    for (int i = 0; i < worker_count(l); i++) {
        int    w = worker_at(l, i);
        lane  *a = &l->lane[w];
        size_t best = 0;
        int    t;

        if (!is_idle(l, w) || a->waiting == 0)
            continue;
        for (size_t j = 1; l->rank != HS_RANK_FIFO && j < a->waiting; j++)
            if (law_has_higher_rank(l, a->queue[j], a->queue[best]))
                best = j;
        if (law_has_name(l, "dmdas"))
            best = choose_fewest_bytes(l, w, best);
        t = a->queue[best];
        memmove(&a->queue[best], &a->queue[best + 1], (--a->waiting - best) * sizeof *a->queue);
        law_start_now(l, w, t);
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
    for (int w = 0; w < worker_count(l); w++)
        is_free_worker |= is_idle(l, w);
    if (!is_free_worker || l->ready == 0)
        return false;
    for (int pass = 0; pass < 2; pass++) /* idle workers before busy workers */
        for (int i = 0; i < worker_count(l); i++) {
            int    w = worker_at(l, i);
            double end = fmax(law_end_of_running(l, w), available_at(l, w));

            if (is_idle(l, w) != (pass == 0))
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
        law_start_now(l, best, l->fifo[0]);
    else
        assign_to_queue(l, best, l->fifo[0]);
    return true;
}

static double end_of_queue(const law *l, int worker)
{
    const lane *a = &l->lane[worker];

    return a->task >= 0 || a->waiting > 0 ? a->estimate
                                          : fmax(l->now, available_at(l, worker));
}

static bool has_precedence(const law *l, int a, int b)
{
    const graph_sample *s = l->s;
    int                 sign;

    if (law_has_name(l, "d-rank"))
        return l->key[a] > l->key[b];
    if (isinf(s->p[a]) || isinf(s->q[a]) || isinf(s->p[b]) || isinf(s->q[b]))
        return (isinf(s->p[a]) || isinf(s->q[a])) && !(isinf(s->p[b]) || isinf(s->q[b]));
    sign = literal_compare_ratios(fmax(s->p[a], s->q[a]), fmin(s->p[a], s->q[a]),
                                  fmax(s->p[b], s->q[b]), fmin(s->p[b], s->q[b]));
    return sign > 0;
}

static unsigned count_waiting(const law *l)
{
    unsigned count = 0;

    for (int w = 0; w < worker_count(l); w++)
        count += (unsigned)l->lane[w].waiting + (l->lane[w].task >= 0 && l->lane[w].start > l->now);
    return count;
}

bool law_rank_step(law *l)
{
    unsigned threshold = l->settings->parameters.threshold ? l->settings->parameters.threshold
                                                           : 2 * (unsigned)worker_count(l);
    int      t, best = NOBODY;
    double   least = 0;

    if (start_queued(l))
        return true;
    if (l->ready == 0 || count_waiting(l) >= threshold)
        return false;
    t = l->fifo[0];
    for (size_t i = 1; i < l->ready; i++)
        if (has_precedence(l, l->fifo[i], t))
            t = l->fifo[i];
    for (int i = 0; i < worker_count(l); i++) {
        int    w = worker_at(l, i);
        double end = end_of_queue(l, w) + law_longest_transfer(l, t, w) + time_on(l, w, t);

        if (isinf(end) || (best >= 0 && end >= least))
            continue;
        best = w;
        least = end;
    }
    l->lane[best].estimate = least;
    assign_to_queue(l, best, t);
    return true;
}

bool law_dmda_step(law *l)
{
    int    t, best = NOBODY;
    double least = 0;

    if (l->ready == 0)
        return start_queued(l);
    t = l->fifo[0];
    for (int i = 0; i < worker_count(l); i++) {
        int    w = worker_at(l, i);
        double end = fmax(end_of_queue(l, w), law_arrival(l, t, w)) + time_on(l, w, t);

        if (isinf(end) || (best >= 0 && end >= least))
            continue;
        best = w;
        least = end;
    }
    l->lane[best].estimate = least;
    assign_to_queue(l, best, t);
    return true;
}

bool law_start_own_task(law *l, int worker)
{
    int t;

    if (l->lane[worker].task >= 0 || l->at[worker] == l->listed[worker])
        return false;
    t = l->list[worker][l->at[worker]];
    if (l->state[t] != READY)
        return false;
    l->at[worker]++;
    law_start_at(l, worker, t, law_planned_arrival(l, t, worker));
    return true;
}

bool law_plan_step(law *l)
{
    for (int i = 0; i < worker_count(l); i++)
        if (law_start_own_task(l, worker_at(l, i)))
            return true;
    return false;
}

void law_read_plan(law *l)
{
    for (int w = 0; w < worker_count(l); w++) {
        size_t          count;
        const hs_entry *entry = hs_schedule_entries(l->rules->plan, (unsigned)w, &count);

        for (size_t i = 0; i < count; i++)
            if (entry[i].state == HS_RUN)
                l->list[w][l->listed[w]++] = (int)entry[i].task;
    }
}
