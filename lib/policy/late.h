/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_LATE_H
#define HSI_POLICY_LATE_H

#include <hybridsched/policy.h>

/* plan+steal where tasks depend on each other: what steal.c hands over to. */
extern const hs_policy_kind hsi_policy_late;

void hsi_late_ready(hs_policy_state *late, const uint32_t *tasks, size_t count, double now,
                    hs_wake *wake);

#endif
