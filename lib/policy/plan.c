/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each worker runs its list of the plan in order. Orphans (tasks given back, or of a retired
 * worker) go to workers whose own lists offer no task now: each takes the orphan with the greatest
 * advantage on its type.
 *
 * In a graph a worker waits until the next task of its list is ready; transfers of its inputs start
 * as soon as the data is written. Without transfers and orphans, workers take ready tasks without a
 * lock: the thread that ends a task's last predecessor checks whether the task's worker has
 * announced that it waits for the task. The worker announces first and then checks again whether
 * the task is ready, so that at least one of the two sees the other.
 */
#include <math.h>
#include <stdlib.h>

#include "policy/plan_lists.h"
#include "policy/policy.h"
#include "policy/ready_pool.h"
#include "support/atomic.h"

typedef struct plan_state {
    hs_policy     *policy;
    hsi_problem    pb;
    hsi_plan_lists lists;
    hsi_ready_pool orphans;

    /* fields for graphs, shared without a lock; the pool `orphans` needs the lock */
    uint32_t *owner;          /* indexed by task: worker of the list with the task */
    uint32_t *expected;       /* indexed by worker: the awaited task; HS_NONE: none */
    int       orphaned;       /* whether a task has become an orphan during the run: set once,
                                 read by atomics */
    unsigned char *is_orphan; /* state by task: 1: orphan, 2: orphan that has been ready, 0:
                                 neither */
    uint32_t  released;       /* top of the stack of orphans that became ready; HS_NONE: empty */
    uint32_t *below;          /* indexed by task: next entry of the stack `released` */
} plan_state;

static void plan_free(void *state)
{
    plan_state *plan = state;

    free(plan->owner);
    free(plan->expected);
    free(plan->is_orphan);
    free(plan->below);
    hsi_ready_pool_close(&plan->orphans);
    hsi_plan_lists_close(&plan->lists);
    hsi_problem_close(&plan->pb);
    free(plan);
}

static hs_status open_graph(plan_state *plan)
{
    size_t   n = plan->pb.n + 1;
    unsigned w;

    plan->owner = malloc(n * sizeof *plan->owner);
    plan->expected = malloc(plan->lists.workers * sizeof *plan->expected);
    plan->is_orphan = calloc(n, 1);
    plan->below = malloc(n * sizeof *plan->below);
    if (!plan->owner || !plan->expected || !plan->is_orphan || !plan->below)
        return HS_ENOMEM;
    plan->released = HS_NONE;
    for (w = 0; w < plan->lists.workers; w++) {
        const hsi_plan_list *list = &plan->lists.of[w];

        plan->expected[w] = HS_NONE;
        for (const uint32_t *task = list->next; task != list->end; task++)
            plan->owner[*task] = w;
    }
    plan->policy->counts_down = true;
    return HS_OK;
}

static hs_status plan_create(void *data, hs_policy *policy, const hs_instance *estimates,
                             const hs_schedule *schedule, const hs_policy_settings *settings,
                             void **out)
{
    plan_state *plan = calloc(1, sizeof *plan);
    hs_status   st;

    (void)data, (void)settings;
    if (!plan)
        return HS_ENOMEM;
    plan->policy = policy;
    st = hsi_problem_of_tasks(estimates, &policy->token, &plan->pb);
    if (st == HS_OK)
        st = hsi_plan_lists_open(&plan->lists, &plan->pb, schedule);
    if (st == HS_OK)
        st = hsi_ready_pool_open(&plan->orphans, &plan->pb, 0);
    if (st == HS_OK && plan->pb.graph)
        st = open_graph(plan);
    if (st == HS_OK)
        *out = plan;
    else
        plan_free(plan);
    return st;
}

/* Take the worker's next task without a lock. In a graph the task must be ready, with no transfers
 * and no orphans in the run. */
