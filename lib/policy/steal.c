/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plan+steal for independent tasks. A worker at the end of its list runs a task that has no worker
 * any more; else it steals a waiting task from the worker with the latest expected end, among those
 * where the task would end before the victim does; else it spoliates a task of the other type, as
 * in HeteroPrio.
 *
 * With exact estimates each theft leaves the latest end as early as before: the makespan is at most
 * that of the plan run without gaps, up to the rounding of sums.
 *
 * Only the end of a list is searched, the tasks that would run last: O(workers) per theft, for any
 * number of tasks. A worker that found no task searches again only after an event that may change
 * the result.
 *
 * For graphs see steal_graph.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policy/plan_lists.h"
#include "policy/policy.h"
#include "policy/ready_pool.h"
#include "policy/steal_graph.h"
#include "policy/worker_states.h"

enum { LOOKED_AT = 64 }; /* tasks searched at the end of a list */

typedef struct steal_state {
    hsi_problem       pb;
    hsi_plan_lists    lists;
    double           *load; /* indexed by worker: sum of the estimates in the list */
    hsi_ready_pool    orphans;
    hsi_worker_states states;
    bool              begun; /* whether lists are compact and loads are computed */
} steal_state;

static void steal_free(void *state)
{
    steal_state *steal = state;

    free(steal->load);
    hsi_states_close(&steal->states);
    hsi_ready_pool_close(&steal->orphans);
    hsi_plan_lists_close(&steal->lists);
    hsi_problem_close(&steal->pb);
    free(steal);
}

static hs_status create_steal(hs_policy *policy, const hs_instance *estimates,
                              const hs_schedule *schedule, const hs_policy_settings *settings,
                              void **out)
{
    steal_state *steal = calloc(1, sizeof *steal);
    hs_status    st;

    if (!steal)
        return HS_ENOMEM;
    st = hsi_problem_of_tasks(estimates, &policy->token, &steal->pb);
    if (st == HS_OK)
        st = hsi_plan_lists_open(&steal->lists, &steal->pb, schedule);
    if (st == HS_OK)
        st = hsi_ready_pool_open(&steal->orphans, &steal->pb, 0);
    if (st == HS_OK)
        st = hsi_states_open(&steal->states, &steal->pb, estimates, settings->tolerance);
    if (st == HS_OK) {
        steal->load = calloc(steal->lists.workers, sizeof *steal->load);
        st = steal->load ? HS_OK : HS_ENOMEM;
    }
    if (st == HS_OK)
        *out = steal;
    else
        steal_free(steal);
    return st;
}

static hs_status steal_create(void *data, hs_policy *policy, const hs_instance *estimates,
                              const hs_schedule *schedule, const hs_policy_settings *settings,
                              void **out)
{
    if (!hs_instance_has_graph(estimates))
        return create_steal(policy, estimates, schedule, settings, out);
    policy->kind = hsi_policy_steal_graph; /* the kind for graphs handles all further calls */
    return policy->kind.create(data, policy, estimates, schedule, settings, out);
}

static double estimated_time(const steal_state *steal, hs_type type, uint32_t task)
{
    return type == HS_GPU ? steal->pb.q[task] : steal->pb.p[task];
}

static void begin_lists(steal_state *steal)
{
    unsigned w;

    steal->begun = true;
    for (w = 0; w < steal->lists.workers; w++) {
        hs_type         type = hsi_states_type(&steal->states, w);
        const uint32_t *at;

        hsi_plan_list_compact(&steal->lists.of[w]);
        for (at = steal->lists.of[w].next;
             at != steal->lists.of[w].end && !hsi_poll_after_work(steal->pb.token, 1); at++)
            steal->load[w] += estimated_time(steal, type, *at);
    }
}

/* Subtract a removed task from its list's load; an empty list has load 0, without rounding
 * errors. */
static void subtract_from_load(steal_state *steal, unsigned worker, uint32_t task)
{
    const hsi_plan_list *list = &steal->lists.of[worker];

    steal->load[worker] -= estimated_time(steal, hsi_states_type(&steal->states, worker), task);
    if (list->next == list->end)
        steal->load[worker] = 0;
}

static bool take_own(steal_state *steal, unsigned worker, uint32_t *task)
{
    if (!hsi_plan_list_take(&steal->lists.of[worker], task))
        return false;
    subtract_from_load(steal, worker, *task);
    return true;
}

