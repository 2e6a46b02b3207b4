/* SPDX-License-Identifier: BSD-3-Clause */
#include "policy/worker_states.h"

#include <math.h>
#include <stdlib.h>

#include "core/order.h"
#include "support/ratio.h"

/* the thief of a task, after the requesting worker has retired */
#define RETIRED (HS_NONE - 1)

hs_status hsi_states_open(hsi_worker_states *states, const hsi_problem *pb,
                          const hs_instance *estimates, double tolerance)
{
    size_t workers = (size_t)pb->m + pb->k, w;

    *states = (hsi_worker_states){.pb = pb, .tolerance = tolerance};
    states->of = malloc(workers * sizeof *states->of);
    states->barred = calloc(pb->n + 1, 1);
    if (!states->of || !states->barred ||
        hsi_history_open(&states->history, estimates, tolerance, pb->token) != HS_OK) {
        hsi_states_close(states);
        return HS_ENOMEM;
    }
    for (w = 0; w < workers; w++)
        states->of[w] = (hsi_worker_state){.task = HS_NONE,
                                           .thief = HS_NONE,
                                           .victim = HS_NONE,
                                           .requested = HS_NONE,
                                           .reserved = HS_NONE,
                                           .prefetched = HS_NONE,
                                           .prefetched_thief = HS_NONE};
    return HS_OK;
}

void hsi_states_close(hsi_worker_states *states)
{
    free(states->of);
    free(states->barred);
    hsi_history_close(&states->history);
    *states = (hsi_worker_states){0};
}

/* Return the time after its start at which a worker's running task is late. */
static double time_until_late(const hsi_worker_states *states, unsigned worker)
{
    return hsi_states_time(states, hsi_states_type(states, worker), states->of[worker].task) *
           (1 + states->tolerance);
}

static bool is_late(const hsi_worker_states *states, unsigned worker, double now)
{
    return now > states->of[worker].start + time_until_late(states, worker);
}

double hsi_states_expected_end(const hsi_worker_states *states, unsigned worker, double now)
{
    const hsi_worker_state *m = &states->of[worker];

    if (m->task == HS_NONE)
        return now;
    if (is_late(states, worker, now))
        return now + (now - m->start);
    return m->start + hsi_states_time(states, hsi_states_type(states, worker), m->task);
}

/* Return the first time after `earliest` at which a task started at `start` has lasted more than
 * `time`. */
static double first_time_after(double earliest, double start, double time)
{
    double moment = fmax(nextafter(earliest, INFINITY), start + time);

    while (!(moment - start > time) && !isinf(moment))
        moment = nextafter(moment, INFINITY);
    return moment;
}

double hsi_states_steal_time(const hsi_worker_states *states, unsigned worker, double load,
                             double time, double now)
{
    const hsi_worker_state *m = &states->of[worker];
    double                  end;

    if (isinf(time))
        return INFINITY;
    end = hsi_states_expected_end(states, worker, now);
    if (m->task == HS_NONE)
        return now + time < now + load ? now : INFINITY;
    if (!is_late(states, worker, now) && now + time < end + load)
        return now;
    /* the condition now + time < now + (now - start) + load, solved for `now` */
    if (is_late(states, worker, now) && now - m->start > time - load)
        return now;
    return first_time_after(m->start + time_until_late(states, worker), m->start, time - load);
}

/* A running task as seen by a thief of the other type. */
typedef struct running_task {
    double start, estimate;
    double unit;           /* the estimate, increased by the tolerance: a longer time is
                              a misestimate */
    double time;           /* expected time on the thief's type */
    double overrun_factor; /* divisor: for a task beyond all history the remaining time is the
                              elapsed time over this factor */
    const hsi_ratios *kind, *type; /* history of the task's kernel on the victim's type, and of
                                      the whole type; NULL: unused */
} running_task;

/* Return the running task of a worker, with history, or from estimates alone if transfers take
 * time. */
