/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The policy `explore`: HeteroPrio for tasks whose times are learned during the run. Each class of
 * tasks with an unknown time is tried once on each type if enough of its tasks wait; otherwise idle
 * workers take from the class with the best ratio of expected times, and spoliate when no task
 * waits. See task_classes.h.
 */
#include <math.h>
#include <stdlib.h>

#include "policy/policy.h"
#include "policy/ranking.h"
#include "policy/task_classes.h"
#include "policy/worker_states.h"

typedef struct explore_state {
    hs_policy        *policy;
    hsi_problem       pb;      /* its times are the arrays below; priorities are ranks */
    double           *time[2]; /* by hs_type and task: expected when the task started */
    hsi_ranking       ranking;
    hsi_task_classes  classes;
    hsi_worker_states states;
    unsigned char    *retired;       /* by worker */
    unsigned          in_service[2]; /* by hs_type: number of workers */
} explore_state;

static void explore_free(void *state)
{
    explore_state *e = state;

    hsi_states_close(&e->states);
    hsi_classes_close(&e->classes);
    hsi_problem_close(&e->pb);
    hsi_ranking_close(&e->ranking);
    free(e->time[HS_CPU]);
    free(e->time[HS_GPU]);
    free(e->retired);
    free(e);
}

/* Copy the problem's times to arrays that the policy changes as it learns. */
static hs_status copy_times(explore_state *e)
{
    size_t bytes = (e->pb.n + 1) * sizeof(double);

    for (int type = HS_CPU; type <= HS_GPU; type++) {
        e->time[type] = malloc(bytes);
        if (!e->time[type])
            return HS_ENOMEM;
        if (e->pb.n > 0)
            memcpy(e->time[type], type == HS_CPU ? e->pb.p : e->pb.q, e->pb.n * sizeof(double));
    }
    e->pb.p = e->time[HS_CPU];
    e->pb.q = e->time[HS_GPU];
    return HS_OK;
}

static hs_status open_all(explore_state *e, const hs_instance *estimates,
                          const hs_policy_settings *settings)
{
    hs_status st = hsi_problem_of_tasks(estimates, &e->policy->token, &e->pb);

    if (st == HS_OK)
        st = hsi_ranking_open(&e->ranking, estimates, &e->pb, settings->rank,
                              e->pb.graph ? HS_RANK_MIN : HS_RANK_GIVEN);
    if (st == HS_OK)
        st = copy_times(e);
    if (st == HS_OK)
        st = hsi_classes_open(&e->classes, &e->pb, estimates, settings->cost, settings->guesses);
    if (st == HS_OK)
        st = hsi_states_open(&e->states, &e->pb, estimates, settings->tolerance);
    if (st == HS_OK) {
        e->in_service[HS_CPU] = e->pb.m;
        e->in_service[HS_GPU] = e->pb.k;
        e->retired = calloc((size_t)e->pb.m + e->pb.k, 1);
        st = e->retired ? HS_OK : HS_ENOMEM;
    }
    return st;
}

static hs_status explore_create(void *data, hs_policy *policy, const hs_instance *estimates,
                                const hs_schedule *plan, const hs_policy_settings *settings,
                                void **out)
{
    explore_state *e = calloc(1, sizeof *e);
    hs_status      st;

    (void)data, (void)plan;
    if (!e)
        return HS_ENOMEM;
    e->policy = policy;
    st = open_all(e, estimates, settings);
    if (st != HS_OK) {
        explore_free(e);
        return st;
    }
    if (hsi_inputs_are_tracked(&policy->inputs))
        e->states.inputs = &policy->inputs;
    if (hsi_ranking_is_path_length(&e->ranking))
        e->states.rule.order = HSI_RANK_FIRST;
    *out = e;
    return HS_OK;
}

static void explore_ready(void *state, const uint32_t *tasks, size_t count, double now,
                          hs_wake *wake)
{
    explore_state *e = state;

    (void)now;
    for (size_t i = 0; i < count && !hsi_poll_after_work(e->pb.token, 16); i++)
        hsi_ranking_number_ready(&e->ranking, tasks[i]);
    hsi_classes_add(&e->classes, tasks, count);
    if (count > 0)
        hs_wake_all(wake);
}

/* Copy the expected times of the class to a running task. */
static void refresh(explore_state *e, uint32_t task)
{
    for (int type = HS_CPU; type <= HS_GPU; type++)
        e->time[type][task] = hsi_class_time(&e->classes, task, (hs_type)type);
}

/* Refresh the running tasks: those of the class of `task`, or all. */
static void refresh_running(explore_state *e, uint32_t task, bool all)
{
    for (unsigned w = 0; w < e->pb.m + e->pb.k; w++) {
        uint32_t running = e->states.of[w].task;

        if (running != HS_NONE &&
            (all || hsi_class_of(&e->classes, running) == hsi_class_of(&e->classes, task)))
            refresh(e, running);
    }
}

