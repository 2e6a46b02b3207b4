/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_GRAPH_FLOW_H
#define HSI_BOUND_GRAPH_FLOW_H

#include "bound/graph/ways.h"
#include "support/vector.h"

/*
 * A flow through a graph as the ways it takes, and multipliers u and v of the types' loads.
 *
 * All that a way's tasks take, and all that a type's workers do, is T at most, or workers times T.
 * With f_i what flows through task i, on all ways together z, every schedule has
 *
 *     T (m u + k v + z) >= sum over tasks of min((u + f_i) p_i, (v + f_i) q_i).
 *
 * Where ways jump over what the CPUs run of a task, with flows g_i, and the GPUs, h_i, these are
 * u + f_i + g_i / m and v + f_i + h_i / k.
 */
typedef struct hsi_flow {
    hsi_vector         tasks;         /* uint32_t: of all ways, one after the other */
    hsi_vector         ends;          /* size_t: of each way, where it ends in them */
    hsi_vector         amounts;       /* double: of each way */
    double             multiplier[2]; /* u, v */
    const hsi_between *between;       /* NULL: no way jumps */
} hsi_flow;

void hsi_flow_close(hsi_flow *flow);

/* A way of these steps, on which nothing flows. */
hs_status hsi_flow_add(hsi_flow *flow, const uint32_t *steps, size_t count);

size_t          hsi_flow_ways(const hsi_flow *flow);
const uint32_t *hsi_flow_way(const hsi_flow *flow, size_t way, size_t *count);

static inline double *hsi_flow_amounts(const hsi_flow *flow)
{
    return flow->amounts.data;
}

/*
 * What it proves, rounded down: *value. Multipliers and amounts are in [0, 1] and are first rounded
 * down to multiples of 2^-44, so that what flows through a task is an exact sum. O(n + tasks of
 * ways).
 */
hs_status hsi_flow_value(hsi_flow *flow, const hsi_problem *pb, double *value);

#endif
