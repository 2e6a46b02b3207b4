/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_PREFETCHED_TRANSFERS_H
#define HSI_POLICY_PREFETCHED_TRANSFERS_H

#include <hybridsched/schedule.h>

#include "support/cancel.h"

/*
 * Add transfers to a schedule that has none, as if each worker's tasks were known from the start:
 * each transfer begins when its data has been written. HS_ENOMEM, HS_ECANCELED: the schedule stays
 * without transfers. O(tasks + edges + accesses), plus the data that tasks read across barriers.
 */
hs_status hsi_add_prefetched_transfers(const hs_instance *in, hs_schedule *s, hsi_token *token);

#endif
