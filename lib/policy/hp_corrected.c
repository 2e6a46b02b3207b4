/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HeteroPrio corrected (our reading of Agullo et al., section II.B.3): among tasks that are much
 * faster on GPUs, GPUs take the highest rank, whether the task is ready or runs on a CPU; CPUs take
 * from HeteroPrio's end.
 *
 * Ready tasks are in HeteroPrio's queue for CPUs, in a set by rho = p/q for GPUs, and, if rho is at
 * least `band`, in a set by rank.
 */
#include <math.h>
#include <stdlib.h>

#include "core/order.h"
#include "policy/policy.h"
#include "policy/ranking.h"
#include "policy/ready_pool.h"
#include "policy/worker_states.h"
#include "support/ordered_set.h"
#include "support/ratio.h"

typedef struct corrected_state {
    hs_policy        *policy;
    double            band, leave;
    hsi_problem       pb; /* priorities are ranks */
    hsi_ranking       ranking;
    hsi_ready_pool    queue;
    hsi_ordered_set   by_rho;  /* ready tasks that GPUs can run, by decreasing rho, then rank */
    hsi_ordered_set   by_rank; /* tasks of `by_rho` in the band, by decreasing rank */
    hsi_worker_states states;
} corrected_state;

static void corrected_free(void *state)
{
    corrected_state *hp = state;

    hsi_states_close(&hp->states);
    hsi_set_close(&hp->by_rank);
    hsi_set_close(&hp->by_rho);
    hsi_ready_pool_close(&hp->queue);
    hsi_problem_close(&hp->pb);
    hsi_ranking_close(&hp->ranking);
    free(hp);
}

static int has_higher_rank(const void *problem, uint32_t a, uint32_t b)
{
    const hsi_problem *pb = problem;
    int64_t            rank_a = hsi_priority_of(pb, a), rank_b = hsi_priority_of(pb, b);

    return rank_a != rank_b ? rank_a > rank_b : hsi_task_comes_first(pb, a, b);
}

static int has_higher_rho(const void *problem, uint32_t a, uint32_t b)
{
    const hsi_problem *pb = problem;
    int                rho = hsi_compare_ratios(pb->p[a], pb->q[a], pb->p[b], pb->q[b]);

    return rho ? rho > 0 : has_higher_rank(pb, a, b);
}

static double rank_key(const corrected_state *hp, uint32_t task)
{
    return -(double)hsi_priority_of(&hp->pb, task);
}

static double rho_key(const corrected_state *hp, uint32_t task)
{
    return hsi_heteroprio_key(hp->pb.p[task], hp->pb.q[task]);
}

static bool is_in_band(const corrected_state *hp, uint32_t task)
{
    return hsi_compare_ratios(hp->pb.p[task], hp->pb.q[task], hp->band, 1) >= 0;
}

static hs_status open_all(corrected_state *hp, const hs_instance *estimates,
                          const hs_policy_settings *settings)
{
    hs_status st = hsi_problem_of_tasks(estimates, &hp->policy->token, &hp->pb);

    if (st == HS_OK)
        st = hsi_ranking_open(&hp->ranking, estimates, &hp->pb, settings->rank,
                              hp->pb.graph ? HS_RANK_MIN : HS_RANK_GIVEN);
    if (st == HS_OK)
        st = hsi_ready_pool_open(&hp->queue, &hp->pb, 0);
    if (st == HS_OK)
        st = hsi_states_open(&hp->states, &hp->pb, estimates, settings->tolerance);
    hsi_set_open(&hp->by_rho, has_higher_rho, &hp->pb);
    hsi_set_open(&hp->by_rank, has_higher_rank, &hp->pb);
    if (st == HS_OK &&
        (hsi_set_reserve(&hp->by_rho, hp->pb.n) || hsi_set_reserve(&hp->by_rank, hp->pb.n)))
        st = HS_ENOMEM;
    return st;
}