static running_task running_of(const hsi_worker_states *states, unsigned worker)
{
    const hsi_history      *x = &states->history;
    const hsi_worker_state *m = &states->of[worker];
    hs_type type = hsi_states_type(states, worker), other = type == HS_CPU ? HS_GPU : HS_CPU;
    const hsi_ratios *on_other = hsi_history_ratios(x, other, m->task);
    running_task      p = {.start = m->start,
                           .estimate = hsi_states_time(states, type, m->task),
                           .unit = time_until_late(states, worker),
                           .time = hsi_states_time(states, other, m->task),
                           .overrun_factor = 1};

    if (states->inputs)
        return p;
    p.time *= hsi_ratios_pessimistic(on_other);
    p.overrun_factor += hsi_ratios_misestimate_share(on_other);
    p.kind = hsi_history_ratios(x, type, m->task);
    p.type = x->of[type];
    return p;
}

/* Return the expected ratio of the task's final time to its estimate; 0: the task has lasted longer
 * than all history. */
static double expected_ratio(const running_task *p, double now)
{
    double ratio = p->kind ? hsi_ratios_expected(p->kind, p->start, p->unit, now) : 0;

    if (ratio == 0 && p->type)
        ratio = hsi_ratios_expected(p->type, p->start, p->unit, now);
    return ratio == 0 && now <= p->start + p->unit ? 1 : ratio;
}

/*
 * Return the expected time of the task on the thief. A late task is assumed to be long, not its
 * worker slow: the thief's time grows by elapsed time over estimate. The factor is limited to
 * HSI_RATIO_MOST, since beyond it the task may hang where it runs.
 */
static double time_of_thief(const running_task *p, double now)
{
    if (!(now > p->start + p->unit))
        return p->time;
    return p->time * fmin((now - p->start) / p->estimate, HSI_RATIO_MOST);
}

/*
 * Return the elapsed time after which a task beyond all history is worth spoliating for a thief
 * that waits `wait` for the inputs: then `wait` plus the thief's time is less than the remaining
 * time, taken as the elapsed time divided by overrun_factor.
 */
static double elapsed_worth_spoliating(const running_task *p, double wait)
{
    double part = 1 / p->overrun_factor - p->time / p->estimate; /* gain per time since the start
                                                                    of the task */
    double stuck = (wait + HSI_RATIO_MOST * p->time) * p->overrun_factor;

    return part > 0 ? fmin(wait / part, stuck) : stuck;
}

/* Return true if a thief whose inputs arrive at `inputs_at` should spoliate the task at `now`. Each
 * side of each comparison is monotonic in time, rounding included. */
static bool is_worth_spoliating(const running_task *p, double inputs_at, double now)
{
    double ratio = expected_ratio(p, now);

    if (ratio == 0)
        return now - p->start > elapsed_worth_spoliating(p, inputs_at - now);
    return inputs_at + time_of_thief(p, now) < p->start + ratio * p->estimate;
}

/* Lower *until to the moment at which the task outlasts `ratio`, if spoliating the task is worth it
 * then. Raise *last to this moment in any case. */
static void when_outlasted(const running_task *p, double ratio, double now, double *last,
                           double *until)
{
    double moment = nextafter(p->start + ratio * p->unit, INFINITY);

    *last = fmax(*last, moment);
    if (moment > now && moment < *until && is_worth_spoliating(p, moment, moment))
        *until = moment;
}

/*
 * Return the first time after `now` at which spoliating the task is worth it, INFINITY if never.
 * With unchanged history the gain shrinks over time, except when the task becomes late, outlasts a
 * bin, or outlasts the last bin: only these moments are tried.
 */
static double when_worth_spoliating(const running_task *p, double now)
{
    double   last = now, until = INFINITY;
    unsigned i;

    when_outlasted(p, 1, now, &last, &until);
    for (i = 0; i < HSI_RATIO_BINS; i++) {
        if (p->kind->bin[i].count)
            when_outlasted(p, hsi_ratios_bin_limit(p->kind, i), now, &last, &until);
        if (p->type->bin[i].count)
            when_outlasted(p, hsi_ratios_bin_limit(p->type, i), now, &last, &until);
    }
    return isinf(until) ? first_time_after(last, p->start, elapsed_worth_spoliating(p, 0)) : until;
}

/* Return true if the other type may spoliate the running task of a worker, or with `prefetched`
 * the prefetched task. */
