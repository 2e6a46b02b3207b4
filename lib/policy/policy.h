/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_H
#define HSI_POLICY_H

#include <hybridsched/policy.h>

#include "policy/memory.h"
#include "policy/ready.h"

/* What hs_policy_create() makes of a kind and its state, and what every kind is to know. */
struct hs_policy {
    hs_policy_kind   kind; /* all of it, if its maker knew only a part */
    hs_policy_state *state;
    unsigned         workers;
    uint32_t         tasks;
    int              settles; /* all that ends at one time ends before anybody is asked */
    int              counts_down; /* the kind tells `ready` what is done, from several threads */
    int              behind;  /* something has happened, and nobody asked what is ready */
    double           now;     /* when */
    hsi_asker        asker;   /* of create() and the virtual clock; nobody where it is live */
    hsi_problem      pb;      /* of the estimates, if so */
    hsi_ready        ready;
    hsi_memory       memory;
};

extern const hs_policy_kind hsi_policy_plan, hsi_policy_plan_steal, hsi_policy_heteroprio,
    hsi_policy_heteroprio_ns, hsi_policy_hp_sp, hsi_policy_hp_corrected, hsi_policy_dualhp,
    hsi_policy_dynamic, hsi_policy_h_ratio, hsi_policy_d_rank, hsi_policy_dmda;

/* Is the task one that may be started, as far as others are concerned? */
static inline int hsi_policy_permits(const hs_policy *policy, uint32_t task)
{
    return !policy->settles || hsi_is_ready(&policy->ready, task);
}

/* Does it come after a task that was dropped? */
static inline int hsi_policy_forbids(const hs_policy *policy, uint32_t task)
{
    return policy->settles && hsi_is_never(&policy->ready, task);
}

#endif
