/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plan+steal for graphs. While the run follows the plan, idle workers do nothing else, since the
 * plan may make a worker wait for good reason. A ready task that is late (past its start in the
 * simulated plan) goes to any idle worker that would end it before its planned worker is expected
 * to. The planned worker is expected to finish its running task and then to keep the plan's
 * distances. Late tasks are tried by planned start. If none fits, an idle worker spoliates as in
 * HeteroPrio, but only tasks that started late or have outlasted their estimate.
 *
 * With exact estimates the schedule is therefore the plan's.
 *
 * O(log tasks) per task; an idle worker tries at most the first 64 late tasks. Running tasks are
 * searched once per type, until the first time at which a task may be worth spoliating.
 */
#include "policy/steal_graph.h"

#include <math.h>
#include <stdlib.h>

#include "core/order.h"
#include "policy/plan_lists.h"
#include "policy/plan_simulation.h"
#include "policy/policy.h"
#include "policy/ready_pool.h"
#include "policy/worker_states.h"
#include "support/ordered_set.h"

enum { LOOKED_AT = 64 };

typedef struct steal_graph_state {
    hs_policy          *policy;
    hsi_problem         pb;
    hsi_plan_lists      lists;
    hsi_plan_simulation plan;
    bool                begun; /* whether the start times of the plan have been computed in
                                  `plan` */
    hsi_ordered_set waiting;   /* ready tasks that are still in a list, earliest planned start at
                                  the front */
    uint32_t         *held;    /* indexed by worker: number of tasks of the list in `waiting` */
    hsi_ready_pool    orphans;
    unsigned char    *is_orphan; /* by task: 1: the task is in no list, and any worker may run it */
    hsi_worker_states states;
} steal_graph_state;

static void steal_graph_free(void *state)
{
    steal_graph_state *steal = state;

    free(steal->is_orphan);
    free(steal->held);
    hsi_set_close(&steal->waiting);
    hsi_states_close(&steal->states);
    hsi_ready_pool_close(&steal->orphans);
    hsi_plan_simulation_close(&steal->plan);
    hsi_plan_lists_close(&steal->lists);
    hsi_problem_close(&steal->pb);
    free(steal);
}

static int is_before(const void *pb, uint32_t a, uint32_t b)
{
    return hsi_task_comes_first(pb, a, b);
}

static hs_status open_all(steal_graph_state *steal, const hs_instance *estimates,
                          const hs_schedule *schedule, double tolerance)
{
    hs_status st = hsi_problem_of_tasks(estimates, &steal->policy->token, &steal->pb);

    if (st == HS_OK)
        st = hsi_plan_lists_open(&steal->lists, &steal->pb, schedule);
    if (st == HS_OK)
        st = hsi_plan_simulation_open(&steal->plan, estimates, &steal->pb, &steal->lists);
    if (st == HS_OK)
        st = hsi_ready_pool_open(&steal->orphans, &steal->pb, 0);
    if (st == HS_OK)
        st = hsi_states_open(&steal->states, &steal->pb, estimates, tolerance);
    if (st != HS_OK)
        return st;
    hsi_set_open(&steal->waiting, is_before, &steal->pb);
    steal->is_orphan = calloc(steal->pb.n + 1, 1);
    steal->held = calloc(steal->lists.workers, sizeof *steal->held);
    return steal->is_orphan && steal->held && !hsi_set_reserve(&steal->waiting, steal->pb.n)
               ? HS_OK
               : HS_ENOMEM;
}

static hs_status steal_graph_create(void *data, hs_policy *policy, const hs_instance *estimates,
                                    const hs_schedule *schedule, const hs_policy_settings *settings,
                                    void **out)
{
    steal_graph_state *steal = calloc(1, sizeof *steal);
    hs_status          st;

    (void)data;
    if (!steal)
        return HS_ENOMEM;
    steal->policy = policy;
    st = open_all(steal, estimates, schedule, settings->tolerance);
    if (st != HS_OK) {
        steal_graph_free(steal);
        return st;
    }
    if (hsi_inputs_are_tracked(&policy->inputs))
        steal->states.inputs = &policy->inputs;
    steal->states.due = steal->plan.due;
    *out = steal;
    return HS_OK;
}

static double due_time(const steal_graph_state *steal, uint32_t task)
{
    return steal->plan.due[task];
}

static void begin_waiting(steal_graph_state *steal, uint32_t task)
{
    hsi_set_insert(&steal->waiting, due_time(steal, task), task);
    steal->held[steal->plan.owner[task]]++;
}