static bool may_be_spoliated(const hsi_worker_states *states, unsigned worker, int prefetched)
{
    const hsi_worker_state *m = &states->of[worker];
    hs_type                 other = hsi_states_type(states, worker) == HS_CPU ? HS_GPU : HS_CPU;
    uint32_t                task = prefetched ? m->prefetched : m->task;
    uint32_t                thief = prefetched ? m->prefetched_thief : m->thief;

    return task != HS_NONE && thief == HS_NONE && hsi_is_restartable(states->pb, task) &&
           !isinf(hsi_states_time(states, other, task)) && !(states->barred[task] >> other & 1);
}

double hsi_states_spoliation_time(const hsi_worker_states *states, unsigned worker, double now)
{
    running_task p;

    if (!may_be_spoliated(states, worker, 0))
        return INFINITY;
    p = running_of(states, worker);
    return is_worth_spoliating(&p, now, now) ? now : when_worth_spoliating(&p, now);
}

double hsi_states_expected_end_with_prefetched(const hsi_worker_states *states, unsigned worker,
                                               double now)
{
    const hsi_worker_state *m = &states->of[worker];
    double                  end = hsi_states_expected_end(states, worker, now);

    if (m->prefetched == HS_NONE)
        return end;
    return fmax(end, m->inputs_at) +
           hsi_states_time(states, hsi_states_type(states, worker), m->prefetched);
}

/* A task that may be spoliated. */
typedef struct victim_task {
    unsigned worker;
    uint32_t task;
    int      second; /* whether this is the prefetched task of `worker`; else the running task */
    double   end;    /* expected end of the task on `worker` */
} victim_task;

/* Return the expected end of the running task, by history. */
static double end_of(const hsi_worker_states *states, unsigned worker, double now)
{
    running_task p = running_of(states, worker);
    double       ratio = expected_ratio(&p, now);

    return ratio > 0 ? p.start + ratio * p.estimate : now + (now - p.start) / p.overrun_factor;
}

/*
 * Fill *b with the running task of a worker, or with `prefetched` the prefetched task. Return false
 * if that task does not exist or may not be spoliated. Without transfers a prefetched task is never
 * a candidate, since its worker may start it at any moment.
 */
static bool is_candidate(const hsi_worker_states *states, unsigned worker, int prefetched,
                         double now, victim_task *b)
{
    const hsi_worker_state *m = &states->of[worker];
    uint32_t                task = prefetched ? m->prefetched : m->task;

    if ((prefetched && !states->inputs) || !may_be_spoliated(states, worker, prefetched))
        return false;
    if (states->rule.least_ratio > 0 && hsi_compare_ratios(states->pb->p[task], states->pb->q[task],
                                                           states->rule.least_ratio, 1) < 0)
        return false;
    b->worker = worker;
    b->task = task;
    b->second = prefetched;
    b->end = prefetched ? hsi_states_expected_end_with_prefetched(states, worker, now)
                        : end_of(states, worker, now);
    return true;
}

/* Return the time at which the last input of the candidate would arrive at the thief. */
static double arrival_at_thief(const hsi_worker_states *states, unsigned thief,
                               const victim_task *b, double now)
{
    return states->inputs ? hsi_inputs_arrival(states->inputs, b->task, thief, now) : now;
}

/* Return the time at which the thief would end a prefetched candidate. */
static double end_on_thief(const hsi_worker_states *states, unsigned thief, const victim_task *b,
                           double now)
{
    return arrival_at_thief(states, thief, b, now) +
           hsi_states_time(states, hsi_states_type(states, thief), b->task);
}

/* Return true if the victim started the task when it was due and has not outlasted its estimate:
 * the task stays there. */
static bool is_on_time(const hsi_worker_states *states, const victim_task *b, double now)
{
    return states->due && states->of[b->worker].start <= states->due[b->task] &&
           !is_late(states, b->worker, now);
}

static bool is_worth_taking(const hsi_worker_states *states, unsigned thief, const victim_task *b,
                            double now)
{
    running_task p;

    if (states->rule.always)
        return true;
    if (is_on_time(states, b, now))
        return false;
    if (b->second)
        return end_on_thief(states, thief, b, now) < b->end;
    p = running_of(states, b->worker);
    return is_worth_spoliating(&p, arrival_at_thief(states, thief, b, now), now);
}