static void start(explore_state *e, unsigned worker, double now, uint32_t task, hs_wake *wake)
{
    hs_type type = hsi_states_type(&e->states, worker);

    refresh(e, task);
    hsi_classes_start(&e->classes, task, type);
    hsi_states_record_start(&e->states, worker, task,
                            hs_policy_start_transfers(e->policy, task, worker, now));
    hs_wake_type(wake, type == HS_CPU ? HS_GPU : HS_CPU);
}

static void spoliate_or_wait(explore_state *e, unsigned worker, double now, hs_decision *out)
{
    uint32_t task, victim = hsi_states_find_victim(&e->states, worker, now, &task);

    if (victim == HS_NONE) {
        hs_decide_wait(out, hsi_states_next_spoliation(&e->states, worker, now));
        e->states.no_spoliation_before[hsi_states_type(&e->states, worker)] = out->until;
        return;
    }
    hsi_states_request_spoliation(&e->states, worker, victim, task);
    hs_decide_spoliate(out, task, victim);
}

static void explore_next(void *state, unsigned worker, double now, hs_decision *out, hs_wake *wake)
{
    explore_state *e = state;
    uint32_t       task;

    if (e->retired[worker]) {
        hs_decide_wait(out, INFINITY);
    } else if (hsi_states_pending_decision(&e->states, worker, out)) {
        if (out->kind == HS_DECIDE_START)
            start(e, worker, now, out->task, wake);
    } else if (hsi_classes_take(&e->classes, hsi_states_type(&e->states, worker), &task)) {
        hs_decide_start(out, task);
        start(e, worker, now, task, wake);
    } else {
        spoliate_or_wait(e, worker, now, out);
    }
}

static void explore_prefetch(void *state, unsigned worker, double now, hs_decision *out,
                             hs_wake *wake)
{
    explore_state *e = state;

    hs_type  type = hsi_states_type(&e->states, worker);
    uint32_t task;

    if (!hsi_classes_take(&e->classes, type, &task))
        return;
    refresh(e, task);
    hs_decide_start(out, task);
    hsi_states_record_prefetch(&e->states, worker, task,
                               hs_policy_start_transfers(e->policy, task, worker, now));
    hs_wake_type(wake, type == HS_CPU ? HS_GPU : HS_CPU);
}

static int explore_peek(void *state, unsigned worker, uint32_t *task)
{
    explore_state *e = state;

    return hsi_states_get_prefetched(&e->states, worker, task);
}

static void put_back(explore_state *e, uint32_t task, hs_wake *wake)
{
    hsi_classes_add(&e->classes, &task, 1);
    hs_wake_all(wake);
}

/*
 * Learn from an attempt. The running tasks get the new times before the worker states see the
 * ending: the history of misestimates must not compare the attempt with a guess.
 */
static void learn(explore_state *e, unsigned worker, uint32_t task, hs_ending how, double now,
                  hs_wake *wake)
{
    double      duration = now - e->states.of[worker].start;
    hsi_learned learned =
        hsi_classes_end(&e->classes, task, hsi_states_type(&e->states, worker),
                        how == HS_ENDING_DONE, how == HS_ENDING_ABORTED, duration);

    if (learned == HSI_LEARNED_NOTHING)
        return;
    refresh_running(e, task, learned == HSI_LEARNED_OTHERS);
    hs_wake_all(wake);
}

static void explore_ended(void *state, unsigned worker, uint32_t task, hs_ending how, double now,
                          hs_wake *wake)
{
    explore_state *e = state;

    if (e->states.of[worker].task == task)
        learn(e, worker, task, how, now, wake);
    if (hsi_states_record_end(&e->states, worker, task, how, now, wake))
        put_back(e, task, wake);
}

static void explore_skip(void *state, uint32_t task)
{
    explore_state *e = state;

    hsi_classes_remove(&e->classes, task);
}

static void explore_retire(void *state, unsigned worker, hs_wake *wake)
{
    explore_state *e = state;
    uint32_t       task;

    if (e->retired[worker])
        return;
    e->retired[worker] = 1;
    e->in_service[hsi_states_type(&e->states, worker)]--;
    if (hsi_states_retire(&e->states, worker, &task))
        put_back(e, task, wake);
}

static int explore_stranded(void *state, uint32_t *task)
{
    explore_state *e = state;

    return hsi_classes_take_stranded(&e->classes, e->in_service, task);
}

enum { RANKS = 1 << HS_RANK_MIN | 1 << HS_RANK_AVG | 1 << HS_RANK_GIVEN | 1 << HS_RANK_FIFO };

const hs_policy_kind hsi_policy_explore = {
    .struct_size = sizeof(hs_policy_kind),
    .name = "explore",
    .summary = "heteroprio for unknown times: tries each kind of task on both types, and learns",
    .create = explore_create,
    .free = explore_free,
    .next = explore_next,
    .ended = explore_ended,
    .mark_done = explore_skip,
    .retire = explore_retire,
    .take_stranded = explore_stranded,
    .supports_graphs = true,
    .supported_ranks = RANKS,
    .groups_endings = true,
    .add_ready = explore_ready,
    .prefetch = explore_prefetch,
    .peek = explore_peek,
};
