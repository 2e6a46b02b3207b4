/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_PREFETCHED_TRANSFERS_H
#define HSI_POLICY_PREFETCHED_TRANSFERS_H

#include <hybridsched/schedule.h>

#include "support/asker.h"

/*
 * The schedule gets its transfers, unless it has some: those of whoever knew it beforehand, each as
 * soon as there is something to move. HS_ENOMEM, HS_ECANCELED: then it has none. O(tasks + edges +
 * accesses), and all that tasks read over barriers.
 */
hs_status hsi_add_prefetched_transfers(const hs_instance *in, hs_schedule *s, hsi_asker *asker);

#endif