/* Return true if candidate `a` comes before `b` in the order of the rule. */
static bool goes_before(const hsi_worker_states *states, const victim_task *a, const victim_task *b)
{
    int64_t priority_a = hsi_priority_of(states->pb, a->task);
    int64_t priority_b = hsi_priority_of(states->pb, b->task);

    if (states->rule.order != HSI_END_FIRST && priority_a != priority_b)
        return priority_a > priority_b;
    if (states->rule.order == HSI_RANK_ALONE)
        return hsi_task_comes_first(states->pb, a->task, b->task);
    if (a->end != b->end)
        return a->end > b->end;
    return priority_a != priority_b ? priority_a > priority_b : a->task < b->task;
}

static unsigned first_worker_of_other_type(const hsi_worker_states *states, unsigned worker)
{
    return worker < states->pb->m ? states->pb->m : 0;
}

static unsigned end_of_other_type(const hsi_worker_states *states, unsigned worker)
{
    return worker < states->pb->m ? states->pb->m + states->pb->k : states->pb->m;
}

uint32_t hsi_states_find_victim(const hsi_worker_states *states, unsigned thief, double now,
                                uint32_t *task)
{
    unsigned    end = end_of_other_type(states, thief), w;
    int         found = 0, second;
    victim_task best = {0};

    for (w = first_worker_of_other_type(states, thief); w < end; w++)
        for (second = 0; second < 2; second++) {
            victim_task b;

            if (!is_candidate(states, w, second, now, &b) ||
                !is_worth_taking(states, thief, &b, now) ||
                (found && !goes_before(states, &b, &best)))
                continue;
            best = b;
            found = 1;
        }
    if (!found)
        return HS_NONE;
    *task = best.task;
    return best.worker;
}

/* Return the time from which spoliating a late task, or the task prefetched behind it, helps the
 * thief. */
static double when_late_task_pays(const hsi_worker_states *states, unsigned thief,
                                  const victim_task *b, double now)
{
    double       start = states->of[b->worker].start;
    running_task p;

    if (b->second) /* the condition end_on_thief() < 2 now - start + time of the prefetched task,
                      solved for `now` */
        return start + (end_on_thief(states, thief, b, now) - now) -
               (b->end - hsi_states_expected_end(states, b->worker, now));
    p = running_of(states, b->worker);
    return first_time_after(
        now, start, elapsed_worth_spoliating(&p, arrival_at_thief(states, thief, b, now) - now));
}

/* Return the first time at which the candidate's worker is late or, for a late worker, at which the
 * thief may gain. */
static double next_time_worth(const hsi_worker_states *states, unsigned thief, const victim_task *b,
                              double now)
{
    const hsi_worker_state *m = &states->of[b->worker];
    double                  soonest = nextafter(now, INFINITY);

    if (!states->inputs && !is_on_time(states, b, now))
        return hsi_states_spoliation_time(states, b->worker, now);
    if (m->task == HS_NONE)
        return soonest; /* an idle worker asks for a task next */
    if (!is_late(states, b->worker, now))
        return fmax(nextafter(m->start + time_until_late(states, b->worker), INFINITY), soonest);
    return fmax(when_late_task_pays(states, thief, b, now), soonest);
}

double hsi_states_next_spoliation_from(const hsi_worker_states *states, unsigned thief,
                                       unsigned victim, double now)
{
    double      until = INFINITY;
    victim_task b;

    for (int second = 0; second < 2; second++)
        if (is_candidate(states, victim, second, now, &b))
            until = fmin(until, next_time_worth(states, thief, &b, now));
    return until;
}

double hsi_states_next_spoliation(const hsi_worker_states *states, unsigned thief, double now)
{
    unsigned end = end_of_other_type(states, thief), w;
    double   until = INFINITY;

    for (w = first_worker_of_other_type(states, thief); w < end; w++)
        until = fmin(until, hsi_states_next_spoliation_from(states, thief, w, now));
    return until;
}

