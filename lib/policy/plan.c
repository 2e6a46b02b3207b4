/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each worker runs its list of the plan in order. What is nobody's any more (a
 * worker's that has retired, or given back) goes to workers whose lists have come
 * to an end: to each the task in which its type's advantage is greatest.
 */
#include <math.h>
#include <stdlib.h>

#include "policy/lists.h"
#include "policy/policy.h"
#include "policy/pool.h"

typedef struct plan_policy {
    hs_policy   base;
    hsi_problem pb;
    hsi_lists   lists;
    hsi_pool    orphans;
} plan_policy;

static void plan_free(hs_policy *policy)
{
    plan_policy *plan = (plan_policy *)policy;

    hsi_pool_close(&plan->orphans);
    hsi_lists_close(&plan->lists);
    hsi_problem_close(&plan->pb);
    free(plan);
}

static hs_status plan_create(const hs_policy_kind *kind, const hs_instance *estimates,
                             const hs_schedule *schedule, double tolerance, hs_policy **out)
{
    plan_policy *plan = calloc(1, sizeof *plan);
    hs_status    st;

    (void)kind;
    (void)tolerance;
    if (!plan)
        return HS_ENOMEM;
    st = hsi_problem_of_tasks(estimates, &plan->pb);
    if (st == HS_OK)
        st = hsi_lists_open(&plan->lists, &plan->pb, schedule);
    if (st == HS_OK)
        st = hsi_pool_open(&plan->orphans, &plan->pb, 0);
    if (st == HS_OK)
        *out = &plan->base;
    else
        plan_free(&plan->base);
    return st;
}

static int plan_own(hs_policy *policy, unsigned worker, uint32_t *task)
{
    return hsi_list_next(&((plan_policy *)policy)->lists.of[worker], task);
}

static void plan_next(hs_policy *policy, unsigned worker, double now, hs_decision *out)
{
    plan_policy *plan = (plan_policy *)policy;
    hs_type      type = worker < plan->pb.m ? HS_CPU : HS_GPU;
    uint32_t     task;

    (void)now;
    if (hsi_list_next(&plan->lists.of[worker], &task) ||
        (hsi_pool_serves(&plan->orphans, worker) && hsi_pool_take(&plan->orphans, type, &task)))
        hsi_decide_start(out, task);
    else
        hsi_decide_wait(out, INFINITY);
}

static void add_orphan(plan_policy *plan, uint32_t task)
{
    hsi_pool_add(&plan->orphans, task);
    plan->base.news[HS_CPU] = plan->base.news[HS_GPU] = 1;
}

/* It never asks that a task be aborted: one that was may be run again by anybody. */
static void plan_ended(hs_policy *policy, unsigned worker, uint32_t task, hs_ending how, double now)
{
    (void)worker;
    (void)now;
    if (how == HS_ENDING_BACK || how == HS_ENDING_ABORTED)
        add_orphan((plan_policy *)policy, task);
}

static void plan_skip(hs_policy *policy, uint32_t task)
{
    plan_policy *plan = (plan_policy *)policy;

    hsi_lists_skip(&plan->lists, task);
    hsi_pool_remove(&plan->orphans, task);
}

static void plan_retire(hs_policy *policy, unsigned worker)
{
    plan_policy *plan = (plan_policy *)policy;
    uint32_t     task;

    if (hsi_pool_retire(&plan->orphans, worker))
        while (hsi_list_next(&plan->lists.of[worker], &task))
            add_orphan(plan, task);
}

static int plan_stranded(hs_policy *policy, uint32_t *task)
{
    return hsi_pool_stranded(&((plan_policy *)policy)->orphans, task);
}

const hs_policy_kind hsi_policy_plan = {
    .name = "plan",
    .summary = "each worker runs its tasks of the plan in order",
    .needs_plan = 1,
    .create = plan_create,
    .free = plan_free,
    .next = plan_next,
    .own = plan_own,
    .ended = plan_ended,
    .skip = plan_skip,
    .retire = plan_retire,
    .stranded = plan_stranded,
};
