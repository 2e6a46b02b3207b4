/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls for policies with tasks that arrive. */
#include <math.h>
#include <string.h>

#include "policy/policy.h"
#include "support/sized.h"

void hs_room_init_sized(hs_room *room, size_t size)
{
    const hs_room full = {.tasks = 4096, .accesses = 8, .handles = 4096};

    hsi_sized_init(room, size, &full, sizeof full);
}

void hs_arrival_init_sized(hs_arrival *task, size_t size)
{
    const hs_arrival full = {.cpu = INFINITY, .gpu = INFINITY};

    hsi_sized_init(task, size, &full, sizeof full);
}

int hs_policy_accepts_arrivals(const hs_policy_kind *kind)
{
    hs_policy_kind known = {0};

    (void)hsi_sized_copy_in(&known, sizeof known, kind);
    return known.accepts_arrivals && known.add_ready && !known.needs_plan;
}

static hs_status resolve_room(hs_room *full, const hs_room *given)
{
    hs_room_init(full);
    if (given && !hsi_sized_copy_in(full, sizeof *full, given))
        return HS_EINVAL;
    if (full->tasks == 0)
        return HS_EINVAL;
    if (full->edges == 0)
        full->edges = full->tasks < HS_NONE / 4 ? 4 * full->tasks : HS_NONE - 1;
    return HS_OK;
}

/* Fill in the settings: the rank is the priority where the kind accepts it. */
static hs_status resolve_settings(hs_policy_settings *full, const hs_policy_kind *kind,
                                  const hs_policy_settings *given)
{
    hs_policy_settings_init(full);
    if (given && !hsi_sized_copy_in(full, sizeof *full, given))
        return HS_EINVAL;
    if (full->transfers || full->rank == HS_RANK_MIN || full->rank == HS_RANK_AVG)
        return HS_EINVAL;
    if (full->rank == HS_RANK_DEFAULT && hs_policy_supported_ranks(kind) >> HS_RANK_GIVEN & 1)
        full->rank = HS_RANK_GIVEN;
    return HS_OK;
}

hs_status hs_policy_create_arriving(const hs_policy_kind *kind, const hs_instance *machine,
                                    const hs_room *room, const hs_policy_settings *settings,
                                    hs_policy **out)
{
    hs_room            full_room;
    hs_policy_settings full;
    hsi_arrivals      *arrivals;
    hs_status          st;

    if (!kind || !machine || !out || !hs_policy_accepts_arrivals(kind) ||
        resolve_room(&full_room, room) != HS_OK || resolve_settings(&full, kind, settings) != HS_OK)
        return HS_EINVAL;
    st = hsi_arrivals_create(machine, &full_room, &arrivals);
    return st == HS_OK ? hsi_policy_create(kind, &arrivals->in, NULL, &full, arrivals, out) : st;
}

hs_status hs_policy_add_task(hs_policy *policy, const hs_arrival *task, hs_task_id *id)
{
    hs_arrival full;
    hs_status  st;
    bool       is_ready;

    hs_arrival_init(&full);
    if (!policy || !policy->arrivals || !task || !hsi_sized_copy_in(&full, sizeof full, task))
        return HS_EINVAL;
    st = hsi_arrivals_add(policy->arrivals, &full, id, &is_ready);
    policy->behind |= st == HS_OK && is_ready;
    return st;
}

hs_status hs_policy_add_handle(hs_policy *policy, double bytes, uint32_t memory_node,
                               uint32_t *handle)
{
    uint32_t added;

    if (!policy || !policy->arrivals || !handle || !(bytes >= 0) || isinf(bytes) ||
        memory_node >= hsi_memory_node_count(&policy->pb))
        return HS_EINVAL;
    added = hsi_access_queues_add_handle(&policy->arrivals->queues);
    if (added == HS_NONE)
        return HS_EFULL;
    hsi_inputs_add_handle(&policy->inputs, added, bytes, memory_node);
    *handle = added;
    return HS_OK;
}

hs_status hs_policy_remove_handle(hs_policy *policy, uint32_t handle)
{
    return policy && policy->arrivals &&
                   hsi_access_queues_remove_handle(&policy->arrivals->queues, handle)
               ? HS_OK
               : HS_EINVAL;
}

size_t hs_policy_live_tasks(const hs_policy *policy)
{
    return policy->arrivals ? policy->arrivals->live : 0;
}
