/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_DIVISIBLE_H
#define HSI_BOUND_DIVISIBLE_H

#include "bound/release.h"
#include "core/problem.h"

/*
 * The area LP in closed form. Tasks may be cut into pieces that run anywhere, except that a task
 * whose span (bound/graph/task_spans.h) on one type exceeds `deadline` runs on the other type.
 * Without a graph the span is the time on the type.
 */
typedef struct hsi_divisible {
    const hsi_problem *rows;
    double            *p, *q;  /* times in order of increasing rho */
    double            *cpu_span, *gpu_span; /* spans in the order of the times; without a graph p
                                               and q themselves */
    uint32_t *count;           /* number of tasks of each row, in the order of the times; NULL:
                                  all 1 */
    double            *suffix; /* scratch */
    hsi_release        release; /* release times of workers */
    hsi_arena          arena;
} hsi_divisible;

/* Prepare the LP of the rows. Call hsi_divisible_close() after success and after failure. */
hs_status hsi_divisible_open(hsi_divisible *d, const hsi_problem *rows);
void      hsi_divisible_close(hsi_divisible *d);

/* Return the longest of the tasks' smaller spans: without a graph, the bound min-time. */
double hsi_divisible_longest_min_span(const hsi_divisible *d);

/* Return a value that never exceeds the LP's; INFINITY if a task exceeds the deadline on both
 * types. O(n). */
double hsi_divisible_bound(hsi_divisible *d, double deadline);

/* Compute hsi_divisible_bound() and the multipliers, by type, that prove it; both are 0 if the
 * bound is infinite or 0. */
double hsi_divisible_multipliers(hsi_divisible *d, double deadline, double multiplier[2]);

/* Return true if every schedule is certainly longer than `makespan`, by any amount. All workers
 * must be available from the start. */
bool hsi_divisible_exceeds(hsi_divisible *d, double makespan);

double hsi_min_time_bound(const hsi_problem *rows);

#endif
