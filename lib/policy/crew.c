/* SPDX-License-Identifier: BSD-3-Clause */
#include "policy/crew.h"

#include <math.h>
#include <stdlib.h>

#include "core/order.h"
#include "support/ratio.h"

#define RETIRED (HSI_NONE - 1) /* a thief that is no longer there */

hs_status hsi_crew_open(hsi_crew *crew, const hsi_problem *pb, const hs_instance *estimates,
                        double tolerance)
{
    size_t workers = (size_t)pb->m + pb->k, w;

    *crew = (hsi_crew){.pb = pb, .tolerance = tolerance};
    crew->member = malloc(workers * sizeof *crew->member);
    crew->barred = calloc(pb->n + 1, 1);
    if (!crew->member || !crew->barred ||
        hsi_experience_open(&crew->experience, estimates, tolerance, pb->asker) != HS_OK) {
        hsi_crew_close(crew);
        return HS_ENOMEM;
    }
    for (w = 0; w < workers; w++)
        crew->member[w] = (hsi_member){.task = HSI_NONE,
                                       .thief = HSI_NONE,
                                       .victim = HSI_NONE,
                                       .wanted = HSI_NONE,
                                       .kept = HSI_NONE,
                                       .ahead = HSI_NONE,
                                       .ahead_thief = HSI_NONE};
    return HS_OK;
}

void hsi_crew_close(hsi_crew *crew)
{
    free(crew->member);
    free(crew->barred);
    hsi_experience_close(&crew->experience);
    *crew = (hsi_crew){0};
}

/* How long a worker's task may run before it is late. */
static double patience(const hsi_crew *crew, unsigned worker)
{
    return hsi_crew_time(crew, hsi_crew_type(crew, worker), crew->member[worker].task) *
           (1 + crew->tolerance);
}

static int is_late(const hsi_crew *crew, unsigned worker, double now)
{
    return now > crew->member[worker].start + patience(crew, worker);
}

double hsi_crew_end(const hsi_crew *crew, unsigned worker, double now)
{
    const hsi_member *m = &crew->member[worker];

    if (m->task == HSI_NONE)
        return now;
    if (is_late(crew, worker, now))
        return now + (now - m->start);
    return m->start + hsi_crew_time(crew, hsi_crew_type(crew, worker), m->task);
}

/* The first moment behind `limit` at which what began at `start` has lasted longer than `time`. */
static double after(double limit, double start, double time)
{
    double moment = fmax(nextafter(limit, INFINITY), start + time);

    while (!(moment - start > time) && !isinf(moment))
        moment = nextafter(moment, INFINITY);
    return moment;
}

double hsi_crew_worth(const hsi_crew *crew, unsigned worker, double load, double time, double now)
{
    const hsi_member *m = &crew->member[worker];
    double            end;

    if (isinf(time))
        return INFINITY;
    end = hsi_crew_end(crew, worker, now);
    if (m->task == HSI_NONE)
        return now + time < now + load ? now : INFINITY;
    if (!is_late(crew, worker, now) && now + time < end + load)
        return now;
    /* now + time < now + (now - start) + load */
    if (is_late(crew, worker, now) && now - m->start > time - load)
        return now;
    return after(m->start + patience(crew, worker), m->start, time - load);
}

/* A running task, for a thief of the other type. */
typedef struct prize {
    double            start, estimate;
    double            unit;        /* the estimate, and what passes for right */
    double            time;        /* to be counted on, on the other type */
    double            unheard_of;  /* how often that, if it has lasted longer than any */
    const hsi_ratios *kind, *type; /* history on its type: of its kind, overall; NULL: unused */
} prize;

/* Where transfers count, only estimates do, until a task is late. */
static prize prize_of(const hsi_crew *crew, unsigned worker)
{
    const hsi_experience *x = &crew->experience;
    const hsi_member     *m = &crew->member[worker];
    hs_type           type = hsi_crew_type(crew, worker), other = type == HS_CPU ? HS_GPU : HS_CPU;
    const hsi_ratios *there = hsi_experience_of(x, other, m->task);
    prize             p = {.start = m->start,
                           .estimate = hsi_crew_time(crew, type, m->task),
                           .unit = patience(crew, worker),
                           .time = hsi_crew_time(crew, other, m->task),
                           .unheard_of = 1};

    if (crew->memory)
        return p;
    p.time *= hsi_ratios_careful(there);
    p.unheard_of += hsi_ratios_doubt(there);
    p.kind = hsi_experience_of(x, type, m->task);
    p.type = x->of[type];
    return p;
}

