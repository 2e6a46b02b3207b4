/* SPDX-License-Identifier: BSD-3-Clause */
#include "policy/worker_states.h"

#include <math.h>
#include <stdlib.h>

#include "core/order.h"
#include "support/ratio.h"

#define RETIRED (HSI_NONE - 1) /* a thief that is no longer there */

hs_status hsi_states_open(hsi_worker_states *states, const hsi_problem *pb,
                          const hs_instance *estimates, double tolerance)
{
    size_t workers = (size_t)pb->m + pb->k, w;

    *states = (hsi_worker_states){.pb = pb, .tolerance = tolerance};
    states->of = malloc(workers * sizeof *states->of);
    states->barred = calloc(pb->n + 1, 1);
    if (!states->of || !states->barred ||
        hsi_history_open(&states->history, estimates, tolerance, pb->asker) != HS_OK) {
        hsi_states_close(states);
        return HS_ENOMEM;
    }
    for (w = 0; w < workers; w++)
        states->of[w] = (hsi_worker_state){.task = HSI_NONE,
                                           .thief = HSI_NONE,
                                           .victim = HSI_NONE,
                                           .requested = HSI_NONE,
                                           .reserved = HSI_NONE,
                                           .prefetched = HSI_NONE,
                                           .prefetched_thief = HSI_NONE};
    return HS_OK;
}

void hsi_states_close(hsi_worker_states *states)
{
    free(states->of);
    free(states->barred);
    hsi_history_close(&states->history);
    *states = (hsi_worker_states){0};
}

/* How long a worker's task may run before it is late. */
static double time_until_late(const hsi_worker_states *states, unsigned worker)
{
    return hsi_states_time(states, hsi_states_type(states, worker), states->of[worker].task) *
           (1 + states->tolerance);
}

static int is_late(const hsi_worker_states *states, unsigned worker, double now)
{
    return now > states->of[worker].start + time_until_late(states, worker);
}

double hsi_states_end(const hsi_worker_states *states, unsigned worker, double now)
{
    const hsi_worker_state *m = &states->of[worker];

    if (m->task == HSI_NONE)
        return now;
    if (is_late(states, worker, now))
        return now + (now - m->start);
    return m->start + hsi_states_time(states, hsi_states_type(states, worker), m->task);
}

/* The first moment behind `limit` at which what began at `start` has lasted longer than `time`. */
static double after(double limit, double start, double time)
{
    double moment = fmax(nextafter(limit, INFINITY), start + time);

    while (!(moment - start > time) && !isinf(moment))
        moment = nextafter(moment, INFINITY);
    return moment;
}

double hsi_states_worth(const hsi_worker_states *states, unsigned worker, double load, double time,
                        double now)
{
    const hsi_worker_state *m = &states->of[worker];
    double                  end;

    if (isinf(time))
        return INFINITY;
    end = hsi_states_end(states, worker, now);
    if (m->task == HSI_NONE)
        return now + time < now + load ? now : INFINITY;
    if (!is_late(states, worker, now) && now + time < end + load)
        return now;
    /* now + time < now + (now - start) + load */
    if (is_late(states, worker, now) && now - m->start > time - load)
        return now;
    return after(m->start + time_until_late(states, worker), m->start, time - load);
}

/* A running task, for a thief of the other type. */
typedef struct running {
    double            start, estimate;
    double            unit;           /* the estimate, and what passes for right */
    double            time;           /* to be counted on, on the other type */
    double            overrun_factor; /* how often that, if it has lasted longer than any */
    const hsi_ratios *kind, *type;    /* history on its type: of its kind, overall; NULL: unused */
} running;

/* Where transfers count, only estimates do, until a task is late. */
static running running_of(const hsi_worker_states *states, unsigned worker)
{
    const hsi_history      *x = &states->history;
    const hsi_worker_state *m = &states->of[worker];
    hs_type type = hsi_states_type(states, worker), other = type == HS_CPU ? HS_GPU : HS_CPU;
    const hsi_ratios *on_other = hsi_history_of(x, other, m->task);
    running           p = {.start = m->start,
                           .estimate = hsi_states_time(states, type, m->task),
                           .unit = time_until_late(states, worker),
                           .time = hsi_states_time(states, other, m->task),
                           .overrun_factor = 1};

    if (states->memory)
        return p;
    p.time *= hsi_ratios_pessimistic(on_other);
    p.overrun_factor += hsi_ratios_wrong_share(on_other);
    p.kind = hsi_history_of(x, type, m->task);
    p.type = x->of[type];
    return p;
}

/* The ratio to its estimate that it is expected to come to; 0: it has lasted longer than any. */
static double expected_ratio(const running *p, double now)
{
    double ratio = p->kind ? hsi_ratios_expected(p->kind, p->start, p->unit, now) : 0;

    if (ratio == 0 && p->type)
        ratio = hsi_ratios_expected(p->type, p->start, p->unit, now);
    return ratio == 0 && now <= p->start + p->unit ? 1 : ratio;
}

