/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
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

/* All of a kind that its maker knew; HS_EINVAL if something is missing. */
static hs_status copy_kind(hs_policy_kind *full, const hs_policy_kind *kind)
{
    *full = (hs_policy_kind){0};
    if (kind->struct_size < sizeof kind->struct_size)
        return HS_EINVAL;
    memcpy(full, kind, kind->struct_size < sizeof *full ? kind->struct_size : sizeof *full);
    if (!full->name || !full->create || !full->free || !full->next || !full->ended || !full->skip)
        return HS_EINVAL;
    return HS_OK;
}

hs_status hs_policy_create(const hs_policy_kind *kind, const hs_instance *estimates,
                           const hs_schedule *plan, double tolerance, hs_policy **out)
{
    hs_policy *policy;
    hs_status  st;

    if (!kind || !estimates || !out || !(tolerance >= 0) || isinf(tolerance))
        return HS_EINVAL;
    if (kind->needs_plan && (!plan || hs_schedule_cpus(plan) != hs_instance_cpus(estimates) ||
                             hs_schedule_gpus(plan) != hs_instance_gpus(estimates)))
        return HS_EINVAL;
    policy = malloc(sizeof *policy);
    if (!policy)
        return HS_ENOMEM;
    policy->workers = hs_instance_cpus(estimates) + hs_instance_gpus(estimates);
    policy->tasks = (uint32_t)hs_instance_tasks(estimates);
    st = copy_kind(&policy->kind, kind);
    if (st == HS_OK)
        st = kind->create(estimates, plan, tolerance, &policy->state);
    if (st == HS_OK)
        *out = policy;
    else
        free(policy);
    return st;
}

void hs_policy_free(hs_policy *policy)
{
    if (!policy)
        return;
    policy->kind.free(policy->state);
    free(policy);
}

void hs_policy_next(hs_policy *policy, unsigned worker, double now, hs_decision *out, hs_wake *wake)
{
    hs_wake unread = {0};

    if (worker < policy->workers)
        policy->kind.next(policy->state, worker, now, out, wake ? wake : &unread);
    else
        hs_decide_wait(out, INFINITY);
}

int hs_policy_own(hs_policy *policy, unsigned worker, uint32_t *task)
{
    return policy->kind.own && worker < policy->workers &&
           policy->kind.own(policy->state, worker, task) && *task < policy->tasks;
}

const uint32_t *hs_policy_list(hs_policy *policy, unsigned worker, size_t *count)
{
    if (!policy->kind.list || worker >= policy->workers)
        return NULL;
    return policy->kind.list(policy->state, worker, count);
}

void hs_policy_ended(hs_policy *policy, unsigned worker, uint32_t task, hs_ending how, double now,
                     hs_wake *wake)
{
    hs_wake unread = {0};

    if (worker < policy->workers && task < policy->tasks)
        policy->kind.ended(policy->state, worker, task, how, now, wake ? wake : &unread);
}

void hs_policy_skip(hs_policy *policy, uint32_t task)
{
    if (task < policy->tasks)
        policy->kind.skip(policy->state, task);
}

void hs_policy_retire(hs_policy *policy, unsigned worker, hs_wake *wake)
{
    hs_wake unread = {0};

    if (policy->kind.retire && worker < policy->workers)
        policy->kind.retire(policy->state, worker, wake ? wake : &unread);
}

int hs_policy_stranded(hs_policy *policy, uint32_t *task)
{
    return policy->kind.stranded && policy->kind.stranded(policy->state, task) &&
           *task < policy->tasks;
}