/* The ratio to its estimate that it is expected to come to; 0: it has lasted longer than any. */
static double expected_ratio(const prize *p, double now)
{
    double ratio = p->kind ? hsi_ratios_left(p->kind, p->start, p->unit, now) : 0;

    if (ratio == 0 && p->type)
        ratio = hsi_ratios_left(p->type, p->start, p->unit, now);
    return ratio == 0 && now <= p->start + p->unit ? 1 : ratio;
}

/*
 * A late task is long rather than unlucky: once a task has outlasted its estimate by more than the
 * tolerance, it is held to take the thief, too, as many times its time as it has taken its estimate
 * so far. But beyond HSI_RATIO_MOST times that estimate the task may be stuck where it runs.
 */
static double time_of_thief(const prize *p, double now)
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
static double long_enough(const prize *p, double wait)
{
    double part = 1 / p->unheard_of - p->time / p->estimate; /* gain / time since the start */
    double stuck = (wait + HSI_RATIO_MOST * p->time) * p->unheard_of;

    return part > 0 ? fmin(wait / part, stuck) : stuck;
}

/* Is it to be taken by a thief that has its inputs at `there`? Each side of each comparison changes
 * one way with time, rounding included. */
static int is_worth(const prize *p, double there, double now)
{
    double ratio = expected_ratio(p, now);

    if (ratio == 0)
        return now - p->start > long_enough(p, there - now);
    return there + time_of_thief(p, now) < p->start + ratio * p->estimate;
}

/* The first moment, not before *until, at which it is worth it that a task outlasts that ratio. */
static void when_outlasted(const prize *p, double ratio, double now, double *last, double *until)
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
static double when_worth(const prize *p, double now)
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
static int may_be_taken(const hsi_crew *crew, unsigned worker, int second)
{
    const hsi_member *m = &crew->member[worker];
    hs_type           other = hsi_crew_type(crew, worker) == HS_CPU ? HS_GPU : HS_CPU;
    uint32_t          task = second ? m->ahead : m->task;
    uint32_t          thief = second ? m->ahead_thief : m->thief;

    return task != HSI_NONE && thief == HSI_NONE && hsi_restartable(crew->pb, task) &&
           !isinf(hsi_crew_time(crew, other, task)) && !(crew->barred[task] >> other & 1);
}

double hsi_crew_worth_taking(const hsi_crew *crew, unsigned worker, double now)
{
    prize p;

    if (!may_be_taken(crew, worker, 0))
        return INFINITY;
    p = prize_of(crew, worker);
    return is_worth(&p, now, now) ? now : when_worth(&p, now);
}

double hsi_crew_end_of_all(const hsi_crew *crew, unsigned worker, double now)
{
    const hsi_member *m = &crew->member[worker];
    double            end = hsi_crew_end(crew, worker, now);

    if (m->ahead == HSI_NONE)
        return end;
    return fmax(end, m->there) + hsi_crew_time(crew, hsi_crew_type(crew, worker), m->ahead);
}

/* A task that may be taken: what a worker runs, or what waits for it. */
typedef struct booty {
    unsigned worker;
    uint32_t task;
    int      second; /* it waits */
    double   end;    /* as expected */
} booty;

/* When what it runs is expected to end, by what tasks did that lasted as long. */
static double end_of(const hsi_crew *crew, unsigned worker, double now)
{
    prize  p = prize_of(crew, worker);
    double ratio = expected_ratio(&p, now);

    return ratio > 0 ? p.start + ratio * p.estimate : now + (now - p.start) / p.unheard_of;
}

/* The worker's first (0) or second (1) task: 1 if it is there and may be taken. Where nothing has
 * to be moved a second one is nobody's but its own, who may start it at any moment. */
static int is_booty(const hsi_crew *crew, unsigned worker, int second, double now, booty *b)
{
    const hsi_member *m = &crew->member[worker];
    uint32_t          task = second ? m->ahead : m->task;

    if ((second && !crew->memory) || !may_be_taken(crew, worker, second))
        return 0;
    if (crew->taking.leave > 0 &&
        hsi_compare_ratios(crew->pb->p[task], crew->pb->q[task], crew->taking.leave, 1) < 0)
        return 0;
    b->worker = worker;
    b->task = task;
    b->second = second;
    b->end = second ? hsi_crew_end_of_all(crew, worker, now) : end_of(crew, worker, now);
    return 1;
}

