/* SPDX-License-Identifier: BSD-3-Clause */
/* The bound `critical-path`: the longest path through the graph, as if both types had enough
 * workers. */
#include "bound/bound.h"
#include "bound/graph/task_spans.h"

/* The value is safe: lengths are rounded down. */
static hs_status compute(const hsi_problem *pb, const hs_settings *settings, double *value,
                         hs_bound_report *report)
{
    hsi_arena arena = {0};
    hsi_task_spans spans;
    hs_status      st = hsi_task_spans_find(pb, &arena, &spans);

    (void)settings;
    (void)report;
    if (st == HS_OK)
        *value = hsi_task_spans_longest(pb, &spans);
    hsi_arena_close(&arena);
    return st;
}

const hs_bound hsi_bound_critical_path = {
    .name = "critical-path",
    .summary = "the longest path through the graph, each task in its smaller time",
    .source = "folklore; without a graph it is min-time",
    .cost = "O(n + dependencies)",
    .graph = true,
    .supports_available = true,
    .compute = compute,
    .certify = hsi_certify_divisible,
};
