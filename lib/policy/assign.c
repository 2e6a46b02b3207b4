/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Policies that assign ready tasks to worker queues: dynamic (Zhang, Hou), h-ratio and d-rank (of
 * kernel graphs on embedded systems), dmda (StarPU). They differ in the order of ready tasks, in
 * how many tasks are assigned at a time, and in the rule that chooses the worker. All assignments
 * happen when tasks become ready: idle workers take from their queues, then the next task is
 * assigned, and so on. A worker's question only returns the task that it was given.
 *
 * O(log n + m + k) per task.
 */
#include <math.h>
#include <stdlib.h>

#include "core/graph/rank.h"
#include "core/order.h"
#include "policy/policy.h"
#include "policy/ranking.h"
#include "policy/ready_pool.h"
#include "policy/worker_queues.h"
#include "policy/worker_states.h"
#include "support/ordered_set.h"
#include "support/ratio.h"

typedef enum assignment { DYNAMIC, H_RATIO, D_RANK, DMDA, DMDAS } assignment;

enum { MOST_EQUAL_RANKS = 16 }; /* tasks of equal rank among which dmdas chooses */

typedef struct assigned {
    uint32_t todo;     /* task to start at the worker's next question; HS_NONE */
    double   estimate; /* end of the worker's queue, computed at the last assignment */
    double   base;     /* dynamic: expected end of the running task, and of the whole queue */
    double   end;
    bool     is_known; /* whether `base` and `end` are up to date */
    double   available; /* time of the worker's first decision */
    bool     retired;
} assigned;

typedef struct assign_state {
    hs_policy        *policy;
    assignment        kind;
    unsigned          threshold;
    hsi_problem       pb; /* priorities are ranks */
    hsi_ranking       ranking;
    hsi_worker_states states;
    hsi_worker_queues queues;
    assigned         *assigned;
    hsi_ordered_set   ready; /* tasks that wait for assignment, the next one at the front */
    uint64_t         *order; /* indexed by task: position in the order of becoming ready */
    uint64_t          next_order;
    double           *key;        /* d-rank: rank of each task */
    uint32_t         *unrunnable; /* tasks that cannot run on any worker in service */
    size_t            unrunnable_count;
} assign_state;

static void assign_free(void *state)
{
    assign_state *a = state;

    hsi_states_close(&a->states);
    hsi_worker_queues_close(&a->queues);
    hsi_set_close(&a->ready);
    hsi_problem_close(&a->pb);
    hsi_ranking_close(&a->ranking);
    free(a->assigned);
    free(a->order);
    free(a->key);
    free(a->unrunnable);
    free(a);
}

static bool ends_earlier_than(const assign_state *a, uint32_t task, uint32_t other)
{
    return a->order[task] < a->order[other];
}

static bool is_bound(const assign_state *a, uint32_t task)
{
    return isinf(a->pb.p[task]) || isinf(a->pb.q[task]);
}

static double longer_time(const assign_state *a, uint32_t task)
{
    return a->pb.p[task] > a->pb.q[task] ? a->pb.p[task] : a->pb.q[task];
}

/* Among tasks with equal keys: the larger exact ratio first (the key's rounding hides differences),
 * then the task that became ready first. */
static int precedes_in_order(const void *context, uint32_t x, uint32_t y)
{
    const assign_state *a = context;
    int                 sign = 0;

    if (a->kind == H_RATIO && !is_bound(a, x) && !is_bound(a, y))
        sign = hsi_compare_ratios(longer_time(a, x), hsi_min_time(&a->pb, x), longer_time(a, y),
                                  hsi_min_time(&a->pb, y));
    return sign ? sign > 0 : ends_earlier_than(a, x, y);
}

static double key_of(const assign_state *a, uint32_t task)
{
    if (a->kind == H_RATIO)
        return -(longer_time(a, task) / hsi_min_time(&a->pb, task));
    return a->kind == D_RANK ? -a->key[task] : (double)a->order[task];
}