/* When the thief would have its inputs. */
static double arrival(const hsi_crew *crew, unsigned thief, const booty *b, double now)
{
    return crew->memory ? hsi_memory_arrival(crew->memory, b->task, thief, now) : now;
}

/* When the thief would end a task that waits. */
static double end_by(const hsi_crew *crew, unsigned thief, const booty *b, double now)
{
    return arrival(crew, thief, b, now) + hsi_crew_time(crew, hsi_crew_type(crew, thief), b->task);
}

/* It is left alone, as it began when it was due and has not outlasted its estimate. */
static int is_on_time(const hsi_crew *crew, const booty *b, double now)
{
    return crew->due && crew->member[b->worker].start <= crew->due[b->task] &&
           !is_late(crew, b->worker, now);
}

static int is_worth_it(const hsi_crew *crew, unsigned thief, const booty *b, double now)
{
    prize p;

    if (crew->taking.anyhow)
        return 1;
    if (is_on_time(crew, b, now))
        return 0;
    if (b->second)
        return end_by(crew, thief, b, now) < b->end;
    p = prize_of(crew, b->worker);
    return is_worth(&p, arrival(crew, thief, b, now), now);
}

/* Is one to be considered before the other? */
static int goes_before(const hsi_crew *crew, const booty *a, const booty *b)
{
    int64_t priority_a = hsi_priority(crew->pb, a->task);
    int64_t priority_b = hsi_priority(crew->pb, b->task);

    if (crew->taking.order != HSI_END_FIRST && priority_a != priority_b)
        return priority_a > priority_b;
    if (crew->taking.order == HSI_RANK_ALONE)
        return hsi_comes_first(crew->pb, a->task, b->task);
    if (a->end != b->end)
        return a->end > b->end;
    return priority_a != priority_b ? priority_a > priority_b : a->task < b->task;
}

static unsigned first_of_other(const hsi_crew *crew, unsigned worker)
{
    return worker < crew->pb->m ? crew->pb->m : 0;
}

static unsigned end_of_other(const hsi_crew *crew, unsigned worker)
{
    return worker < crew->pb->m ? crew->pb->m + crew->pb->k : crew->pb->m;
}