/*
 * A late task is long rather than unlucky: once a task has outlasted its estimate by more than the
 * tolerance, it is held to take the thief, too, as many times its time as it has taken its estimate
 * so far. But beyond HSI_RATIO_MOST times that estimate the task may be stuck where it runs.
 */
static double time_of_thief(const running *p, double now)
{
    if (!(now > p->start + p->unit))
        return p->time;
    return p->time * fmin((now - p->start) / p->estimate, HSI_RATIO_MOST);
}

/*
 * How long a task that has lasted longer than any must have lasted to be worth taking by a thief
 * that waits so long for its inputs: the wait and the thief's time are less than what is left,
 * which is as long again, or less than that where there is doubt.
 */
static double long_enough(const running *p, double wait)
{
    double part = 1 / p->overrun_factor - p->time / p->estimate; /* gain / time since the start */
    double stuck = (wait + HSI_RATIO_MOST * p->time) * p->overrun_factor;

    return part > 0 ? fmin(wait / part, stuck) : stuck;
}

/* Is it to be taken by a thief that has its inputs at `there`? Each side of each comparison changes
 * one way with time, rounding included. */
static int is_worth(const running *p, double inputs_at, double now)
{
    double ratio = expected_ratio(p, now);

    if (ratio == 0)
        return now - p->start > long_enough(p, inputs_at - now);
    return inputs_at + time_of_thief(p, now) < p->start + ratio * p->estimate;
}

/* The first moment, not before *until, at which it is worth it that a task outlasts that ratio. */
static void when_outlasted(const running *p, double ratio, double now, double *last, double *until)
{
    double moment = nextafter(p->start + ratio * p->unit, INFINITY);

    *last = fmax(*last, moment);
    if (moment > now && moment < *until && is_worth(p, moment, moment))
        *until = moment;
}

/*
 * While time passes and nothing is learnt, taking a task becomes worth less, but for the moments
 * at which it is late, at which it has outlasted a bin, and after which none is left.
 */
static double when_worth(const running *p, double now)
{
    double   last = now, until = INFINITY;
    unsigned i;

    when_outlasted(p, 1, now, &last, &until);
    for (i = 0; i < HSI_RATIO_BINS; i++) {
        if (p->kind->bin[i].count)
            when_outlasted(p, hsi_ratios_limit(p->kind, i), now, &last, &until);
        if (p->type->bin[i].count)
            when_outlasted(p, hsi_ratios_limit(p->type, i), now, &last, &until);
    }
    return isinf(until) ? after(last, p->start, long_enough(p, 0)) : until;
}

/* What it runs, or what waits for it. */
static int may_be_taken(const hsi_worker_states *states, unsigned worker, int second)
{
    const hsi_worker_state *m = &states->of[worker];
    hs_type                 other = hsi_states_type(states, worker) == HS_CPU ? HS_GPU : HS_CPU;
    uint32_t                task = second ? m->prefetched : m->task;
    uint32_t                thief = second ? m->prefetched_thief : m->thief;

    return task != HSI_NONE && thief == HSI_NONE && hsi_restartable(states->pb, task) &&
           !isinf(hsi_states_time(states, other, task)) && !(states->barred[task] >> other & 1);
}

double hsi_states_worth_spoliating(const hsi_worker_states *states, unsigned worker, double now)
{
    running p;

    if (!may_be_taken(states, worker, 0))
        return INFINITY;
    p = running_of(states, worker);
    return is_worth(&p, now, now) ? now : when_worth(&p, now);
}

double hsi_states_end_of_all(const hsi_worker_states *states, unsigned worker, double now)
{
    const hsi_worker_state *m = &states->of[worker];
    double                  end = hsi_states_end(states, worker, now);

    if (m->prefetched == HSI_NONE)
        return end;
    return fmax(end, m->inputs_at) +
           hsi_states_time(states, hsi_states_type(states, worker), m->prefetched);
}

/* A task that may be taken: what a worker runs, or what waits for it. */
typedef struct candidate {
    unsigned worker;
    uint32_t task;
    int      second; /* it waits */
    double   end;    /* as expected */
} candidate;

/* When what it runs is expected to end, by what tasks did that lasted as long. */
static double end_of(const hsi_worker_states *states, unsigned worker, double now)
{
    running p = running_of(states, worker);
    double  ratio = expected_ratio(&p, now);

    return ratio > 0 ? p.start + ratio * p.estimate : now + (now - p.start) / p.overrun_factor;
}

/* The worker's first (0) or second (1) task: 1 if it is there and may be taken. Where nothing has
 * to be moved a second one is nobody's but its own, who may start it at any moment. */