static void stop_waiting(steal_graph_state *steal, uint32_t task)
{
    if (hsi_set_remove(&steal->waiting, due_time(steal, task), task))
        steal->held[steal->plan.owner[task]]--;
}

static bool take_own(steal_graph_state *steal, unsigned worker, uint32_t *task)
{
    hsi_plan_list *list = &steal->lists.of[worker];

    while (hsi_plan_list_peek(list, task) && hsi_policy_never_starts(steal->policy, *task))
        list->next++;
    if (list->next == list->end || !hsi_policy_may_start(steal->policy, *task))
        return false;
    list->next++;
    stop_waiting(steal, *task);
    hsi_inputs_prefetch(&steal->policy->inputs, *task, worker);
    return true;
}

/* Return the time from which `worker` should take `task`, which waits for its planned worker or is
 * not first in the own list; `now`: at once; INFINITY: not expected. */
static double when_taking_pays(steal_graph_state *steal, unsigned worker, uint32_t task, double now)
{
    unsigned owner = steal->plan.owner[task];
    hs_type  type = hsi_states_type(&steal->states, worker);
    uint32_t first = task;
    double   time, load;

    if (now <= due_time(steal, task))
        return nextafter(due_time(steal, task), INFINITY);
    hsi_plan_list_peek(&steal->lists.of[owner], &first);
    time = hs_policy_input_arrival(steal->policy, task, worker, now) - now +
           hsi_states_time(&steal->states, type, task);
    load = due_time(steal, task) - due_time(steal, first) +
           hsi_states_time(&steal->states, hsi_states_type(&steal->states, owner), task);
    return hsi_states_steal_time(&steal->states, owner, load, time, now);
}

/* Return true and the late task that the worker should start; 0 and the time at which to ask
 * again. */
static bool take_late(steal_graph_state *steal, unsigned worker, double now, uint32_t *task,
                      double *until)
{
    *until = INFINITY;
    for (size_t i = 0; i < steal->waiting.count && i < LOOKED_AT; i++) {
        double from;

        *task = hsi_set_at(&steal->waiting, HSI_SET_FRONT, i);
        from = when_taking_pays(steal, worker, *task, now);
        if (from <= now) {
            stop_waiting(steal, *task);
            hsi_plan_lists_remove(&steal->lists, *task);
            return true;
        }
        *until = fmin(*until, from);
        if (now <= due_time(steal, *task))
            break; /* the remaining tasks have later planned starts */
    }
    return false;
}

/* Return true if no running task is worth spoliating yet for any worker of the type. With transfers
 * there is no such common time. */
static bool is_quiet(const steal_graph_state *steal, hs_type type, double now)
{
    return !steal->states.inputs && now < steal->states.no_spoliation_before[type];
}

static void help_or_wait(steal_graph_state *steal, unsigned worker, double now, hs_decision *out)
{
    hs_type  type = hsi_states_type(&steal->states, worker);
    uint32_t victim, task;
    double   until;

    if (take_late(steal, worker, now, &task, &until)) {
        hs_decide_start(out, task);
        return;
    }
    if (!is_quiet(steal, type, now)) {
        victim = hsi_states_find_victim(&steal->states, worker, now, &task);
        if (victim != HS_NONE) {
            hsi_states_request_spoliation(&steal->states, worker, victim, task);
            hs_decide_spoliate(out, task, victim);
            return;
        }
        steal->states.no_spoliation_before[type] =
            hsi_states_next_spoliation(&steal->states, worker, now);
    }
    hs_decide_wait(out, fmin(until, steal->states.no_spoliation_before[type]));
}

/* Wake the other type if the task started by `worker` may be worth spoliating. */
static void announce_candidate(steal_graph_state *steal, unsigned worker, double now, hs_wake *wake)
{
    hs_type  other = hsi_states_type(&steal->states, worker) == HS_CPU ? HS_GPU : HS_CPU;
    unsigned thief = other == HS_CPU ? 0 : steal->pb.m; /* without transfers all workers of a type
                                                           are equal: take the first */
    double worth;

    if (steal->states.inputs) {
        hs_wake_type(wake, other);
        return;
    }
    if (steal->states.no_spoliation_before[other] <= now)
        return;
    worth = hsi_states_next_spoliation_from(&steal->states, thief, worker, now);
    if (worth < steal->states.no_spoliation_before[other]) {
        steal->states.no_spoliation_before[other] = worth;
        hs_wake_type(wake, other);
    }
}

/* Wake workers that may profit from a task started on `worker`: its running task may be worth
 * spoliating, and late tasks in its list wait longer. */
