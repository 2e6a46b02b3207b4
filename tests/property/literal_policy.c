/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "literal.h"
#include "naive_clock.h"

enum { NOTHING = -1, LAST_OF_LIST = 64 };

typedef struct lane {
    double start;
    long   task, kept; /* it runs; was aborted for it */
    long   thief;      /* for whom it is to abort */
    long  *list;       /* plan+steal: what waits */
    size_t waiting;
} lane;

struct literal_policy {
    const sample *s;
    int           lists;
    double        tolerance;
    double       *time[2]; /* by hs_type: estimates, and what was learnt */
    char         *queued;  /* heteroprio: of tasks */
    lane         *lane;
};

static hs_type type_of(const literal_policy *l, unsigned worker)
{
    return worker < l->s->m ? HS_CPU : HS_GPU;
}

static int64_t priority(const literal_policy *l, long task)
{
    return l->s->priority[task];
}

static double time_left_to(const literal_policy *l, unsigned w)
{
    return l->time[type_of(l, w)][l->lane[w].task];
}

static int is_late(const literal_policy *l, unsigned w, double now)
{
    return now > l->lane[w].start + time_left_to(l, w) * (1 + l->tolerance);
}

static double load(const literal_policy *l, unsigned w)
{
    double sum = 0;
    size_t i;

    for (i = 0; i < l->lane[w].waiting; i++)
        sum += l->time[type_of(l, w)][l->lane[w].list[i]];
    return sum;
}

/* When a worker will have run its task and what takes `more`. */
static double finish(const literal_policy *l, unsigned w, double more, double now)
{
    const lane *a = &l->lane[w];

    if (a->task == NOTHING)
        return now + more;
    if (is_late(l, w, now))
        return now + (now - a->start) + more;
    return a->start + time_left_to(l, w) + more;
}

static int helps(const literal_policy *l, unsigned w, double more, double time, double now)
{
    if (l->lane[w].task != NOTHING && is_late(l, w, now))
        return now - l->lane[w].start > time - more;
    return now + time < finish(l, w, more, now);
}

static double of_bits(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The first moment after now from which it helps, if nothing else happens. */
static double first_help(const literal_policy *l, unsigned w, double more, double time, double now)
{
    uint64_t low = bits_of(now), high = bits_of(INFINITY); /* not yet, and certainly */

    if (l->lane[w].task == NOTHING || isinf(time))
        return INFINITY;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;

        if (helps(l, w, more, time, of_bits(middle)))
            high = middle;
        else
            low = middle;
    }
    return of_bits(high);
}

static int nearer_to_gpus(const literal_policy *l, size_t a, size_t b)
{
    int rho = literal_compare_ratios(l->s->p[a], l->s->q[a], l->s->p[b], l->s->q[b]);

    if (rho)
        return rho > 0;
    if (priority(l, (long)a) == priority(l, (long)b))
        return a < b;
    return (priority(l, (long)a) > priority(l, (long)b)) == (l->s->p[a] >= l->s->q[a]);
}

static long from_queue(literal_policy *l, hs_type type)
{
    long   found = NOTHING;
    size_t i;

    for (i = 0; i < l->s->n; i++)
        if (l->queued[i] &&
            (found == NOTHING || nearer_to_gpus(l, i, (size_t)found) == (type == HS_GPU)))
            found = (long)i;
    if (found == NOTHING || isinf(l->time[type][found]))
        return NOTHING;
    l->queued[found] = 0;
    return found;
}

static long take_from_list(lane *from, size_t at)
{
    long task = from->list[at];

    memmove(&from->list[at], &from->list[at + 1], (--from->waiting - at) * sizeof *from->list);
    return task;
}

/* The best of the last in a worker's list, or NOTHING. */
static long steal_from(literal_policy *l, unsigned w, hs_type type, double now)
{
    lane  *from = &l->lane[w];
    double more = load(l, w), end = finish(l, w, more, now), least = INFINITY;
    size_t i, best = 0;
    int    found = 0;

    for (i = from->waiting; i-- && i + LAST_OF_LIST >= from->waiting;) {
        double time = l->time[type][from->list[i]];
        double later = fmax(end - l->time[type_of(l, w)][from->list[i]], now + time);

        if (!helps(l, w, more, time, now) || (found && later >= least))
            continue;
        found = 1;
        best = i;
        least = later;
    }
    return found ? take_from_list(from, best) : NOTHING;
}

static long steal(literal_policy *l, hs_type type, double now)
{
    unsigned workers = l->s->m + l->s->k, tried, w;
    long     task = NOTHING;
    char    *seen = literal_memory(workers, 1);

    for (tried = 0; tried < workers && task == NOTHING; tried++) {
        long last = NOTHING;

        for (w = 0; w < workers; w++)
            if (!seen[w] && l->lane[w].waiting &&
                (last == NOTHING || finish(l, w, load(l, w), now) >
                                        finish(l, (unsigned)last, load(l, (unsigned)last), now)))
                last = w;
        if (last == NOTHING)
            break;
        seen[last] = 1;
        task = steal_from(l, (unsigned)last, type, now);
    }
    free(seen);
    return task;
}