static hs_status corrected_create(void *data, hs_policy *policy, const hs_instance *estimates,
                                  const hs_schedule *plan, const hs_policy_settings *settings,
                                  void **out)
{
    corrected_state *hp = calloc(1, sizeof *hp);
    hs_status        st;

    (void)data, (void)plan;
    if (!hp)
        return HS_ENOMEM;
    hp->policy = policy;
    hp->band = settings->parameters.band;
    hp->leave = settings->parameters.leave;
    st = open_all(hp, estimates, settings);
    if (st != HS_OK) {
        corrected_free(hp);
        return st;
    }
    if (hsi_inputs_are_tracked(&policy->inputs))
        hp->states.inputs = &policy->inputs;
    hp->states.rule.order = HSI_RANK_ALONE;
    *out = hp;
    return HS_OK;
}

static void add_ready(corrected_state *hp, uint32_t task)
{
    hsi_ready_pool_add(&hp->queue, task);
    if (isinf(hp->pb.q[task]))
        return;
    hsi_set_insert(&hp->by_rho, rho_key(hp, task), task);
    if (is_in_band(hp, task))
        hsi_set_insert(&hp->by_rank, rank_key(hp, task), task);
}

static void leave_gpu_sets(corrected_state *hp, uint32_t task)
{
    hsi_set_remove(&hp->by_rho, rho_key(hp, task), task);
    hsi_set_remove(&hp->by_rank, rank_key(hp, task), task);
}

static void corrected_ready(void *state, const uint32_t *tasks, size_t count, double now,
                            hs_wake *wake)
{
    corrected_state *hp = state;

    (void)now;
    for (size_t i = 0; i < count && !hsi_poll_after_work(hp->pb.token, 3 * HSI_POOL_WORK); i++) {
        hsi_ranking_number_ready(&hp->ranking, tasks[i]);
        add_ready(hp, tasks[i]);
    }
    if (count > 0)
        hs_wake_all(wake);
}

static uint32_t first_of(const hsi_ordered_set *set)
{
    return set->count ? hsi_set_at(set, HSI_SET_FRONT, 0) : HS_NONE;
}

/* Return the ready task that a GPU takes unless a running task has precedence; HS_NONE. */
static uint32_t best_ready(const corrected_state *hp)
{
    return hp->by_rank.count ? first_of(&hp->by_rank) : first_of(&hp->by_rho);
}

static void take_ready(corrected_state *hp, uint32_t task)
{
    hsi_ready_pool_remove(&hp->queue, task);
    leave_gpu_sets(hp, task);
}

static void start_task(corrected_state *hp, unsigned worker, double now, uint32_t task,
                       hs_decision *out, hs_wake *wake)
{
    hs_decide_start(out, task);
    hsi_states_record_start(&hp->states, worker, task,
                            hs_policy_start_transfers(hp->policy, task, worker, now));
    if (worker < hp->pb.m)
        hs_wake_type(wake, HS_GPU);
}

/* Find the CPU and its task that a GPU should spoliate, with rho of at least `leave`. */
static uint32_t find_victim(corrected_state *hp, unsigned gpu, double leave, double now,
                            uint32_t *task)
{
    hp->states.rule.least_ratio = leave;
    return hsi_states_find_victim(&hp->states, gpu, now, task);
}

static void next_of_gpu(corrected_state *hp, unsigned gpu, double now, hs_decision *out,
                        hs_wake *wake)
{
    uint32_t ready = best_ready(hp), task = HS_NONE, victim;

    victim = find_victim(hp, gpu, hp->leave, now, &task);
    if (victim != HS_NONE && hp->by_rank.count && has_higher_rank(&hp->pb, ready, task))
        victim = HS_NONE;
    if (victim == HS_NONE && ready != HS_NONE) {
        take_ready(hp, ready);
        start_task(hp, gpu, now, ready, out, wake);
        return;
    }
    if (victim == HS_NONE)
        victim = find_victim(hp, gpu, 0, now, &task);
    if (victim == HS_NONE) {
        hp->states.no_spoliation_before[HS_GPU] =
            hsi_states_next_spoliation(&hp->states, gpu, now); /* the time limit of this wait is
                                                                  valid until the history changes */
        hs_decide_wait(out, hp->states.no_spoliation_before[HS_GPU]);
        return;
    }
    hsi_states_request_spoliation(&hp->states, gpu, victim, task);
    hs_decide_spoliate(out, task, victim);
}