/* Return the field for the thief of a running or prefetched task. */
static uint32_t *thief_of(hsi_worker_states *states, unsigned victim, uint32_t task)
{
    hsi_worker_state *v = &states->of[victim];

    return v->prefetched == task ? &v->prefetched_thief : &v->thief;
}

void hsi_states_request_spoliation(hsi_worker_states *states, unsigned thief, unsigned victim,
                                   uint32_t task)
{
    states->of[thief].victim = victim;
    states->of[thief].requested = task;
    *thief_of(states, victim, task) = thief;
}

bool hsi_states_pending_decision(hsi_worker_states *states, unsigned worker, hs_decision *out)
{
    hsi_worker_state *m = &states->of[worker];

    if (m->reserved != HS_NONE) {
        hs_decide_start(out, m->reserved);
        m->reserved = HS_NONE;
        return true;
    }
    if (m->victim != HS_NONE) {
        hs_decide_spoliate(out, m->requested, m->victim);
        return true;
    }
    if (m->prefetched != HS_NONE) {
        hs_decide_start(out, m->prefetched);
        m->prefetched = m->prefetched_thief = HS_NONE;
        return true;
    }
    return false;
}

/* Add the ratio of a finished task to the history. If the history changed, wake the types whose
 * workers found nothing to spoliate. */
static void add_to_history(hsi_worker_states *states, unsigned worker, double now, hs_wake *wake)
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
        if (states->no_spoliation_before[types[i]] > 0) {
            states->no_spoliation_before[types[i]] = 0;
            hs_wake_type(wake, types[i]);
        }
}

/*
 * Set which types may not spoliate an aborted task again: the thief's type, and the victim's if the
 * task was late. A task aborted before its start, while its inputs were on their way, stays free
 * for both.
 */
static void forbid_spoliation(hsi_worker_states *states, unsigned worker, double now)
{
    const hsi_worker_state *m = &states->of[worker];

    if (states->inputs && m->start >= now)
        return;
    if (m->thief < RETIRED)
        states->barred[m->task] |= (unsigned char)(1 << hsi_states_type(states, m->thief));
    if (is_late(states, worker, now))
        states->barred[m->task] |= (unsigned char)(1 << hsi_states_type(states, worker));
}

/* End the request of a thief: reserve an aborted task for it. Return true if the policy must give
 * the task to another worker. */
static bool give_to_thief(hsi_worker_states *states, uint32_t thief, uint32_t task, hs_ending how)
{
    if (thief < RETIRED) {
        states->of[thief].victim = HS_NONE;
        if (how == HS_ENDING_ABORTED) {
            states->of[thief].reserved = task;
            return false;
        }
    }
    return how == HS_ENDING_ABORTED || how == HS_ENDING_RETURNED;
}

bool hsi_states_record_end(hsi_worker_states *states, unsigned worker, uint32_t task, hs_ending how,
                           double now, hs_wake *wake)
{
    hsi_worker_state *m = &states->of[worker];
    uint32_t          thief;

    if (how == HS_ENDING_DONE || how == HS_ENDING_DROPPED)
        states->barred[task] = 0; /* another task may get the number */
    if (m->prefetched == task) {
        thief = m->prefetched_thief;
        m->prefetched = m->prefetched_thief = HS_NONE;
        return give_to_thief(states, thief, task, how);
    }
    if (m->task != task)
        return false;
    if (how == HS_ENDING_DONE)
        add_to_history(states, worker, now, wake);
    else if (how == HS_ENDING_ABORTED)
        forbid_spoliation(states, worker, now);
    thief = m->thief;
    m->task = m->thief = HS_NONE;
    return give_to_thief(states, thief, task, how);
}

bool hsi_states_retire(hsi_worker_states *states, unsigned worker, uint32_t *task)
{
    hsi_worker_state *m = &states->of[worker];
    uint32_t          reserved = m->reserved;

    if (m->victim != HS_NONE)
        *thief_of(states, m->victim, m->requested) = RETIRED;
    m->victim = m->reserved = HS_NONE;
    if (reserved == HS_NONE)
        return false;
    *task = reserved;
    return true;
}