static int plan_own(void *state, unsigned worker, uint32_t *task)
{
    plan_state *plan = state;

    hsi_plan_list *list = &plan->lists.of[worker];

    if (!plan->pb.graph)
        return hsi_plan_list_take(list, task);
    if (hsi_inputs_are_tracked(&plan->policy->inputs) || hsi_atomic_load(&plan->orphaned) ||
        !hsi_plan_list_peek(list, task) || !hsi_is_ready(&plan->policy->ready, *task))
        return 0;
    list->next++;
    return 1;
}

static const uint32_t *plan_list(void *state, unsigned worker, size_t *count)
{
    plan_state *plan = state;

    hsi_plan_list *list = &plan->lists.of[worker];

    if (plan->pb.graph)
        return NULL;
    hsi_plan_list_compact(list);
    *count = (size_t)(list->end - list->next);
    return list->next;
}

/* Return true and the next task of the worker's list, if it is ready. Tasks that can never be ready
 * are passed over. */
static bool take_next(plan_state *plan, unsigned worker, uint32_t *task)
{
    hsi_plan_list *list = &plan->lists.of[worker];

    if (!plan->pb.graph)
        return hsi_plan_list_take(list, task);
    while (hsi_plan_list_peek(list, task) && hsi_policy_never_starts(plan->policy, *task))
        list->next++;
    if (list->next == list->end || !hsi_policy_may_start(plan->policy, *task))
        return false;
    list->next++;
    hsi_inputs_prefetch(&plan->policy->inputs, *task, worker);
    return true;
}

/* Add an orphan to the pool once. The caller holds the policy's lock. */
static void add_ready_orphan(plan_state *plan, uint32_t task)
{
    if (plan->pb.graph && plan->is_orphan[task] == 2)
        return;
    if (plan->pb.graph)
        hsi_atomic_store_byte(&plan->is_orphan[task], 2);
    hsi_ready_pool_add(&plan->orphans, task);
}

static void collect_released(plan_state *plan)
{
    uint32_t task = __atomic_exchange_n(&plan->released, HS_NONE, __ATOMIC_SEQ_CST);

    for (; task != HS_NONE; task = plan->below[task])
        add_ready_orphan(plan, task);
}

/* Return true and an orphan for a worker whose own list offers no task now. */
static bool take_orphan(plan_state *plan, unsigned worker, uint32_t *task)
{
    hs_type type = worker < plan->pb.m ? HS_CPU : HS_GPU;

    if (plan->pb.graph && hsi_atomic_load(&plan->orphaned))
        collect_released(plan);
    return hsi_ready_pool_is_in_service(&plan->orphans, worker) &&
           hsi_ready_pool_take(&plan->orphans, type, task);
}

/*
 * Announce that the worker waits for its next task. Return true and this task if it has become
 * ready meanwhile. No task is dropped between the two looks at the list, since dropping needs the
 * lock.
 */
static bool expect_next(plan_state *plan, unsigned worker, uint32_t *task)
{
    if (!plan->pb.graph || !hsi_plan_list_peek(&plan->lists.of[worker], task))
        return false;
    __atomic_store_n(&plan->expected[worker], *task, __ATOMIC_SEQ_CST);
    if (!take_next(plan, worker, task))
        return false;
    __atomic_store_n(&plan->expected[worker], HS_NONE, __ATOMIC_SEQ_CST);
    return true;
}

static void plan_next(void *state, unsigned worker, double now, hs_decision *out, hs_wake *wake)
{
    plan_state *plan = state;
    uint32_t    task;

    (void)now;
    (void)wake;
    if (plan->pb.graph)
        __atomic_store_n(&plan->expected[worker], HS_NONE, __ATOMIC_SEQ_CST);
    if (take_next(plan, worker, &task) || take_orphan(plan, worker, &task) ||
        expect_next(plan, worker, &task))
        hs_decide_start(out, task);
    else
        hs_decide_wait(out, INFINITY);
}

