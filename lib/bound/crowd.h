/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_CROWD_H
#define HSI_BOUND_CROWD_H

#include <stddef.h>
#include <stdint.h>

#include <hybridsched/status.h>

#include "support/asker.h"

/*
 * Of tasks that like workers share, from how many of them some workers must have (crowd.c): safe
 * and, like configuration, which it cannot exceed, high where each worker runs few. O(n log n).
 *
 * In cells of 2^grid, times rounded down to them: some worker has `bound` cells or more, for some
 * have more than `each` of certain tasks, of which the longest has `longest` cells.
 */
typedef struct hsi_crowd {
    int     grid;
    int64_t bound, longest, each; /* bound 0: there is no such argument */
} hsi_crowd;

/* HS_ECANCELED: `asker` (may be NULL) wants no more. All cells of the tasks are less than 2^61. */
hs_status hsi_crowd_find(size_t n, const double *time, unsigned workers, hsi_asker *asker,
                         hsi_crowd *crowd);

/* The greatest double that is not above the bound. */
double hsi_crowd_value(const hsi_crowd *crowd);

#endif
