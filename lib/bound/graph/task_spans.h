/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_GRAPH_TASK_SPANS_H
#define HSI_BOUND_GRAPH_TASK_SPANS_H

#include "core/problem.h"

/*
 * The span of a task on a type: the least length of a schedule that runs the task on the type. It
 * is the sum of the longest path of smaller times to the task (head), the task's time, and the
 * longest path of smaller times from it (tail). Without a graph it is the task's time. Both start
 * when the first suitable worker is available.
 *
 * Each addition is rounded down, so no span exceeds the true one.
 */
typedef struct hsi_task_spans {
    const double *cpu, *gpu; /* span of each task on CPUs and on GPUs; infinite where the time is
                                infinite */
} hsi_task_spans;

/* Compute the spans, in the arena. Without a graph and release times they are the arrays of times.
 * O(vertices + edges). */
hs_status hsi_task_spans_find(const hsi_problem *pb, hsi_arena *arena, hsi_task_spans *spans);

/* Return the longest of the tasks' smaller spans: the critical path. */
double hsi_task_spans_longest(const hsi_problem *pb, const hsi_task_spans *spans);

#endif