static int has_higher_rank(const void *context, uint32_t x, uint32_t y)
{
    const assign_state *a = context;
    int64_t             rank_x = hsi_priority_of(&a->pb, x), rank_y = hsi_priority_of(&a->pb, y);

    return rank_x != rank_y ? rank_x > rank_y : hsi_task_comes_first(&a->pb, x, y);
}

static hs_rank default_rank(const assign_state *a)
{
    if (a->kind != DMDAS)
        return HS_RANK_FIFO;
    return a->pb.graph ? HS_RANK_MIN : HS_RANK_GIVEN;
}

static hs_status open_all(assign_state *a, const hs_instance *estimates,
                          const hs_policy_settings *settings)
{
    hs_status st = hsi_problem_of_tasks(estimates, &a->policy->token, &a->pb);

    if (st == HS_OK)
        st = hsi_ranking_open(&a->ranking, estimates, &a->pb, settings->rank, default_rank(a));
    if (st == HS_OK)
        st = hsi_states_open(&a->states, &a->pb, estimates, settings->tolerance);
    if (st == HS_OK)
        st = hsi_worker_queues_open(&a->queues, &a->pb,
                                    a->ranking.rank == HS_RANK_FIFO ? NULL : has_higher_rank, a);
    hsi_set_open(&a->ready, precedes_in_order, a);
    a->assigned = calloc((size_t)a->pb.m + a->pb.k, sizeof *a->assigned);
    a->order = calloc(a->pb.n + 1, sizeof *a->order);
    a->key = calloc(a->pb.n + 1, sizeof *a->key);
    a->unrunnable = calloc(a->pb.n + 1, sizeof *a->unrunnable);
    if (st == HS_OK && (!a->assigned || !a->order || !a->key || !a->unrunnable ||
                        hsi_set_reserve(&a->ready, a->pb.n)))
        st = HS_ENOMEM;
    if (st == HS_OK && a->kind == D_RANK)
        st = hsi_one_edge_ranks(estimates, &a->pb, a->key);
    return st;
}

static hs_status create_assignment(assignment kind, hs_policy *policy, const hs_instance *estimates,
                                   const hs_policy_settings *settings, void **out)
{
    assign_state *a = calloc(1, sizeof *a);
    hs_status     st;

    if (!a)
        return HS_ENOMEM;
    a->policy = policy;
    a->kind = kind;
    a->threshold = settings->parameters.threshold;
    st = open_all(a, estimates, settings);
    if (st != HS_OK) {
        assign_free(a);
        return st;
    }
    if (!a->threshold)
        a->threshold = 2 * (a->pb.m + a->pb.k);
    for (unsigned w = 0; w < a->pb.m + a->pb.k; w++) {
        a->assigned[w].todo = HS_NONE;
        a->assigned[w].available = settings->available ? settings->available[w] : 0;
    }
    *out = a;
    return HS_OK;
}

#define CREATE(name, assignment)                                                                   \
    static hs_status name(void *data, hs_policy *policy, const hs_instance *estimates,             \
                          const hs_schedule *plan, const hs_policy_settings *settings, void **out) \
    {                                                                                              \
        (void)data, (void)plan;                                                                    \
        return create_assignment(assignment, policy, estimates, settings, out);                    \
    }

CREATE(dynamic_create, DYNAMIC)
CREATE(ratio_create, H_RATIO)
CREATE(rank_create, D_RANK)
CREATE(dmda_create, DMDA)
CREATE(dmdas_create, DMDAS)

/* Return the i-th worker: GPUs first, then lower numbers. */
static unsigned worker_at(const assign_state *a, unsigned order)
{
    return order < a->pb.k ? a->pb.m + order : order - a->pb.k;
}

static double time_on(const assign_state *a, unsigned worker, uint32_t task)
{
    return hsi_states_time(&a->states, hsi_states_type(&a->states, worker), task);
}

static bool is_free(const assign_state *a, unsigned worker, double now)
{
    return a->states.of[worker].task == HS_NONE && !a->assigned[worker].retired &&
           a->assigned[worker].available <= now;
}