static void next_of_cpu(corrected_state *hp, unsigned cpu, double now, hs_decision *out,
                        hs_wake *wake)
{
    uint32_t task;

    hs_decide_wait(out, INFINITY);
    if (hsi_ready_pool_take(&hp->queue, HS_CPU, &task)) {
        leave_gpu_sets(hp, task);
        start_task(hp, cpu, now, task, out, wake);
    }
}

static void corrected_next(void *state, unsigned worker, double now, hs_decision *out,
                           hs_wake *wake)
{
    corrected_state *hp = state;

    if (!hsi_ready_pool_is_in_service(&hp->queue, worker)) {
        hs_decide_wait(out, INFINITY);
    } else if (hsi_states_pending_decision(&hp->states, worker, out)) {
        if (out->kind == HS_DECIDE_START)
            start_task(hp, worker, now, out->task, out, wake);
    } else if (worker < hp->pb.m) {
        next_of_cpu(hp, worker, now, out, wake);
    } else {
        next_of_gpu(hp, worker, now, out, wake);
    }
}

static void corrected_ahead(void *state, unsigned worker, double now, hs_decision *out,
                            hs_wake *wake)
{
    corrected_state *hp = state;
    uint32_t         task = best_ready(hp);

    (void)wake;
    if (task == HS_NONE || worker < hp->pb.m)
        return;
    take_ready(hp, task);
    hs_decide_start(out, task);
    hsi_states_record_prefetch(&hp->states, worker, task,
                               hs_policy_start_transfers(hp->policy, task, worker, now));
}

static int corrected_waiting(void *state, unsigned worker, uint32_t *task)
{
    corrected_state *hp = state;

    return hsi_states_get_prefetched(&hp->states, worker, task);
}

static void put_back(corrected_state *hp, uint32_t task, hs_wake *wake)
{
    add_ready(hp, task);
    hs_wake_all(wake);
}

static void corrected_ended(void *state, unsigned worker, uint32_t task, hs_ending how, double now,
                            hs_wake *wake)
{
    corrected_state *hp = state;

    if (hsi_states_record_end(&hp->states, worker, task, how, now, wake))
        put_back(hp, task, wake);
}

static void corrected_skip(void *state, uint32_t task)
{
    corrected_state *hp = state;

    take_ready(hp, task);
}

static void corrected_retire(void *state, unsigned worker, hs_wake *wake)
{
    corrected_state *hp = state;
    uint32_t         task;

    if (hsi_ready_pool_retire(&hp->queue, worker) && hsi_states_retire(&hp->states, worker, &task))
        put_back(hp, task, wake);
}

static int corrected_stranded(void *state, uint32_t *task)
{
    corrected_state *hp = state;

    if (!hsi_ready_pool_take_stranded(&hp->queue, task))
        return 0;
    leave_gpu_sets(hp, *task);
    return 1;
}

const hs_policy_kind hsi_policy_hp_corrected = {
    .struct_size = sizeof(hs_policy_kind),
    .name = "hp-corrected",
    .summary = "heteroprio, but GPUs take tasks of high acceleration by rank",
    .create = corrected_create,
    .free = corrected_free,
    .next = corrected_next,
    .ended = corrected_ended,
    .mark_done = corrected_skip,
    .retire = corrected_retire,
    .take_stranded = corrected_stranded,
    .supports_graphs = true,
    .supported_ranks = 1 << HS_RANK_MIN | 1 << HS_RANK_AVG | 1 << HS_RANK_GIVEN | 1 << HS_RANK_FIFO,
    .groups_endings = true,
    .add_ready = corrected_ready,
    .prefetch = corrected_ahead,
    .peek = corrected_waiting,
    .accepts_arrivals = true,
};
