/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plan+steal in a graph: while all goes as it was planned, nobody does anything else, since a
 * worker that waits may be meant to. What is late is for whoever is idle: a task that is ready
 * after the time at which it starts by the plan goes to a worker, its own or not, that would end
 * it before its own is expected to. That one is expected to go on when it has ended what it runs,
 * and then to keep the plan's distances. Of such tasks the one that is due first is taken. If
 * there is none, what runs on the other type is taken as HeteroPrio does, but only what began late
 * or has outlasted its estimate.
 *
 * So with exact estimates this is the plan.
 *
 * O(log tasks) a task, and for each idle worker whom it concerns no more than the first few of
 * those that are late; what runs is looked at once a type, until there may be something to take.
 */
#include "policy/late.h"

#include <math.h>
#include <stdlib.h>

#include "core/order.h"
#include "policy/worker_states.h"
#include "policy/lists.h"
#include "policy/policy.h"
#include "policy/pool.h"
#include "policy/rehearsal.h"
#include "support/ordered_set.h"

enum { LOOKED_AT = 64 };

struct hs_policy_state {
    hs_policy        *policy;
    hsi_problem       pb;
    hsi_lists         lists;
    hsi_rehearsal     plan;
    int               begun;   /* it was rehearsed */
    hsi_ordered_set   waiting; /* what is ready and in a list; what is due first is at the front */
    uint32_t         *held;    /* of workers: so many of them are in its list */
    hsi_pool          orphans;
    unsigned char    *is_orphan; /* of tasks */
    hsi_worker_states states;
};

static void late_free(hs_policy_state *late)
{
    free(late->is_orphan);
    free(late->held);
    hsi_set_close(&late->waiting);
    hsi_states_close(&late->states);
    hsi_pool_close(&late->orphans);
    hsi_rehearsal_close(&late->plan);
    hsi_lists_close(&late->lists);
    hsi_problem_close(&late->pb);
    free(late);
}

static int is_before(const void *pb, uint32_t a, uint32_t b)
{
    return hsi_comes_first(pb, a, b);
}

static hs_status open_all(hs_policy_state *late, const hs_instance *estimates,
                          const hs_schedule *schedule, double tolerance)
{
    hs_status st = hsi_problem_of_tasks(estimates, &late->policy->asker, &late->pb);

    if (st == HS_OK)
        st = hsi_lists_open(&late->lists, &late->pb, schedule);
    if (st == HS_OK)
        st = hsi_rehearsal_open(&late->plan, estimates, &late->pb, &late->lists);
    if (st == HS_OK)
        st = hsi_pool_open(&late->orphans, &late->pb, HSI_POOL_SELDOM, 0);
    if (st == HS_OK)
        st = hsi_states_open(&late->states, &late->pb, estimates, tolerance);
    if (st != HS_OK)
        return st;
    hsi_set_open(&late->waiting, is_before, &late->pb);
    late->is_orphan = calloc(late->pb.n + 1, 1);
    late->held = calloc(late->lists.workers, sizeof *late->held);
    return late->is_orphan && late->held && !hsi_set_reserve(&late->waiting, late->pb.n)
               ? HS_OK
               : HS_ENOMEM;
}

static hs_status late_create(hs_policy *policy, const hs_instance *estimates,
                             const hs_schedule *schedule, const hs_policy_settings *settings,
                             hs_policy_state **out)
{
    hs_policy_state *late = calloc(1, sizeof *late);
    hs_status        st;

    if (!late)
        return HS_ENOMEM;
    late->policy = policy;
    st = open_all(late, estimates, schedule, settings->tolerance);
    if (st != HS_OK) {
        late_free(late);
        return st;
    }
    if (hsi_memory_counts(&policy->memory))
        late->states.memory = &policy->memory;
    late->states.due = late->plan.due;
    *out = late;
    return HS_OK;
}

static double due(const hs_policy_state *late, uint32_t task)
{
    return late->plan.due[task];
}