static int is_candidate(const hsi_worker_states *states, unsigned worker, int second, double now,
                        candidate *b)
{
    const hsi_worker_state *m = &states->of[worker];
    uint32_t                task = second ? m->prefetched : m->task;

    if ((second && !states->memory) || !may_be_taken(states, worker, second))
        return 0;
    if (states->rule.least_ratio > 0 && hsi_compare_ratios(states->pb->p[task], states->pb->q[task],
                                                           states->rule.least_ratio, 1) < 0)
        return 0;
    b->worker = worker;
    b->task = task;
    b->second = second;
    b->end = second ? hsi_states_end_of_all(states, worker, now) : end_of(states, worker, now);
    return 1;
}

/* When the thief would have its inputs. */
static double arrival(const hsi_worker_states *states, unsigned thief, const candidate *b,
                      double now)
{
    return states->memory ? hsi_memory_arrival(states->memory, b->task, thief, now) : now;
}

/* When the thief would end a task that waits. */
static double end_by(const hsi_worker_states *states, unsigned thief, const candidate *b,
                     double now)
{
    return arrival(states, thief, b, now) +
           hsi_states_time(states, hsi_states_type(states, thief), b->task);
}

/* It is left alone, as it began when it was due and has not outlasted its estimate. */
static int is_on_time(const hsi_worker_states *states, const candidate *b, double now)
{
    return states->due && states->of[b->worker].start <= states->due[b->task] &&
           !is_late(states, b->worker, now);
}

static int is_worth_taking(const hsi_worker_states *states, unsigned thief, const candidate *b,
                           double now)
{
    running p;

    if (states->rule.always)
        return 1;
    if (is_on_time(states, b, now))
        return 0;
    if (b->second)
        return end_by(states, thief, b, now) < b->end;
    p = running_of(states, b->worker);
    return is_worth(&p, arrival(states, thief, b, now), now);
}

/* Is one to be considered before the other? */
static int goes_before(const hsi_worker_states *states, const candidate *a, const candidate *b)
{
    int64_t priority_a = hsi_priority(states->pb, a->task);
    int64_t priority_b = hsi_priority(states->pb, b->task);

    if (states->rule.order != HSI_END_FIRST && priority_a != priority_b)
        return priority_a > priority_b;
    if (states->rule.order == HSI_RANK_ALONE)
        return hsi_comes_first(states->pb, a->task, b->task);
    if (a->end != b->end)
        return a->end > b->end;
    return priority_a != priority_b ? priority_a > priority_b : a->task < b->task;
}

static unsigned first_of_other(const hsi_worker_states *states, unsigned worker)
{
    return worker < states->pb->m ? states->pb->m : 0;
}

static unsigned end_of_other(const hsi_worker_states *states, unsigned worker)
{
    return worker < states->pb->m ? states->pb->m + states->pb->k : states->pb->m;
}

uint32_t hsi_states_victim(const hsi_worker_states *states, unsigned thief, double now,
                           uint32_t *task)
{
    unsigned  end = end_of_other(states, thief), w;
    int       found = 0, second;
    candidate best = {0};

    for (w = first_of_other(states, thief); w < end; w++)
        for (second = 0; second < 2; second++) {
            candidate b;

            if (!is_candidate(states, w, second, now, &b) ||
                !is_worth_taking(states, thief, &b, now) ||
                (found && !goes_before(states, &b, &best)))
                continue;
            best = b;
            found = 1;
        }
    if (!found)
        return HSI_NONE;
    *task = best.task;
    return best.worker;
}

/* From when on a late task, or one that waits behind it, helps the thief. */
static double late_worth(const hsi_worker_states *states, unsigned thief, const candidate *b,
                         double now)
{
    double  start = states->of[b->worker].start;
    running p;

    if (b->second) /* solve for `now`: end_by() < 2 now - start + time of the second task */
        return start + (end_by(states, thief, b, now) - now) -
               (b->end - hsi_states_end(states, b->worker, now));
    p = running_of(states, b->worker);
    return after(now, start, long_enough(&p, arrival(states, thief, b, now) - now));
}

/* The first moment at which a worker is late, or if it is, may be so late that it helps the thief.
 */
static double next_worth(const hsi_worker_states *states, unsigned thief, const candidate *b,
                         double now)
{
    const hsi_worker_state *m = &states->of[b->worker];
    double                  soonest = nextafter(now, INFINITY);

    if (!states->memory && !is_on_time(states, b, now))
        return hsi_states_worth_spoliating(states, b->worker, now);
    if (m->task == HSI_NONE)
        return soonest; /* it is about to ask */
    if (!is_late(states, b->worker, now))
        return fmax(nextafter(m->start + time_until_late(states, b->worker), INFINITY), soonest);
    return fmax(late_worth(states, thief, b, now), soonest);
}

