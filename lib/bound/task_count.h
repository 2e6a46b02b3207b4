/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_TASK_COUNT_H
#define HSI_BOUND_TASK_COUNT_H

#include <stddef.h>
#include <stdint.h>

#include <hybridsched/status.h>

#include "support/cancel.h"

/*
 * A bound for identical workers from the number of tasks that some of them must run (task_count.c).
 * It is safe, never exceeds configuration, and is high if each worker runs few tasks. O(n log n).
 *
 * Times are rounded down to cells of 2^cell_exponent. Some worker has a load of at least `bound`
 * cells, since some workers run more than `each` of certain tasks, the longest of which has
 * `longest` cells.
 */
typedef struct hsi_task_count_bound {
    int     cell_exponent;
    int64_t bound, longest, each; /* bound in cells; 0: the argument gives no bound */
} hsi_task_count_bound;

/* HS_ECANCELED: `token`, which may be NULL, was cancelled. All tasks together must have less than
 * 2^61 cells. */
hs_status hsi_task_count_bound_find(size_t count, const double *time, unsigned workers,
                                    hsi_token *token, hsi_task_count_bound *found);

/* Return the bound rounded down to a double. */
double hsi_task_count_bound_value(const hsi_task_count_bound *found);

#endif
