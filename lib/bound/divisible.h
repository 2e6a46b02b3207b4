/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_DIVISIBLE_H
#define HSI_BOUND_DIVISIBLE_H

#include "bound/release.h"
#include "core/problem.h"

/*
 * The area LP in closed form. Tasks may be cut into pieces that run anywhere,
 * except that a task whose span (bound/graph/spans.h) on one type is longer than `deadline`
 * runs on the other. Without a graph that is its time there.
 */
typedef struct hsi_divisible {
    const hsi_problem *rows;
    double            *p, *q;  /* times by increasing rho */
    double            *cpu_span, *gpu_span; /* likewise; p and q themselves without a graph */
    uint32_t          *count;  /* likewise; NULL: all 1 */
    double            *suffix; /* scratch */
    hsi_release        release; /* of workers */
    hsi_arena          arena;
} hsi_divisible;

/* Close it whatever comes of this. */
hs_status hsi_divisible_open(hsi_divisible *d, const hsi_problem *rows);
void      hsi_divisible_close(hsi_divisible *d);

/* The longest of the tasks' smaller spans: without a graph, min-time. */
double hsi_divisible_longest(const hsi_divisible *d);

/* Never above the LP's true value; infinite if a task exceeds the deadline everywhere. O(n). */
double hsi_divisible_bound(hsi_divisible *d, double deadline);

/*
 * The same, and the multipliers (by type) that prove it: both 0 if it is infinite, or
 * if it is 0.
 */
double hsi_divisible_multipliers(hsi_divisible *d, double deadline, double multiplier[2]);

/*
 * Is every schedule longer than that for certain, by however little? Of workers that are all there
 * from the beginning.
 */
int hsi_divisible_exceeds(hsi_divisible *d, double makespan);

/*
 * What the multipliers u of the CPUs' constraint and v of the GPUs' prove about
 * the area LP without deadline: the sum of min(u p, v q) over (m u + k v),
 * rounded down. u, v >= 0, not both 0. O(n).
 */
double hsi_area_of_multipliers(const hsi_problem *rows, double u, double v);

double hsi_min_time(const hsi_problem *rows);

#endif