static void start_task(assign_state *a, unsigned worker, uint32_t task, double now, hs_wake *wake)
{
    hsi_states_record_start(&a->states, worker, task,
                            hs_policy_start_transfers(a->policy, task, worker, now));
    a->assigned[worker].todo = task;
    a->assigned[worker].is_known = false;
    hs_wake_worker(wake, worker);
}

/* Take from a worker's queue, among the first tasks of equal rank, the one that waits for the
 * fewest bytes; among equals the first. */
static uint32_t pop_fewest_bytes(assign_state *a, unsigned worker, double now)
{
    uint32_t equal[MOST_EQUAL_RANKS], best = 0, count = 0;
    double   fewest = INFINITY;

    do {
        uint32_t task = hsi_worker_queues_pop(&a->queues, worker);
        double   bytes = hsi_inputs_awaited_bytes(&a->policy->inputs, task, worker, now);

        if (bytes < fewest) {
            fewest = bytes;
            best = count;
        }
        equal[count++] = task;
    } while (count < MOST_EQUAL_RANKS && fewest > 0 && a->queues.count[worker] > 0 &&
             hsi_priority_of(&a->pb, a->queues.first[worker]) == hsi_priority_of(&a->pb, equal[0]));
    for (uint32_t i = 0; i < count; i++)
        if (i != best)
            hsi_worker_queues_push(&a->queues, worker, equal[i]);
    return equal[best];
}

static uint32_t pop_queued(assign_state *a, unsigned worker, double now)
{
    if (a->kind == DMDAS && hsi_inputs_are_tracked(&a->policy->inputs))
        return pop_fewest_bytes(a, worker, now);
    return hsi_worker_queues_pop(&a->queues, worker);
}

static void start_queued(assign_state *a, unsigned worker, double now, hs_wake *wake)
{
    if (is_free(a, worker, now) && a->queues.count[worker] > 0)
        start_task(a, worker, pop_queued(a, worker, now), now, wake);
}

/* Return the end of a busy worker's queue, run after the current task. */
static double end_of_queue(assign_state *a, unsigned worker, double now)
{
    assigned *l = &a->assigned[worker];
    double    base = fmax(hsi_states_expected_end(&a->states, worker, now), l->available);
    uint32_t  task = a->queues.first[worker];

    if (l->is_known && base == l->base)
        return l->end;
    l->base = l->end = base;
    l->is_known = true;
    for (size_t i = 0; i < a->queues.count[worker]; i++, task = a->queues.left[task])
        l->end += time_on(a, worker, task);
    return l->end;
}

/* Return the end of the worker's queue as estimated at the last assignment; `now` for an idle
 * worker. */
static double end_of_assigned(const assign_state *a, unsigned worker, double now)
{
    if (a->states.of[worker].task == HS_NONE && a->queues.count[worker] == 0)
        return fmax(now, a->assigned[worker].available);
    return a->assigned[worker].estimate;
}

/* Return the end of the task on the worker by the policy's own rule. */
static double end_on(assign_state *a, unsigned worker, uint32_t task, double now)
{
    double from;

    switch (a->kind) {
    case DYNAMIC:
        from = is_free(a, worker, now) ? now : end_of_queue(a, worker, now);
        break;
    case DMDA:
    case DMDAS:
        from = fmax(end_of_assigned(a, worker, now),
                    hs_policy_input_arrival(a->policy, task, worker, now));
        break;
    default:
        from =
            end_of_assigned(a, worker, now) + hs_policy_longest_transfer(a->policy, task, worker);
    }
    return from + time_on(a, worker, task);
}

/* Choose the worker with the earliest end of the task, and return this end; dynamic prefers an idle
 * worker among equals. Returns the number of workers if none in service can run it. */
static unsigned choose_worker(assign_state *a, uint32_t task, double now, double *end)
{
    unsigned workers = a->pb.m + a->pb.k, best = workers;

    *end = INFINITY;
    for (unsigned i = 0; i < workers; i++) {
        unsigned w = worker_at(a, i);
        double   end_there;

        if (a->assigned[w].retired)
            continue;
        end_there = end_on(a, w, task, now);
        if (end_there < *end || (best == workers && !isinf(time_on(a, w, task))) ||
            (end_there == *end && a->kind == DYNAMIC && !isinf(end_there) && is_free(a, w, now) &&
             !is_free(a, best, now))) {
            best = w;
            *end = end_there;
        }
    }
    return best;
}

