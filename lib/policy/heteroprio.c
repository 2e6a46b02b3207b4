/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HeteroPrio and variants with other spoliation rules. Idle GPUs take from the front of the queue,
 * idle CPUs from its back, and a worker without a task there spoliates. With exact estimates and no
 * tolerance, for independent tasks under a virtual clock, heteroprio gives exactly the schedule of
 * the algorithm of that name.
 */
#include <math.h>
#include <stdlib.h>

#include "policy/policy.h"
#include "policy/ranking.h"
#include "policy/ready_pool.h"
#include "policy/worker_states.h"

typedef enum spoliation {
    SPOLIATE_NEVER, /* no spoliation */
    SPOLIATE_BOTH,  /* both types spoliate tasks to end them earlier */
    SPOLIATE_GPUS   /* GPUs spoliate any task of CPUs */
} spoliation;

typedef struct heteroprio_state {
    hs_policy        *policy;
    spoliation        spoliation;
    hsi_problem       pb; /* priorities are ranks */
    hsi_ranking       ranking;
    hsi_ready_pool    queue;
    hsi_worker_states states;
} heteroprio_state;

static void heteroprio_free(void *state)
{
    heteroprio_state *hp = state;

    hsi_states_close(&hp->states);
    hsi_ready_pool_close(&hp->queue);
    hsi_problem_close(&hp->pb);
    hsi_ranking_close(&hp->ranking);
    free(hp);
}

static void add_ready(heteroprio_state *hp, uint32_t task)
{
    hsi_ranking_number_ready(&hp->ranking, task);
    hsi_ready_pool_add(&hp->queue, task);
}

/* Open all members. For independent tasks the queue starts full, unless endings are grouped. */
static hs_status open_all(heteroprio_state *hp, const hs_instance *estimates,
                          const hs_policy_settings *settings)
{
    hs_status st = hsi_problem_of_tasks(estimates, &hp->policy->token, &hp->pb);

    if (st == HS_OK)
        st = hsi_ranking_open(&hp->ranking, estimates, &hp->pb, settings->rank,
                              hp->pb.graph ? HS_RANK_MIN : HS_RANK_GIVEN);
    if (st == HS_OK)
        st = hsi_ready_pool_open(&hp->queue, &hp->pb, settings->parameters.ratio_tolerance);
    if (st == HS_OK)
        st = hsi_states_open(&hp->states, &hp->pb, estimates, settings->tolerance);
    for (uint32_t i = 0; i < hp->pb.n && st == HS_OK && !hp->policy->groups_endings; i++) {
        if (hsi_poll_after_work(hp->pb.token, HSI_POOL_WORK))
            st = HS_ECANCELED;
        add_ready(hp, i);
    }
    return st;
}

static hs_status create_heteroprio(spoliation allowed, hs_policy *policy,
                                   const hs_instance *estimates, const hs_policy_settings *settings,
                                   void **out)
{
    heteroprio_state *hp = calloc(1, sizeof *hp);
    hs_status         st;

    if (!hp)
        return HS_ENOMEM;
    hp->policy = policy;
    hp->spoliation = allowed;
    st = open_all(hp, estimates, settings);
    if (st != HS_OK) {
        heteroprio_free(hp);
        return st;
    }
    if (hsi_inputs_are_tracked(&policy->inputs))
        hp->states.inputs = &policy->inputs;
    if (allowed == SPOLIATE_GPUS)
        hp->states.rule = (hsi_spoliation_rule){.order = HSI_RANK_ALONE, .always = true};
    else if (hsi_ranking_is_path_length(&hp->ranking))
        hp->states.rule.order = HSI_RANK_FIRST;
    *out = hp;
    return HS_OK;
}

static hs_status heteroprio_create(void *data, hs_policy *policy, const hs_instance *estimates,
                                   const hs_schedule *plan, const hs_policy_settings *settings,
                                   void **out)
{
    (void)data, (void)plan;
    return create_heteroprio(SPOLIATE_BOTH, policy, estimates, settings, out);
}