static uint32_t *stealable_tail(const hsi_plan_list *list)
{
    return list->end - list->next > LOOKED_AT ? list->end - LOOKED_AT : list->next;
}

/* Return the shortest time that a worker of `type` needs for one of the victim's waiting tasks. */
static double shortest_waiting(const steal_state *steal, unsigned victim, hs_type type)
{
    const hsi_plan_list *list = &steal->lists.of[victim];
    const uint32_t      *at;
    double               time = INFINITY;

    for (at = stealable_tail(list); at != list->end; at++)
        if (estimated_time(steal, type, *at) < time)
            time = estimated_time(steal, type, *at);
    return time;
}

/* Return the time from which a stolen task of the victim would end before the victim does. */
static double when_stealing_pays(const steal_state *steal, unsigned victim, hs_type type,
                                 double now)
{
    return hsi_states_steal_time(&steal->states, victim, steal->load[victim],
                                 shortest_waiting(steal, victim, type), now);
}

/*
 * Return the waiting task whose theft gives the earliest end of the later of victim and thief;
 * among equals the last in the list. Requires a task that is worth stealing; the result then is
 * such a task.
 */
static uint32_t *best_task_to_steal(const steal_state *steal, unsigned victim, hs_type thief,
                                    double now)
{
    const hsi_plan_list *list = &steal->lists.of[victim];
    hs_type              type = hsi_states_type(&steal->states, victim);
    double end = hsi_states_expected_end(&steal->states, victim, now) + steal->load[victim],
           least = INFINITY;
    uint32_t *at, *best = NULL;

    for (at = list->end; at-- != stealable_tail(list);) {
        double without = end - estimated_time(steal, type, *at);
        double stolen = now + estimated_time(steal, thief, *at);
        double later = without > stolen ? without : stolen;

        if (!best || later < least) {
            best = at;
            least = later;
        }
    }
    return best;
}

/* Return the worker with the latest end among those with a task worth stealing; lower numbers
 * first; HS_NONE. */
static uint32_t find_victim(const steal_state *steal, hs_type type, double now)
{
    uint32_t victim = HS_NONE;
    double   latest = 0;
    unsigned w;

    for (w = 0; w < steal->lists.workers; w++) {
        const hsi_plan_list *list = &steal->lists.of[w];
        double               end;

        if (list->next == list->end)
            continue;
        end = hsi_states_expected_end(&steal->states, w, now) + steal->load[w];
        if ((victim != HS_NONE && end <= latest) || when_stealing_pays(steal, w, type, now) > now)
            continue;
        latest = end;
        victim = w;
    }
    return victim;
}

/* Return the time from which a worker has a task that a worker of `type` should steal or
 * spoliate. */
static double when_asking_pays(const steal_state *steal, unsigned worker, hs_type type, double now)
{
    const hsi_plan_list *list = &steal->lists.of[worker];
    double               from = INFINITY;

    if (hsi_states_type(&steal->states, worker) != type)
        from = hsi_states_spoliation_time(&steal->states, worker, now);
    if (from > now && list->next != list->end)
        from = fmin(from, when_stealing_pays(steal, worker, type, now));
    return from;
}

/* Wake a type if a change of the worker's list or running task may give it a task to take. */
static void wake_thieves(steal_state *steal, unsigned worker, double now, hs_wake *wake)
{
    static const hs_type types[] = {HS_CPU, HS_GPU};
    int                  i;

    for (i = 0; i < 2; i++) {
        double *quiet = &steal->states.no_spoliation_before[types[i]], from;

        if (*quiet <= now)
            continue;
        from = when_asking_pays(steal, worker, types[i], now);
        if (from < *quiet) {
            *quiet = from;
            hs_wake_type(wake, types[i]);
        }
    }
}

static bool steal_waiting(steal_state *steal, hs_type type, double now, uint32_t *task,
                          hs_wake *wake)
{
    uint32_t       victim = find_victim(steal, type, now);
    hsi_plan_list *list;
    uint32_t      *at;

    if (victim == HS_NONE)
        return false;
    list = &steal->lists.of[victim];
    at = best_task_to_steal(steal, victim, type, now);
    *task = *at;
    memmove(at, at + 1, (size_t)(list->end - at - 1) * sizeof *at);
    list->end--;
    subtract_from_load(steal, victim, *task);
    wake_thieves(steal, victim, now, wake); /* a task that was not searched before may now be
                                               among the last tasks of the list */
    return true;
}