static bool is_any_free(const assign_state *a, double now)
{
    for (unsigned w = 0; w < a->pb.m + a->pb.k; w++)
        if (is_free(a, w, now))
            return true;
    return false;
}

/* Return true if fewer tasks than the threshold are assigned and not started (queued, or waiting
 * for inputs). */
static bool is_below_threshold(const assign_state *a, double now)
{
    size_t count = a->queues.total;

    for (unsigned w = 0; w < a->pb.m + a->pb.k && hsi_inputs_are_tracked(&a->policy->inputs); w++)
        count += a->states.of[w].task != HS_NONE && a->states.of[w].start > now;
    return count < a->threshold;
}

static bool may_assign(const assign_state *a, double now)
{
    switch (a->kind) {
    case DYNAMIC:
        return is_any_free(a, now);
    case DMDA:
    case DMDAS:
        return true;
    default:
        return is_below_threshold(a, now);
    }
}

/* Assign the first ready task. Put it aside if no worker in service can run it, to not block the
 * next tasks. */
static void assign_next(assign_state *a, double now, hs_wake *wake)
{
    uint32_t task = hsi_set_at(&a->ready, HSI_SET_FRONT, 0);
    double   end;
    unsigned worker = choose_worker(a, task, now, &end);

    hsi_set_remove_end(&a->ready, HSI_SET_FRONT);
    if (worker == a->pb.m + a->pb.k) {
        a->unrunnable[a->unrunnable_count++] = task;
        return;
    }
    a->assigned[worker].estimate = end;
    if (a->kind == DYNAMIC && is_free(a, worker, now)) {
        start_task(a, worker, task, now, wake);
        return;
    }
    hs_policy_start_transfers(a->policy, task, worker, now);
    hsi_worker_queues_push(&a->queues, worker, task);
    if (a->assigned[worker].is_known)
        a->assigned[worker].end += time_on(a, worker, task);
    if (a->kind == H_RATIO || a->kind == D_RANK)
        start_queued(a, worker, now, wake);
}

static void settle_workers(assign_state *a, double now, hs_wake *wake)
{
    unsigned workers = a->pb.m + a->pb.k, w;

    for (w = 0; w < workers && a->kind != DMDA && a->kind != DMDAS; w++)
        start_queued(a, w, now, wake);
    while (a->ready.count && may_assign(a, now) && !hsi_poll_after_work(a->pb.token, 16 * workers))
        assign_next(a, now, wake);
    for (w = 0; w < workers; w++)
        start_queued(a, w, now, wake);
}

static void add_ready(assign_state *a, uint32_t task)
{
    hsi_ranking_number_ready(&a->ranking, task);
    a->order[task] = a->next_order++;
    hsi_set_insert(&a->ready, key_of(a, task), task);
}

static void assign_ready(void *state, const uint32_t *tasks, size_t count, double now,
                         hs_wake *wake)
{
    assign_state *a = state;

    for (size_t i = 0; i < count && !hsi_poll_after_work(a->pb.token, HSI_POOL_WORK); i++)
        add_ready(a, tasks[i]);
    settle_workers(a, now, wake);
}

static void assign_next_of(void *state, unsigned worker, double now, hs_decision *out,
                           hs_wake *wake)
{
    assign_state *a = state;
    uint32_t     *todo = &a->assigned[worker].todo;

    (void)wake;
    hs_decide_wait(out, INFINITY);
    if (*todo == HS_NONE || a->assigned[worker].retired)
        return;
    hs_decide_start(out, *todo);
    hsi_states_record_start(&a->states, worker, *todo,
                            hs_policy_start_transfers(a->policy, *todo, worker, now));
    *todo = HS_NONE;
}