static hs_status ns_create(void *data, hs_policy *policy, const hs_instance *estimates,
                           const hs_schedule *plan, const hs_policy_settings *settings, void **out)
{
    (void)data, (void)plan;
    return create_heteroprio(SPOLIATE_NEVER, policy, estimates, settings, out);
}

static hs_status sp_create(void *data, hs_policy *policy, const hs_instance *estimates,
                           const hs_schedule *plan, const hs_policy_settings *settings, void **out)
{
    (void)data, (void)plan;
    return create_heteroprio(SPOLIATE_GPUS, policy, estimates, settings, out);
}

static void heteroprio_ready(void *state, const uint32_t *tasks, size_t count, double now,
                             hs_wake *wake)
{
    heteroprio_state *hp = state;

    (void)now;
    for (size_t i = 0; i < count && !hsi_poll_after_work(hp->pb.token, HSI_POOL_WORK); i++) {
        add_ready(hp, tasks[i]);
    }
    if (count > 0)
        hs_wake_all(wake);
}

/* Return true if one time per type is known before which no task is worth spoliating. */
static bool is_quiet(const heteroprio_state *hp)
{
    return hp->spoliation == SPOLIATE_BOTH && !hp->states.inputs;
}

/* Return the first time at which a task running now is worth spoliating for `type`. */
static double quiet_until(const heteroprio_state *hp, hs_type type, double now)
{
    unsigned begin = type == HS_GPU ? 0 : hp->pb.m;
    unsigned end = type == HS_GPU ? hp->pb.m : hp->pb.m + hp->pb.k, w;
    double   until = INFINITY;

    for (w = begin; w < end; w++)
        until = fmin(until, hsi_states_spoliation_time(&hp->states, w, now));
    return until;
}

/* Wake idle workers of the other type for which the worker's tasks may be worth spoliating. */
static void wake_spoliators(heteroprio_state *hp, unsigned worker, double now, hs_wake *wake)
{
    hs_type other = hsi_states_type(&hp->states, worker) == HS_CPU ? HS_GPU : HS_CPU;
    double  worth;

    if (!is_quiet(hp)) {
        if (hp->spoliation == SPOLIATE_BOTH || (hp->spoliation == SPOLIATE_GPUS && other == HS_GPU))
            hs_wake_type(wake, other);
        return;
    }
    if (hp->states.no_spoliation_before[other] <= now)
        return;
    worth = hsi_states_spoliation_time(&hp->states, worker, now);
    if (worth < hp->states.no_spoliation_before[other]) {
        hp->states.no_spoliation_before[other] = worth;
        hs_wake_type(wake, other);
    }
}

static void start_task(heteroprio_state *hp, unsigned worker, double now, uint32_t task,
                       hs_wake *wake)
{
    hsi_states_record_start(&hp->states, worker, task,
                            hs_policy_start_transfers(hp->policy, task, worker, now));
    wake_spoliators(hp, worker, now, wake);
}

/* Return when a worker that found no victim should ask again. */
static double next_question(heteroprio_state *hp, unsigned worker, double now)
{
    hs_type type = hsi_states_type(&hp->states, worker);

    if (hp->states.rule.always)
        return INFINITY;
    hp->states.no_spoliation_before[type] =
        is_quiet(hp) ? quiet_until(hp, type, now)
                     : hsi_states_next_spoliation(&hp->states, worker, now);
    return hp->states.no_spoliation_before[type];
}

static void spoliate_or_wait(heteroprio_state *hp, unsigned worker, double now, hs_decision *out)
{
    hs_type  type = hsi_states_type(&hp->states, worker);
    uint32_t victim, task;

    if (hp->spoliation == SPOLIATE_NEVER || (hp->spoliation == SPOLIATE_GPUS && type == HS_CPU)) {
        hs_decide_wait(out, INFINITY);
        return;
    }
    if (is_quiet(hp) && now < hp->states.no_spoliation_before[type]) {
        hs_decide_wait(out, hp->states.no_spoliation_before[type]);
        return;
    }
    victim = hsi_states_find_victim(&hp->states, worker, now, &task);
    if (victim == HS_NONE) {
        hs_decide_wait(out, next_question(hp, worker, now));
        return;
    }
    hsi_states_request_spoliation(&hp->states, worker, victim, task);
    hs_decide_spoliate(out, task, victim);
}

