/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_STEAL_GRAPH_H
#define HSI_POLICY_STEAL_GRAPH_H

#include <hybridsched/policy.h>

/* The kind plan+steal for task graphs; hsi_policy_plan_steal uses it for instances with a graph. */
extern const hs_policy_kind hsi_policy_steal_graph;

/* Add the tasks that became ready: the `add_ready` of both kinds. */
void hsi_steal_graph_add_ready(void *steal, const uint32_t *tasks, size_t count, double now,
                               hs_wake *wake);

#endif