static int assign_waiting(void *state, unsigned worker, uint32_t *task)
{
    assign_state *a = state;

    if (a->queues.count[worker] == 0)
        return 0;
    *task = a->queues.first[worker];
    return 1;
}

/* Handle the end of a task. Tasks that become ready by this end are assigned by the next
 * assign_ready(). */
static void assign_ended(void *state, unsigned worker, uint32_t task, hs_ending how, double now,
                         hs_wake *wake)
{
    assign_state *a = state;
    bool          again = hsi_states_record_end(&a->states, worker, task, how, now, wake);

    a->assigned[worker].is_known = false;
    if (again)
        add_ready(a, task);
}

static void assign_skip(void *state, uint32_t task)
{
    (void)state;
    (void)task; /* a dropped task never becomes ready */
}

static void assign_retire(void *state, unsigned worker, hs_wake *wake)
{
    assign_state *a = state;
    assigned     *l = &a->assigned[worker];

    (void)wake;
    if (l->retired)
        return;
    l->retired = true;
    if (l->todo != HS_NONE) {
        a->states.of[worker].task = HS_NONE;
        add_ready(a, l->todo);
    }
    l->todo = HS_NONE;
    while (a->queues.count[worker] > 0)
        add_ready(a, hsi_worker_queues_pop(&a->queues, worker));
}

static bool can_be_run(const assign_state *a, uint32_t task)
{
    for (unsigned w = 0; w < a->pb.m + a->pb.k; w++)
        if (!a->assigned[w].retired && !isinf(time_on(a, w, task)))
            return true;
    return false;
}

static int assign_stranded(void *state, uint32_t *task)
{
    assign_state *a = state;

    if (a->unrunnable_count > 0) {
        *task = a->unrunnable[--a->unrunnable_count];
        return 1;
    }
    for (size_t i = 0; i < a->ready.count; i++) {
        *task = hsi_set_at(&a->ready, HSI_SET_FRONT, i);
        if (can_be_run(a, *task))
            continue;
        hsi_set_remove(&a->ready, key_of(a, *task), *task);
        return 1;
    }
    return 0;
}

#define CALLS                                                                                      \
    .struct_size = sizeof(hs_policy_kind), .free = assign_free, .next = assign_next_of,            \
    .ended = assign_ended, .mark_done = assign_skip, .retire = assign_retire,                      \
    .take_stranded = assign_stranded, .supports_graphs = 1, .groups_endings = 1,                   \
    .add_ready = assign_ready, .peek = assign_waiting

const hs_policy_kind hsi_policy_dynamic = {
    CALLS,
    .name = "dynamic",
    .summary = "a ready task goes to the worker that ends it first, while a worker is free",
    .create = dynamic_create,
    .accepts_arrivals = true,
};

const hs_policy_kind hsi_policy_h_ratio = {
    CALLS,
    .name = "h-ratio",
    .summary = "the tasks with the most extreme ratios first, each to the worker that ends it "
               "first",
    .create = ratio_create,
    .accepts_arrivals = true,
};

const hs_policy_kind hsi_policy_d_rank = {
    CALLS,
    .name = "d-rank",
    .summary = "as h-ratio, in the order of mean time, transfer time and mean time of the "
               "longest path behind the task",
    .create = rank_create,
};

const hs_policy_kind hsi_policy_dmda = {
    CALLS,
    .name = "dmda",
    .summary = "a task that becomes ready goes at once to the worker expected to end it first",
    .create = dmda_create,
    .supported_ranks = 1 << HS_RANK_MIN | 1 << HS_RANK_AVG | 1 << HS_RANK_FIFO,
    .accepts_arrivals = true,
};

const hs_policy_kind hsi_policy_dmdas = {
    CALLS,
    .name = "dmdas",
    .summary = "as dmda, but a worker starts its tasks by rank, and among equal ranks the one that "
               "waits for the fewest bytes",
    .create = dmdas_create,
    .supported_ranks = 1 << HS_RANK_MIN | 1 << HS_RANK_AVG | 1 << HS_RANK_GIVEN | 1 << HS_RANK_FIFO,
    .accepts_arrivals = true,
};