static int may_be_taken(const literal_policy *l, unsigned w, hs_type by)
{
    const lane *a = &l->lane[w];

    return type_of(l, w) != by && a->task != NOTHING && a->thief == NOTHING &&
           (!l->s->restartable || l->s->restartable[a->task]);
}

static int considered_before(const literal_policy *l, unsigned a, unsigned b, double now)
{
    double end_a = finish(l, a, 0, now), end_b = finish(l, b, 0, now);
    long   x = l->lane[a].task, y = l->lane[b].task;

    if (end_a != end_b)
        return end_a > end_b;
    return priority(l, x) != priority(l, y) ? priority(l, x) > priority(l, y) : x < y;
}

static long find_victim(const literal_policy *l, hs_type by, double now)
{
    long     found = NOTHING;
    unsigned w;

    for (w = 0; w < l->s->m + l->s->k; w++)
        if (may_be_taken(l, w, by) && helps(l, w, 0, l->time[by][l->lane[w].task], now) &&
            (found == NOTHING || considered_before(l, w, (unsigned)found, now)))
            found = w;
    return found;
}

static double when_to_ask(const literal_policy *l, hs_type type, double now)
{
    double   until = INFINITY;
    unsigned w;
    size_t   i;

    for (w = 0; w < l->s->m + l->s->k; w++) {
        const lane *a = &l->lane[w];

        if (may_be_taken(l, w, type))
            until = fmin(until, first_help(l, w, 0, l->time[type][a->task], now));
        for (i = a->waiting; i-- && i + LAST_OF_LIST >= a->waiting;)
            until = fmin(until, first_help(l, w, load(l, w), l->time[type][a->list[i]], now));
    }
    return until;
}

static long find_task(literal_policy *l, unsigned worker, double now)
{
    lane *me = &l->lane[worker];
    long  task = me->kept;

    me->kept = NOTHING;
    if (task != NOTHING)
        return task;
    if (!l->lists)
        return from_queue(l, type_of(l, worker));
    return me->waiting ? take_from_list(me, 0) : steal(l, type_of(l, worker), now);
}

static void next(void *self, unsigned worker, double now, hs_decision *out)
{
    literal_policy *l = self;
    hs_type         type = type_of(l, worker);
    long            task = find_task(l, worker, now), victim;

    *out = (hs_decision){.kind = HS_DECIDE_START, .task = (uint32_t)task};
    if (task != NOTHING) {
        l->lane[worker].task = task;
        l->lane[worker].start = now;
        return;
    }
    victim = find_victim(l, type, now);
    if (victim != NOTHING) {
        l->lane[victim].thief = worker;
        *out = (hs_decision){HS_DECIDE_TAKE, (uint32_t)l->lane[victim].task, (unsigned)victim, 0};
    } else {
        *out = (hs_decision){.kind = HS_DECIDE_WAIT, .until = when_to_ask(l, type, now)};
    }
}

static void ended(void *self, unsigned worker, uint32_t task, hs_ending how, double now)
{
    literal_policy *l = self;
    lane           *a = &l->lane[worker];

    if (how == HS_ENDING_ABORTED) {
        if (is_late(l, worker, now))
            l->time[type_of(l, worker)][task] = 2 * (now - a->start);
        l->lane[a->thief].kept = task;
    }
    a->task = a->thief = NOTHING;
}

decider literal_policy_decider(literal_policy *l)
{
    return (decider){l, NULL, next, ended};
}

static void fill_list(lane *a, const hs_schedule *lists, unsigned worker)
{
    size_t          count, i;
    const hs_entry *entry = hs_schedule_entries(lists, worker, &count);

    a->list = literal_memory(count + 1, sizeof *a->list);
    for (i = 0; i < count; i++)
        if (entry[i].state == HS_RUN)
            a->list[a->waiting++] = entry[i].task;
}

literal_policy *literal_policy_create(const sample *s, const hs_schedule *lists, double tolerance)
{
    literal_policy *l = literal_memory(1, sizeof *l);
    unsigned        w;

    *l = (literal_policy){.s = s, .lists = lists != NULL, .tolerance = tolerance};
    l->time[HS_CPU] = literal_memory(s->n + 1, sizeof(double));
    l->time[HS_GPU] = literal_memory(s->n + 1, sizeof(double));
    memcpy(l->time[HS_CPU], s->p, s->n * sizeof(double));
    memcpy(l->time[HS_GPU], s->q, s->n * sizeof(double));
    l->queued = literal_memory(s->n + 1, 1);
    memset(l->queued, 1, s->n);
    l->lane = literal_memory((size_t)s->m + s->k, sizeof *l->lane);
    for (w = 0; w < s->m + s->k; w++) {
        l->lane[w] = (lane){.task = NOTHING, .kept = NOTHING, .thief = NOTHING};
        if (lists)
            fill_list(&l->lane[w], lists, w);
    }
    return l;
}

void literal_policy_free(literal_policy *l)
{
    unsigned w;

    for (w = 0; w < l->s->m + l->s->k; w++)
        free(l->lane[w].list);
    free(l->lane);
    free(l->queued);
    free(l->time[HS_CPU]);
    free(l->time[HS_GPU]);
    free(l);
}