static void wake_thieves(steal_graph_state *steal, unsigned worker, double now, hs_wake *wake)
{
    announce_candidate(steal, worker, now, wake);
    if (steal->held[worker] > 0 &&
        due_time(steal, hsi_set_at(&steal->waiting, HSI_SET_FRONT, 0)) < now)
        hs_wake_all(wake);
}

static void steal_graph_next(void *state, unsigned worker, double now, hs_decision *out,
                             hs_wake *wake)
{
    steal_graph_state *steal = state;

    hs_type  type = hsi_states_type(&steal->states, worker);
    uint32_t task;

    if (!hsi_ready_pool_is_in_service(&steal->orphans, worker))
        hs_decide_wait(out, INFINITY);
    else if (hsi_states_pending_decision(&steal->states, worker, out))
        ; /* a request that was made, or a task reserved for this worker, comes first */
    else if (take_own(steal, worker, &task) || hsi_ready_pool_take(&steal->orphans, type, &task))
        hs_decide_start(out, task);
    else
        help_or_wait(steal, worker, now, out);
    if (out->kind != HS_DECIDE_START)
        return;
    hsi_states_record_start(&steal->states, worker, out->task,
                            hs_policy_start_transfers(steal->policy, out->task, worker, now));
    wake_thieves(steal, worker, now, wake);
}

static void add_orphan(steal_graph_state *steal, uint32_t task, hs_wake *wake)
{
    steal->is_orphan[task] = 1;
    if (!hsi_policy_may_start(steal->policy, task))
        return;
    if (steal->begun)
        stop_waiting(steal, task);
    hsi_ready_pool_add(&steal->orphans, task);
    hs_wake_all(wake);
}

void hsi_steal_graph_add_ready(void *state, const uint32_t *tasks, size_t count, double now,
                               hs_wake *wake)
{
    steal_graph_state *steal = state;

    (void)now;
    if (!steal->begun)
        hsi_plan_simulate(&steal->plan, &steal->lists);
    steal->begun = true;
    for (size_t i = 0; i < count; i++)
        if (steal->is_orphan[tasks[i]])
            hsi_ready_pool_add(&steal->orphans, tasks[i]);
        else
            begin_waiting(steal, tasks[i]);
    if (count > 0)
        hs_wake_all(wake);
}

static void steal_graph_ended(void *state, unsigned worker, uint32_t task, hs_ending how,
                              double now, hs_wake *wake)
{
    steal_graph_state *steal = state;

    if (hsi_states_record_end(&steal->states, worker, task, how, now, wake))
        add_orphan(steal, task, wake);
    if (how == HS_ENDING_DROPPED)
        hs_wake_all(wake); /* other workers may have waited for successors of the dropped task */
}

static void steal_graph_skip(void *state, uint32_t task)
{
    steal_graph_state *steal = state;

    if (!steal->begun)
        hsi_plan_simulation_mark_done_before_start(&steal->plan, task);
    hsi_plan_lists_remove(&steal->lists, task);
    hsi_ready_pool_remove(&steal->orphans, task); /* a task whose worker has retired is an orphan */
}

static void steal_graph_retire(void *state, unsigned worker, hs_wake *wake)
{
    steal_graph_state *steal = state;
    uint32_t           task;

    if (!hsi_ready_pool_retire(&steal->orphans, worker))
        return;
    if (hsi_states_retire(&steal->states, worker, &task))
        add_orphan(steal, task, wake);
    while (hsi_plan_list_take(&steal->lists.of[worker], &task))
        add_orphan(steal, task, wake);
}

static int steal_graph_waiting(void *state, unsigned worker, uint32_t *task)
{
    steal_graph_state *steal = state;

    return hsi_plan_list_peek(&steal->lists.of[worker], task);
}

static int steal_graph_stranded(void *state, uint32_t *task)
{
    steal_graph_state *steal = state;

    return hsi_ready_pool_take_stranded(&steal->orphans, task);
}

const hs_policy_kind hsi_policy_steal_graph = {
    .struct_size = sizeof(hs_policy_kind),
    .name = "plan+steal",
    .needs_plan = true,
    .create = steal_graph_create,
    .free = steal_graph_free,
    .next = steal_graph_next,
    .ended = steal_graph_ended,
    .mark_done = steal_graph_skip,
    .retire = steal_graph_retire,
    .take_stranded = steal_graph_stranded,
    .supports_graphs = true,
    .add_ready = hsi_steal_graph_add_ready,
    .peek = steal_graph_waiting,
};
