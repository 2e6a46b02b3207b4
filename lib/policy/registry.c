/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "policy/policy.h"

static const hs_policy_kind *const registry[] = {
    &hsi_policy_plan,
    &hsi_policy_plan_steal,
    &hsi_policy_heteroprio,
};

size_t hs_policy_count(void)
{
    return sizeof registry / sizeof *registry;
}

const hs_policy_kind *hs_policy_at(size_t index)
{
    return index < hs_policy_count() ? registry[index] : NULL;
}

const hs_policy_kind *hs_policy_find(const char *name)
{
    size_t i;

    for (i = 0; name && i < hs_policy_count(); i++)
        if (strcmp(registry[i]->name, name) == 0)
            return registry[i];
    return NULL;
}

const char *hs_policy_name(const hs_policy_kind *kind)
{
    return kind->name;
}

const char *hs_policy_summary(const hs_policy_kind *kind)
{
    return kind->summary;
}

int hs_policy_needs_plan(const hs_policy_kind *kind)
{
    return kind->needs_plan;
}

hs_status hs_policy_create(const hs_policy_kind *kind, const hs_instance *estimates,
                           const hs_schedule *plan, double tolerance, hs_policy **out)
{
    hs_policy *policy = NULL;
    hs_status  st;

    if (!kind || !estimates || !out || !(tolerance >= 0) || isinf(tolerance))
        return HS_EINVAL;
    if (kind->needs_plan && (!plan || hs_schedule_cpus(plan) != hs_instance_cpus(estimates) ||
                             hs_schedule_gpus(plan) != hs_instance_gpus(estimates)))
        return HS_EINVAL;
    st = kind->create(kind, estimates, plan, tolerance, &policy);
    if (st != HS_OK)
        return st;
    policy->kind = kind;
    policy->workers = hs_instance_cpus(estimates) + hs_instance_gpus(estimates);
    policy->tasks = (uint32_t)hs_instance_tasks(estimates);
    *out = policy;
    return HS_OK;
}

void hs_policy_free(hs_policy *policy)
{
    if (policy)
        policy->kind->free(policy);
}

void hs_policy_next(hs_policy *policy, unsigned worker, double now, hs_decision *out)
{
    if (worker < policy->workers)
        policy->kind->next(policy, worker, now, out);
    else
        hsi_decide_wait(out, INFINITY);
}

int hs_policy_own(hs_policy *policy, unsigned worker, uint32_t *task)
{
    return worker < policy->workers && policy->kind->own(policy, worker, task);
}

void hs_policy_ended(hs_policy *policy, unsigned worker, uint32_t task, hs_ending how, double now)
{
    if (worker < policy->workers && task < policy->tasks)
        policy->kind->ended(policy, worker, task, how, now);
}

void hs_policy_skip(hs_policy *policy, uint32_t task)
{
    if (task < policy->tasks)
        policy->kind->skip(policy, task);
}

void hs_policy_retire(hs_policy *policy, unsigned worker)
{
    if (worker < policy->workers)
        policy->kind->retire(policy, worker);
}

int hs_policy_stranded(hs_policy *policy, uint32_t *task)
{
    return policy->kind->stranded(policy, task);
}
