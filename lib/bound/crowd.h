/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_CROWD_H
#define HSI_BOUND_CROWD_H

#include <stddef.h>

#include <hybridsched/status.h>

#include "support/asker.h"

/*
 * Of tasks that like workers share, from how many of them some workers must have (crowd.c): safe
 * and, like configuration, which it cannot exceed, high where each worker runs few. O(n log n).
 * HS_ECANCELED: `asker` (may be NULL) wants no more.
 */
hs_status hsi_crowd_bound(size_t n, const double *time, unsigned workers, hsi_asker *asker,
                          double *bound);

#endif
