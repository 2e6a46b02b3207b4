/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_H
#define HSI_POLICY_H

#include <hybridsched/policy.h>

/* What hs_policy_create() makes of a kind and its state. */
struct hs_policy {
    hs_policy_kind   kind; /* all of it, if its maker knew only a part */
    hs_policy_state *state;
    unsigned         workers;
    uint32_t         tasks;
};

extern const hs_policy_kind hsi_policy_plan, hsi_policy_plan_steal, hsi_policy_heteroprio;

#endif