/* Make a task an orphan; a task that is not ready joins the pool when it is. */
static void add_orphan(plan_state *plan, uint32_t task, hs_wake *wake)
{
    if (plan->pb.graph) {
        hsi_atomic_store(&plan->orphaned, 1);
        __atomic_store_n(&plan->is_orphan[task], 1, __ATOMIC_SEQ_CST);
    }
    if (!hsi_policy_may_start(plan->policy, task))
        return;
    add_ready_orphan(plan, task);
    hs_wake_all(wake);
}

/* Wake workers for the tasks ready at the start; queue_orphan() handles later ones. */
static void plan_ready(void *state, const uint32_t *tasks, size_t count, double now, hs_wake *wake)
{
    plan_state *plan = state;

    (void)plan;
    (void)tasks;
    (void)now;
    if (count > 0)
        hs_wake_all(wake);
}

typedef struct releasing {
    plan_state *plan;
    unsigned    worker; /* worker that ran the ended task */
    hs_wake    *wake;
} releasing;

static void release_orphan(plan_state *plan, uint32_t task)
{
    uint32_t top = __atomic_load_n(&plan->released, __ATOMIC_SEQ_CST);

    do
        plan->below[task] = top;
    while (!__atomic_compare_exchange_n(&plan->released, &top, task, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST));
}

/* Handle a task that has become ready: queue an orphan, or wake the worker that waits for the
 * task. */
static void queue_orphan(void *data, uint32_t task)
{
    const releasing *r = data;
    plan_state      *plan = r->plan;
    uint32_t         owner = plan->owner[task];

    if (__atomic_load_n(&plan->is_orphan[task], __ATOMIC_SEQ_CST)) {
        release_orphan(plan, task);
        hs_wake_all(r->wake);
    } else if (owner != r->worker &&
               __atomic_load_n(&plan->expected[owner], __ATOMIC_SEQ_CST) == task) {
        hs_wake_worker(r->wake, owner);
    }
}

/* HS_ENDING_DONE is called without a lock, and touches only data shared by atomics. The policy
 * never aborts a task itself: one aborted from outside becomes an orphan. */
static void plan_ended(void *state, unsigned worker, uint32_t task, hs_ending how, double now,
                       hs_wake *wake)
{
    plan_state *plan = state;
    releasing   r = {plan, worker, wake};

    (void)now;
    if (how == HS_ENDING_DONE && plan->pb.graph)
        hsi_ready_record_done_concurrently(&plan->policy->ready, task, queue_orphan, &r);
    else if (how == HS_ENDING_RETURNED || how == HS_ENDING_ABORTED)
        add_orphan(plan, task, wake);
    else if (how == HS_ENDING_DROPPED && plan->pb.graph)
        hs_wake_all(wake); /* other workers may have waited for successors of the dropped task */
}

static void plan_skip(void *state, uint32_t task)
{
    plan_state *plan = state;

    hsi_plan_lists_remove(&plan->lists, task);
    hsi_ready_pool_remove(&plan->orphans, task); /* a task whose worker has retired is an orphan */
}

static void plan_retire(void *state, unsigned worker, hs_wake *wake)
{
    plan_state *plan = state;
    uint32_t    task;

    if (hsi_ready_pool_retire(&plan->orphans, worker))
        while (hsi_plan_list_take(&plan->lists.of[worker], &task))
            add_orphan(plan, task, wake);
}

static int plan_stranded(void *state, uint32_t *task)
{
    plan_state *plan = state;

    if (plan->pb.graph)
        collect_released(plan);
    return hsi_ready_pool_take_stranded(&plan->orphans, task);
}

const hs_policy_kind hsi_policy_plan = {
    .struct_size = sizeof(hs_policy_kind),
    .name = "plan",
    .summary = "each worker runs its tasks of the plan in order",
    .needs_plan = true,
    .create = plan_create,
    .free = plan_free,
    .next = plan_next,
    .ended = plan_ended,
    .mark_done = plan_skip,
    .take_own = plan_own,
    .own_list = plan_list,
    .retire = plan_retire,
    .take_stranded = plan_stranded,
    .supports_graphs = true,
    .add_ready = plan_ready,
    .keeps_plan = true,
};