static void begin_waiting(hs_policy_state *late, uint32_t task)
{
    hsi_set_insert(&late->waiting, due(late, task), task);
    late->held[late->plan.owner[task]]++;
}

static void stop_waiting(hs_policy_state *late, uint32_t task)
{
    if (hsi_set_remove(&late->waiting, due(late, task), task))
        late->held[late->plan.owner[task]]--;
}

static int take_own(hs_policy_state *late, unsigned worker, uint32_t *task)
{
    hsi_list *list = &late->lists.of[worker];

    while (hsi_list_peek(list, task) && hsi_policy_forbids(late->policy, *task))
        list->next++;
    if (list->next == list->end || !hsi_policy_permits(late->policy, *task))
        return 0;
    list->next++;
    stop_waiting(late, *task);
    hsi_memory_foresee(&late->policy->memory, *task, worker);
    return 1;
}

/* From when on a worker is to take a task that waits for another one, or not first for itself:
 * `now`: at once, INFINITY: that is not to be expected. */
static double when_worth(hs_policy_state *late, unsigned worker, uint32_t task, double now)
{
    unsigned owner = late->plan.owner[task];
    hs_type  type = hsi_states_type(&late->states, worker);
    uint32_t first = task;
    double   time, load;

    if (now <= due(late, task))
        return nextafter(due(late, task), INFINITY);
    hsi_list_peek(&late->lists.of[owner], &first);
    time = hs_policy_arrival(late->policy, task, worker, now) - now +
           hsi_states_time(&late->states, type, task);
    load = due(late, task) - due(late, first) +
           hsi_states_time(&late->states, hsi_states_type(&late->states, owner), task);
    return hsi_states_worth(&late->states, owner, load, time, now);
}

/* 1 and what to take; 0 and when to ask again. */
static int take_late(hs_policy_state *late, unsigned worker, double now, uint32_t *task,
                     double *until)
{
    *until = INFINITY;
    for (size_t i = 0; i < late->waiting.count && i < LOOKED_AT; i++) {
        double from;

        *task = hsi_set_at(&late->waiting, HSI_SET_FRONT, i);
        from = when_worth(late, worker, *task, now);
        if (from <= now) {
            stop_waiting(late, *task);
            hsi_lists_skip(&late->lists, *task);
            return 1;
        }
        *until = fmin(*until, from);
        if (now <= due(late, *task))
            break; /* those behind it are due later */
    }
    return 0;
}

/* Is there one moment for all of a type before which nothing that runs is worth taking? */
static int is_quiet(const hs_policy_state *late, hs_type type, double now)
{
    return !late->states.memory && now < late->states.quiet[type];
}

static void help_or_wait(hs_policy_state *late, unsigned worker, double now, hs_decision *out)
{
    hs_type  type = hsi_states_type(&late->states, worker);
    uint32_t victim, task;
    double   until;

    if (take_late(late, worker, now, &task, &until)) {
        hs_decide_start(out, task);
        return;
    }
    if (!is_quiet(late, type, now)) {
        victim = hsi_states_victim(&late->states, worker, now, &task);
        if (victim != HSI_NONE) {
            hsi_states_request(&late->states, worker, victim, task);
            hs_decide_take(out, task, victim);
            return;
        }
        late->states.quiet[type] = hsi_states_next_victim(&late->states, worker, now);
    }
    hs_decide_wait(out, fmin(until, late->states.quiet[type]));
}

/* What the worker has now may be something for those of the other type who found nothing. */
static void announce_candidate(hs_policy_state *late, unsigned worker, double now, hs_wake *wake)
{
    hs_type  other = hsi_states_type(&late->states, worker) == HS_CPU ? HS_GPU : HS_CPU;
    unsigned thief = other == HS_CPU ? 0 : late->pb.m; /* where nothing is moved, any of them */
    double   worth;

    if (late->states.memory) {
        hs_wake_type(wake, other);
        return;
    }
    if (late->states.quiet[other] <= now)
        return;
    worth = hsi_states_next_candidate(&late->states, thief, worker, now);
    if (worth < late->states.quiet[other]) {
        late->states.quiet[other] = worth;
        hs_wake_type(wake, other);
    }
}

