/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_GRAPH_SPANS_H
#define HSI_BOUND_GRAPH_SPANS_H

#include "core/problem.h"

/*
 * The span of a task on a type: how long a schedule is at least that runs it there, which is the
 * longest way of smaller times to the task (its head), its time, and the longest such way from it
 * (its tail). Without a graph it is the task's time. Both after the first worker that could begin
 * is available.
 *
 * Each addition is rounded down, so no span exceeds the true one.
 */
typedef struct hsi_spans {
    const double *cpu, *gpu; /* of tasks; infinite where the time is */
} hsi_spans;

/* In the arena; the times themselves where there is no graph and nobody comes late. O(vertices +
 * edges). */
hs_status hsi_spans_find(const hsi_problem *pb, hsi_arena *arena, hsi_spans *spans);

/* The longest of the tasks' smaller spans: the critical path. */
double hsi_spans_longest(const hsi_problem *pb, const hsi_spans *spans);

#endif