double hsi_states_next_candidate(const hsi_worker_states *states, unsigned thief, unsigned worker,
                                 double now)
{
    double    until = INFINITY;
    candidate b;

    for (int second = 0; second < 2; second++)
        if (is_candidate(states, worker, second, now, &b))
            until = fmin(until, next_worth(states, thief, &b, now));
    return until;
}

double hsi_states_next_victim(const hsi_worker_states *states, unsigned thief, double now)
{
    unsigned end = end_of_other(states, thief), w;
    double   until = INFINITY;

    for (w = first_of_other(states, thief); w < end; w++)
        until = fmin(until, hsi_states_next_candidate(states, thief, w, now));
    return until;
}

void hsi_states_request(hsi_worker_states *states, unsigned thief, unsigned victim, uint32_t task)
{
    hsi_worker_state *v = &states->of[victim];

    states->of[thief].victim = victim;
    states->of[thief].requested = task;
    if (v->prefetched == task)
        v->prefetched_thief = thief;
    else
        v->thief = thief;
}

int hsi_states_pending(hsi_worker_states *states, unsigned worker, hs_decision *out)
{
    hsi_worker_state *m = &states->of[worker];

    if (m->reserved != HSI_NONE) {
        hs_decide_start(out, m->reserved);
        m->reserved = HSI_NONE;
        return 1;
    }
    if (m->victim != HSI_NONE) {
        hs_decide_take(out, m->requested, m->victim);
        return 1;
    }
    if (m->prefetched != HSI_NONE) {
        hs_decide_start(out, m->prefetched);
        m->prefetched = m->prefetched_thief = HSI_NONE;
        return 1;
    }
    return 0;
}

/* A task is done. Those who found nothing to take look again if that taught something. */
static void learn(hsi_worker_states *states, unsigned worker, double now, hs_wake *wake)
{
    static const hs_type    types[] = {HS_CPU, HS_GPU};
    const hsi_worker_state *m = &states->of[worker];
    hs_type                 type = hsi_states_type(states, worker);
    double                  estimate = hsi_states_time(states, type, m->task), ratio = 1;
    int                     i;

    if (now != m->start + estimate)
        ratio = (now - m->start) / estimate;
    if (!hsi_history_add(&states->history, type, m->task, ratio))
        return;
    for (i = 0; i < 2; i++)
        if (states->quiet[types[i]] > 0) {
            states->quiet[types[i]] = 0;
            hs_wake_type(wake, types[i]);
        }
}

/* A task was given up: who may not take it again? What has not begun may be taken at will. */
static void bar(hsi_worker_states *states, unsigned worker, double now)
{
    const hsi_worker_state *m = &states->of[worker];

    if (states->memory && m->start >= now)
        return;
    if (m->thief < RETIRED)
        states->barred[m->task] |= (unsigned char)(1 << hsi_states_type(states, m->thief));
    if (is_late(states, worker, now))
        states->barred[m->task] |= (unsigned char)(1 << hsi_states_type(states, worker));
}

/* What was asked for goes to who asked, unless it is not there any more. 1: it is anybody's. */
static int give_to_thief(hsi_worker_states *states, uint32_t thief, uint32_t task, hs_ending how)
{
    if (thief < RETIRED) {
        states->of[thief].victim = HSI_NONE;
        if (how == HS_ENDING_ABORTED) {
            states->of[thief].reserved = task;
            return 0;
        }
    }
    return how == HS_ENDING_ABORTED || how == HS_ENDING_BACK;
}

int hsi_states_ended(hsi_worker_states *states, unsigned worker, uint32_t task, hs_ending how,
                     double now, hs_wake *wake)
{
    hsi_worker_state *m = &states->of[worker];
    uint32_t          thief;

    if (m->prefetched == task) {
        thief = m->prefetched_thief;
        m->prefetched = m->prefetched_thief = HSI_NONE;
        return give_to_thief(states, thief, task, how);
    }
    if (m->task != task)
        return 0;
    if (how == HS_ENDING_DONE)
        learn(states, worker, now, wake);
    else if (how == HS_ENDING_ABORTED)
        bar(states, worker, now);
    thief = m->thief;
    m->task = m->thief = HSI_NONE;
    return give_to_thief(states, thief, task, how);
}

int hsi_states_retire(hsi_worker_states *states, unsigned worker, uint32_t *task)
{
    hsi_worker_state *m = &states->of[worker];
    uint32_t          reserved = m->reserved;

    if (m->victim != HSI_NONE)
        states->of[m->victim].thief = RETIRED;
    m->victim = m->reserved = HSI_NONE;
    if (reserved == HSI_NONE)
        return 0;
    *task = reserved;
    return 1;
}