/* A worker has begun something: what is late in its list will wait longer, too. */
static void announce(hs_policy_state *late, unsigned worker, double now, hs_wake *wake)
{
    announce_candidate(late, worker, now, wake);
    if (late->held[worker] > 0 && due(late, hsi_set_at(&late->waiting, HSI_SET_FRONT, 0)) < now)
        hs_wake_all(wake);
}

static void late_next(hs_policy_state *late, unsigned worker, double now, hs_decision *out,
                      hs_wake *wake)
{
    hs_type  type = hsi_states_type(&late->states, worker);
    uint32_t task;

    if (!hsi_pool_serves(&late->orphans, worker))
        hs_decide_wait(out, INFINITY);
    else if (hsi_states_pending(&late->states, worker, out))
        ; /* what it has asked for comes first */
    else if (take_own(late, worker, &task) || hsi_pool_take(&late->orphans, type, &task))
        hs_decide_start(out, task);
    else
        help_or_wait(late, worker, now, out);
    if (out->kind != HS_DECIDE_START)
        return;
    hsi_states_start(&late->states, worker, out->task,
                     hs_policy_fetch(late->policy, out->task, worker, now));
    announce(late, worker, now, wake);
}

static void add_orphan(hs_policy_state *late, uint32_t task, hs_wake *wake)
{
    late->is_orphan[task] = 1;
    if (!hsi_policy_permits(late->policy, task))
        return;
    if (late->begun)
        stop_waiting(late, task);
    hsi_pool_add(&late->orphans, task);
    hs_wake_all(wake);
}

void hsi_late_ready(hs_policy_state *late, const uint32_t *tasks, size_t count, double now,
                    hs_wake *wake)
{
    (void)now;
    if (!late->begun)
        hsi_rehearse(&late->plan, &late->lists);
    late->begun = 1;
    for (size_t i = 0; i < count; i++)
        if (late->is_orphan[tasks[i]])
            hsi_pool_add(&late->orphans, tasks[i]);
        else
            begin_waiting(late, tasks[i]);
    if (count > 0)
        hs_wake_all(wake);
}

static void late_ended(hs_policy_state *late, unsigned worker, uint32_t task, hs_ending how,
                       double now, hs_wake *wake)
{
    if (hsi_states_ended(&late->states, worker, task, how, now, wake))
        add_orphan(late, task, wake);
    if (how == HS_ENDING_DROPPED)
        hs_wake_all(wake); /* some may have waited for what comes after it */
}

static void late_skip(hs_policy_state *late, uint32_t task)
{
    if (!late->begun)
        hsi_rehearsal_skip(&late->plan, task);
    hsi_lists_skip(&late->lists, task);
    hsi_pool_remove(&late->orphans, task); /* its worker has retired */
}

static void late_retire(hs_policy_state *late, unsigned worker, hs_wake *wake)
{
    uint32_t task;

    if (!hsi_pool_retire(&late->orphans, worker))
        return;
    if (hsi_states_retire(&late->states, worker, &task))
        add_orphan(late, task, wake);
    while (hsi_list_next(&late->lists.of[worker], &task))
        add_orphan(late, task, wake);
}

static int late_waiting(hs_policy_state *late, unsigned worker, uint32_t *task)
{
    return hsi_list_peek(&late->lists.of[worker], task);
}

static int late_stranded(hs_policy_state *late, uint32_t *task)
{
    return hsi_pool_stranded(&late->orphans, task);
}

const hs_policy_kind hsi_policy_late = {
    .struct_size = sizeof(hs_policy_kind),
    .name = "plan+steal",
    .needs_plan = 1,
    .create = late_create,
    .free = late_free,
    .next = late_next,
    .ended = late_ended,
    .skip = late_skip,
    .retire = late_retire,
    .stranded = late_stranded,
    .graphs = 1,
    .ready = hsi_late_ready,
    .waiting = late_waiting,
};
