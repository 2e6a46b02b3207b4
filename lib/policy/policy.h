/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_H
#define HSI_POLICY_H

#include <hybridsched/policy.h>

struct hs_policy_kind {
    const char *name;
    const char *summary;
    int         needs_plan;
    hs_status (*create)(const hs_policy_kind *kind, const hs_instance *estimates,
                        const hs_schedule *plan, double tolerance, hs_policy **out);
    void (*free)(hs_policy *policy);
    void (*next)(hs_policy *policy, unsigned worker, double now, hs_decision *out);
    int (*own)(hs_policy *policy, unsigned worker, uint32_t *task);
    void (*ended)(hs_policy *policy, unsigned worker, uint32_t task, hs_ending how, double now);
    void (*skip)(hs_policy *policy, uint32_t task);
    void (*retire)(hs_policy *policy, unsigned worker);
    int (*stranded)(hs_policy *policy, uint32_t *task);
};

/*
 * The first member of each policy's own structure. Whoever calls the functions of
 * the kind has compared workers and tasks with these numbers.
 *
 * All memory is taken when a policy is created: what it is told later cannot fail.
 */
struct hs_policy {
    const hs_policy_kind *kind;
    unsigned              workers;
    uint32_t              tasks;
    unsigned char         news[2]; /* by hs_type: who was told to wait may hear otherwise now;
                                      whoever has asked for them clears it */
};

extern const hs_policy_kind hsi_policy_plan, hsi_policy_plan_steal, hsi_policy_heteroprio;

static inline void hsi_decide_start(hs_decision *out, uint32_t task)
{
    *out = (hs_decision){.kind = HS_DECIDE_START, .task = task};
}

static inline void hsi_decide_take(hs_decision *out, uint32_t task, unsigned victim)
{
    *out = (hs_decision){.kind = HS_DECIDE_TAKE, .task = task, .victim = victim};
}

static inline void hsi_decide_wait(hs_decision *out, double until)
{
    *out = (hs_decision){.kind = HS_DECIDE_WAIT, .until = until};
}

#endif