static void heteroprio_next(void *state, unsigned worker, double now, hs_decision *out,
                            hs_wake *wake)
{
    heteroprio_state *hp = state;
    uint32_t          task;

    if (!hsi_ready_pool_is_in_service(&hp->queue, worker)) {
        hs_decide_wait(out, INFINITY);
    } else if (hsi_states_pending_decision(&hp->states, worker, out)) {
        if (out->kind == HS_DECIDE_START)
            start_task(hp, worker, now, out->task, wake);
    } else if (hsi_ready_pool_take(&hp->queue, hsi_states_type(&hp->states, worker), &task)) {
        hs_decide_start(out, task);
        start_task(hp, worker, now, task, wake);
    } else {
        spoliate_or_wait(hp, worker, now, out);
    }
}

static void heteroprio_ahead(void *state, unsigned worker, double now, hs_decision *out,
                             hs_wake *wake)
{
    heteroprio_state *hp = state;
    uint32_t          task;

    if (!hsi_ready_pool_take(&hp->queue, hsi_states_type(&hp->states, worker), &task))
        return;
    hs_decide_start(out, task);
    hsi_states_record_prefetch(&hp->states, worker, task,
                               hs_policy_start_transfers(hp->policy, task, worker, now));
    if (hp->spoliation == SPOLIATE_BOTH)
        wake_spoliators(hp, worker, now, wake);
}

static int heteroprio_waiting(void *state, unsigned worker, uint32_t *task)
{
    heteroprio_state *hp = state;

    return hsi_states_get_prefetched(&hp->states, worker, task);
}

static void put_back(heteroprio_state *hp, uint32_t task, hs_wake *wake)
{
    hsi_ready_pool_add(&hp->queue, task);
    hs_wake_all(wake);
}

static void heteroprio_ended(void *state, unsigned worker, uint32_t task, hs_ending how, double now,
                             hs_wake *wake)
{
    heteroprio_state *hp = state;

    if (hsi_states_record_end(&hp->states, worker, task, how, now, wake))
        put_back(hp, task, wake);
}

static void heteroprio_skip(void *state, uint32_t task)
{
    heteroprio_state *hp = state;

    hsi_ready_pool_remove(&hp->queue, task);
}

static void heteroprio_retire(void *state, unsigned worker, hs_wake *wake)
{
    heteroprio_state *hp = state;
    uint32_t          task;

    if (hsi_ready_pool_retire(&hp->queue, worker) && hsi_states_retire(&hp->states, worker, &task))
        put_back(hp, task, wake);
}

static int heteroprio_stranded(void *state, uint32_t *task)
{
    heteroprio_state *hp = state;

    return hsi_ready_pool_take_stranded(&hp->queue, task);
}

enum { RANKS = 1 << HS_RANK_MIN | 1 << HS_RANK_AVG | 1 << HS_RANK_GIVEN | 1 << HS_RANK_FIFO };

#define CALLS(maker)                                                                               \
    .struct_size = sizeof(hs_policy_kind), .create = maker, .free = heteroprio_free,               \
    .next = heteroprio_next, .ended = heteroprio_ended, .mark_done = heteroprio_skip,              \
    .retire = heteroprio_retire, .take_stranded = heteroprio_stranded, .supports_graphs = 1,       \
    .supported_ranks = RANKS, .add_ready = heteroprio_ready, .prefetch = heteroprio_ahead,         \
    .peek = heteroprio_waiting, .accepts_arrivals = true

const hs_policy_kind hsi_policy_heteroprio = {
    CALLS(heteroprio_create),
    .name = "heteroprio",
    .summary = "GPUs take the most accelerated task, CPUs the least; idle workers spoliate",
};

const hs_policy_kind hsi_policy_heteroprio_ns = {
    CALLS(ns_create),
    .name = "heteroprio-ns",
    .summary = "heteroprio without spoliation",
};

const hs_policy_kind hsi_policy_hp_sp = {
    CALLS(sp_create),
    .name = "hp-sp",
    .summary = "heteroprio, but only idle GPUs spoliate: the task of the highest rank on a CPU",
    .groups_endings = true,
};
