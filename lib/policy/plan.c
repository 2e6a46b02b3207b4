/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each worker runs its list of the plan in order. What is nobody's any more (a
 * worker's that has retired, or given back) goes to workers that have nothing of their
 * own to do: to each the task in which its type's advantage is greatest.
 *
 * In a graph a worker waits until the next task of its list is ready, and what others make for it
 * is on its way as soon as it is made.
 */
#include <math.h>
#include <stdlib.h>

#include "policy/lists.h"
#include "policy/policy.h"
#include "policy/pool.h"

struct hs_policy_state {
    hs_policy     *policy;
    hsi_problem    pb;
    hsi_lists      lists;
    hsi_pool       orphans;
    unsigned char *is_orphan; /* of tasks */
};

static void plan_free(hs_policy_state *plan)
{
    free(plan->is_orphan);
    hsi_pool_close(&plan->orphans);
    hsi_lists_close(&plan->lists);
    hsi_problem_close(&plan->pb);
    free(plan);
}

static hs_status plan_create(hs_policy *policy, const hs_instance *estimates,
                             const hs_schedule *schedule, const hs_policy_settings *settings,
                             hs_policy_state **out)
{
    hs_policy_state *plan = calloc(1, sizeof *plan);
    hs_status        st;

    (void)settings;
    if (!plan)
        return HS_ENOMEM;
    plan->policy = policy;
    st = hsi_problem_of_tasks(estimates, &plan->pb);
    if (st == HS_OK)
        st = hsi_lists_open(&plan->lists, &plan->pb, schedule);
    if (st == HS_OK)
        st = hsi_pool_open(&plan->orphans, &plan->pb, 0, 0);
    if (st == HS_OK) {
        plan->is_orphan = calloc(plan->pb.n + 1, 1);
        st = plan->is_orphan ? HS_OK : HS_ENOMEM;
    }
    if (st == HS_OK)
        *out = plan;
    else
        plan_free(plan);
    return st;
}

/* Whether a task can be run depends on others in a graph. */
static int plan_own(hs_policy_state *plan, unsigned worker, uint32_t *task)
{
    return !plan->pb.graph && hsi_list_next(&plan->lists.of[worker], task);
}

static const uint32_t *plan_list(hs_policy_state *plan, unsigned worker, size_t *count)
{
    hsi_list *list = &plan->lists.of[worker];

    if (plan->pb.graph)
        return NULL;
    hsi_list_compact(list);
    *count = (size_t)(list->end - list->next);
    return list->next;
}

/* 1 and the next task of the worker's list, if it is ready. What never will be is passed over. */
static int take_next(hs_policy_state *plan, unsigned worker, uint32_t *task)
{
    hsi_list *list = &plan->lists.of[worker];

    if (!plan->pb.graph)
        return hsi_list_next(list, task);
    while (hsi_list_peek(list, task) && hsi_policy_forbids(plan->policy, *task))
        list->next++;
    if (list->next == list->end || !hsi_policy_permits(plan->policy, *task))
        return 0;
    list->next++;
    hsi_memory_foresee(&plan->policy->memory, *task, worker);
    return 1;
}

/* 1 and what is nobody's any more, for who has nothing of his own to do. */
static int take_orphan(hs_policy_state *plan, unsigned worker, uint32_t *task)
{
    hs_type type = worker < plan->pb.m ? HS_CPU : HS_GPU;

    return hsi_pool_serves(&plan->orphans, worker) && hsi_pool_take(&plan->orphans, type, task);
}

static void plan_next(hs_policy_state *plan, unsigned worker, double now, hs_decision *out,
                      hs_wake *wake)
{
    uint32_t task;

    (void)now;
    (void)wake;
    if (take_next(plan, worker, &task) || take_orphan(plan, worker, &task))
        hs_decide_start(out, task);
    else
        hs_decide_wait(out, INFINITY);
}

/* What is not ready yet is left until it is. */
static void add_orphan(hs_policy_state *plan, uint32_t task, hs_wake *wake)
{
    plan->is_orphan[task] = 1;
    if (!hsi_policy_permits(plan->policy, task))
        return;
    hsi_pool_add(&plan->orphans, task);
    hs_wake_all(wake);
}

static void plan_ready(hs_policy_state *plan, const uint32_t *tasks, size_t count, double now,
                       hs_wake *wake)
{
    (void)now;
    for (size_t i = 0; i < count; i++)
        if (plan->is_orphan[tasks[i]])
            hsi_pool_add(&plan->orphans, tasks[i]);
    if (count > 0)
        hs_wake_all(wake);
}

/*
 * What is done is told without a lock, and touches nothing that workers share. It never asks
 * that a task be aborted: one that was may be run again by anybody.
 */
static void plan_ended(hs_policy_state *plan, unsigned worker, uint32_t task, hs_ending how,
                       double now, hs_wake *wake)
{
    (void)worker;
    (void)now;
    if (how == HS_ENDING_BACK || how == HS_ENDING_ABORTED)
        add_orphan(plan, task, wake);
    else if (how == HS_ENDING_DROPPED && plan->pb.graph)
        hs_wake_all(wake); /* some may have waited for what comes after it */
}

static void plan_skip(hs_policy_state *plan, uint32_t task)
{
    hsi_lists_skip(&plan->lists, task);
    hsi_pool_remove(&plan->orphans, task); /* its worker has retired */
}

static void plan_retire(hs_policy_state *plan, unsigned worker, hs_wake *wake)
{
    uint32_t task;

    if (hsi_pool_retire(&plan->orphans, worker))
        while (hsi_list_next(&plan->lists.of[worker], &task))
            add_orphan(plan, task, wake);
}

static int plan_stranded(hs_policy_state *plan, uint32_t *task)
{
    return hsi_pool_stranded(&plan->orphans, task);
}

const hs_policy_kind hsi_policy_plan = {
    .struct_size = sizeof(hs_policy_kind),
    .name = "plan",
    .summary = "each worker runs its tasks of the plan in order",
    .needs_plan = 1,
    .create = plan_create,
    .free = plan_free,
    .next = plan_next,
    .ended = plan_ended,
    .skip = plan_skip,
    .own = plan_own,
    .list = plan_list,
    .retire = plan_retire,
    .stranded = plan_stranded,
    .graphs = 1,
    .ready = plan_ready,
};
