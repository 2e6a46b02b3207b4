/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_GRAPH_FLOW_H
#define HSI_BOUND_GRAPH_FLOW_H

#include "bound/graph/longest_paths.h"
#include "support/vector.h"

/*
 * A flow through a graph, as amounts on paths, and multipliers u and v of the types' loads.
 *
 * The tasks of a path take at most T, and the work of a type at most its workers times T. With f_i
 * the flow through task i, and z the sum over all paths, every schedule satisfies
 *
 *     T (m u + k v + z) >= sum over tasks of min((u + f_i) p_i, (v + f_i) q_i).
 *
 * If paths with flow g_i jump over the part of task i that CPUs run, and paths with flow h_i over
 * the part that GPUs run, the factors are u + f_i + g_i / m and v + f_i + h_i / k.
 */
typedef struct hsi_flow {
    hsi_vector               tasks;         /* steps (uint32_t) of all paths, path by path */
    hsi_vector         ends;          /* size_t: the end of each path in `tasks` */
    hsi_vector         amounts;       /* double: the amount of each path */
    double             multiplier[2]; /* u, v */
    const hsi_tasks_between *between;       /* sets of tasks between two vertices, for paths with
                                               jumps; NULL: no path jumps */
} hsi_flow;

void hsi_flow_close(hsi_flow *flow);

/* Add a path of these steps, with amount 0. HS_ENOMEM. */
hs_status hsi_flow_add_path(hsi_flow *flow, const uint32_t *steps, size_t count);

size_t          hsi_flow_paths(const hsi_flow *flow);
const uint32_t *hsi_flow_path(const hsi_flow *flow, size_t path, size_t *count);

static inline double *hsi_flow_amounts(const hsi_flow *flow)
{
    return flow->amounts.data;
}

/*
 * Compute the value that the flow proves, rounded down. Multipliers and amounts are in [0, 1]; the
 * call first rounds them down to multiples of 2^-44, so that the flow through a task is an exact
 * sum. O(n + tasks of all paths).
 */
hs_status hsi_flow_proved_bound(hsi_flow *flow, const hsi_problem *pb, double *value);

#endif