uint32_t hsi_crew_victim(const hsi_crew *crew, unsigned thief, double now, uint32_t *task)
{
    unsigned end = end_of_other(crew, thief), w;
    int      found = 0, second;
    booty    best = {0};

    for (w = first_of_other(crew, thief); w < end; w++)
        for (second = 0; second < 2; second++) {
            booty b;

            if (!is_booty(crew, w, second, now, &b) || !is_worth_it(crew, thief, &b, now) ||
                (found && !goes_before(crew, &b, &best)))
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
static double late_worth(const hsi_crew *crew, unsigned thief, const booty *b, double now)
{
    double start = crew->member[b->worker].start;
    prize  p;

    if (b->second) /* solve for `now`: end_by() < 2 now - start + time of the second task */
        return start + (end_by(crew, thief, b, now) - now) -
               (b->end - hsi_crew_end(crew, b->worker, now));
    p = prize_of(crew, b->worker);
    return after(now, start, long_enough(&p, arrival(crew, thief, b, now) - now));
}

/* The first moment at which a worker is late, or if it is, may be so late that it helps the thief.
 */
static double next_worth(const hsi_crew *crew, unsigned thief, const booty *b, double now)
{
    const hsi_member *m = &crew->member[b->worker];
    double            soonest = nextafter(now, INFINITY);

    if (!crew->memory && !is_on_time(crew, b, now))
        return hsi_crew_worth_taking(crew, b->worker, now);
    if (m->task == HSI_NONE)
        return soonest; /* it is about to ask */
    if (!is_late(crew, b->worker, now))
        return fmax(nextafter(m->start + patience(crew, b->worker), INFINITY), soonest);
    return fmax(late_worth(crew, thief, b, now), soonest);
}

double hsi_crew_next_booty(const hsi_crew *crew, unsigned thief, unsigned worker, double now)
{
    double until = INFINITY;
    booty  b;

    for (int second = 0; second < 2; second++)
        if (is_booty(crew, worker, second, now, &b))
            until = fmin(until, next_worth(crew, thief, &b, now));
    return until;
}

double hsi_crew_next_victim(const hsi_crew *crew, unsigned thief, double now)
{
    unsigned end = end_of_other(crew, thief), w;
    double   until = INFINITY;

    for (w = first_of_other(crew, thief); w < end; w++)
        until = fmin(until, hsi_crew_next_booty(crew, thief, w, now));
    return until;
}

void hsi_crew_ask(hsi_crew *crew, unsigned thief, unsigned victim, uint32_t task)
{
    hsi_member *v = &crew->member[victim];

    crew->member[thief].victim = victim;
    crew->member[thief].wanted = task;
    if (v->ahead == task)
        v->ahead_thief = thief;
    else
        v->thief = thief;
}

int hsi_crew_pending(hsi_crew *crew, unsigned worker, hs_decision *out)
{
    hsi_member *m = &crew->member[worker];

    if (m->kept != HSI_NONE) {
        hs_decide_start(out, m->kept);
        m->kept = HSI_NONE;
        return 1;
    }
    if (m->victim != HSI_NONE) {
        hs_decide_take(out, m->wanted, m->victim);
        return 1;
    }
    if (m->ahead != HSI_NONE) {
        hs_decide_start(out, m->ahead);
        m->ahead = m->ahead_thief = HSI_NONE;
        return 1;
    }
    return 0;
}

/* A task is done. Those who found nothing to take look again if that taught something. */
static void learn(hsi_crew *crew, unsigned worker, double now, hs_wake *wake)
{
    static const hs_type types[] = {HS_CPU, HS_GPU};
    const hsi_member    *m = &crew->member[worker];
    hs_type              type = hsi_crew_type(crew, worker);
    double               estimate = hsi_crew_time(crew, type, m->task), ratio = 1;
    int                  i;

    if (now != m->start + estimate)
        ratio = (now - m->start) / estimate;
    if (!hsi_experience_add(&crew->experience, type, m->task, ratio))
        return;
    for (i = 0; i < 2; i++)
        if (crew->quiet[types[i]] > 0) {
            crew->quiet[types[i]] = 0;
            hs_wake_type(wake, types[i]);
        }
}

/* A task was given up: who may not take it again? What has not begun may be taken at will. */
static void bar(hsi_crew *crew, unsigned worker, double now)
{
    const hsi_member *m = &crew->member[worker];

    if (crew->memory && m->start >= now)
        return;
    if (m->thief < RETIRED)
        crew->barred[m->task] |= (unsigned char)(1 << hsi_crew_type(crew, m->thief));
    if (is_late(crew, worker, now))
        crew->barred[m->task] |= (unsigned char)(1 << hsi_crew_type(crew, worker));
}

/* What was asked for goes to who asked, unless it is not there any more. 1: it is anybody's. */
static int hand_over(hsi_crew *crew, uint32_t thief, uint32_t task, hs_ending how)
{
    if (thief < RETIRED) {
        crew->member[thief].victim = HSI_NONE;
        if (how == HS_ENDING_ABORTED) {
            crew->member[thief].kept = task;
            return 0;
        }
    }
    return how == HS_ENDING_ABORTED || how == HS_ENDING_BACK;
}

int hsi_crew_ended(hsi_crew *crew, unsigned worker, uint32_t task, hs_ending how, double now,
                   hs_wake *wake)
{
    hsi_member *m = &crew->member[worker];
    uint32_t    thief;

    if (m->ahead == task) {
        thief = m->ahead_thief;
        m->ahead = m->ahead_thief = HSI_NONE;
        return hand_over(crew, thief, task, how);
    }
    if (m->task != task)
        return 0;
    if (how == HS_ENDING_DONE)
        learn(crew, worker, now, wake);
    else if (how == HS_ENDING_ABORTED)
        bar(crew, worker, now);
    thief = m->thief;
    m->task = m->thief = HSI_NONE;
    return hand_over(crew, thief, task, how);
}

int hsi_crew_retire(hsi_crew *crew, unsigned worker, uint32_t *task)
{
    hsi_member *m = &crew->member[worker];
    uint32_t    kept = m->kept;

    if (m->victim != HSI_NONE)
        crew->member[m->victim].thief = RETIRED;
    m->victim = m->kept = HSI_NONE;
    if (kept == HSI_NONE)
        return 0;
    *task = kept;
    return 1;
}
