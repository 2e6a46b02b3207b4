/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_H
#define HSI_POLICY_H

#include <hybridsched/policy.h>

#include "policy/arrivals.h"
#include "policy/inputs.h"
#include "policy/ready.h"

/* A policy: its kind with the kind's state, and the data kept by the registry. */
struct hs_policy {
    hs_policy_kind kind; /* complete copy of the policy's kind; fields beyond the struct_size
                            of the original are 0 */
    void    *state;
    unsigned workers;
    uint32_t tasks;
    bool     groups_endings; /* whether all endings at one time must be recorded before workers are
                                asked */
    bool counts_down; /* whether the policy kind itself calls hsi_ready_record_done_concurrently(),
                         from several threads */
    bool behind;      /* whether tasks have ended since the last call of
                         hs_policy_collect_ready() */
    double    now;    /* time of the latest end of a task */
    uint32_t *ran_on; /* by task: worker of a task that is done; NULL without a graph */
    uint32_t *released_by; /* by task: predecessor that ended last; HS_NONE; NULL without a
                              graph */
    hsi_token token;       /* cancel token of create() and hs_policy_simulate(); empty in a live
                              run */
    hsi_problem pb;        /* problem made of the estimates, if `groups_endings` */
    hsi_ready   ready;
    hsi_inputs  inputs;
    hsi_arrivals *arrivals; /* arriving tasks; NULL: the tasks of the estimates */
};

/* Create a policy whose tasks are those of `estimates`, or the `arrivals` (may be NULL), which the
 * policy frees, after a failure too. */
hs_status hsi_policy_create(const hs_policy_kind *kind, const hs_instance *estimates,
                            const hs_schedule *plan, const hs_policy_settings *settings,
                            hsi_arrivals *arrivals, hs_policy **out);

/* Run a policy under the virtual clock, see hs_policy_simulate(). */
hs_status hsi_policy_run_virtually(hs_policy *policy, const hs_instance *truth,
                                   const hs_policy_settings *settings, hs_schedule **out,
                                   hs_error *error);

extern const hs_policy_kind hsi_policy_plan, hsi_policy_plan_steal, hsi_policy_heteroprio,
    hsi_policy_heteroprio_ns, hsi_policy_hp_sp, hsi_policy_hp_corrected, hsi_policy_dualhp,
    hsi_policy_dynamic, hsi_policy_h_ratio, hsi_policy_d_rank, hsi_policy_dmda, hsi_policy_dmdas,
    hsi_policy_explore;

/* Return true if the task's predecessors allow it to start. */
static inline bool hsi_policy_may_start(const hs_policy *policy, uint32_t task)
{
    return !policy->groups_endings || hsi_is_ready(&policy->ready, task);
}

/* Return true if the task never starts, as a successor of a dropped task. */
static inline bool hsi_policy_never_starts(const hs_policy *policy, uint32_t task)
{
    return policy->groups_endings && hsi_is_never_ready(&policy->ready, task);
}

#endif