static void start_task(steal_state *steal, unsigned worker, uint32_t task, double now,
                       hs_wake *wake)
{
    hsi_states_record_start(&steal->states, worker, task, now);
    wake_thieves(steal, worker, now, wake);
}

static double quiet_until(const steal_state *steal, hs_type type, double now)
{
    double   until = INFINITY;
    unsigned w;

    for (w = 0; w < steal->lists.workers; w++)
        until = fmin(until, when_asking_pays(steal, w, type, now));
    return until;
}

static void help_or_wait(steal_state *steal, unsigned worker, double now, hs_decision *out,
                         hs_wake *wake)
{
    hs_type  type = hsi_states_type(&steal->states, worker);
    uint32_t victim, task;

    if (now < steal->states.no_spoliation_before[type]) {
        hs_decide_wait(out, steal->states.no_spoliation_before[type]);
        return;
    }
    if (steal_waiting(steal, type, now, &task, wake)) {
        hs_decide_start(out, task);
        return;
    }
    victim = hsi_states_find_victim(&steal->states, worker, now, &task);
    if (victim != HS_NONE) {
        hsi_states_request_spoliation(&steal->states, worker, victim, task);
        hs_decide_spoliate(out, task, victim);
        return;
    }
    steal->states.no_spoliation_before[type] = quiet_until(steal, type, now);
    hs_decide_wait(out, steal->states.no_spoliation_before[type]);
}

static void steal_next(void *state, unsigned worker, double now, hs_decision *out, hs_wake *wake)
{
    steal_state *steal = state;

    hs_type  type = hsi_states_type(&steal->states, worker);
    uint32_t task;

    if (!steal->begun)
        begin_lists(steal);
    if (!hsi_ready_pool_is_in_service(&steal->orphans, worker))
        hs_decide_wait(out, INFINITY);
    else if (hsi_states_pending_decision(&steal->states, worker, out))
        ; /* a request that was made, or a task reserved for this worker, comes first */
    else if (take_own(steal, worker, &task) || hsi_ready_pool_take(&steal->orphans, type, &task))
        hs_decide_start(out, task);
    else
        help_or_wait(steal, worker, now, out, wake);
    if (out->kind == HS_DECIDE_START)
        start_task(steal, worker, out->task, now, wake);
}

static void add_orphan(steal_state *steal, uint32_t task, hs_wake *wake)
{
    hsi_ready_pool_add(&steal->orphans, task);
    hs_wake_all(wake);
}

static void steal_ended(void *state, unsigned worker, uint32_t task, hs_ending how, double now,
                        hs_wake *wake)
{
    steal_state *steal = state;

    if (hsi_states_record_end(&steal->states, worker, task, how, now, wake))
        add_orphan(steal, task, wake);
}

static void steal_skip(void *state, uint32_t task)
{
    steal_state *steal = state;

    if (!steal->begun)
        hsi_plan_lists_remove(&steal->lists, task);
    hsi_ready_pool_remove(&steal->orphans, task);
}

static void steal_retire(void *state, unsigned worker, hs_wake *wake)
{
    steal_state *steal = state;
    uint32_t     task;

    if (!hsi_ready_pool_retire(&steal->orphans, worker))
        return;
    if (hsi_states_retire(&steal->states, worker, &task))
        add_orphan(steal, task, wake);
    while (hsi_plan_list_take(&steal->lists.of[worker], &task))
        add_orphan(steal, task, wake);
    steal->load[worker] = 0;
}

static int steal_stranded(void *state, uint32_t *task)
{
    steal_state *steal = state;

    return hsi_ready_pool_take_stranded(&steal->orphans, task);
}

const hs_policy_kind hsi_policy_plan_steal = {
    .struct_size = sizeof(hs_policy_kind),
    .name = "plan+steal",
    .summary = "the plan, but a worker without tasks steals the task that shortens the run most",
    .needs_plan = true,
    .create = steal_create,
    .free = steal_free,
    .next = steal_next,
    .ended = steal_ended,
    .mark_done = steal_skip,
    .retire = steal_retire,
    .take_stranded = steal_stranded,
    .supports_graphs = true,
    .add_ready = hsi_steal_graph_add_ready, /* functions of steal_graph.c */
};
