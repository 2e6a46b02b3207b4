/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_GRAPH_RANK_H
#define HSI_CORE_GRAPH_RANK_H

#include <hybridsched/rank.h>

#include "core/problem.h"

/*
 * Ranks of tasks: b(t) = w(t) + max over the successors s of (c(t, s) + b(s)), with the inner sum
 * computed first; the max is 0 without successors. c is the mean time, over all ordered pairs of
 * workers, to move the largest piece that t produces and s reads; 0 for `min`. A barrier takes no
 * time: it replaces many edges, and the max over sums with a common summand is the sum with the
 * max.
 */

/* Return w(t) for `min` and for `avg`; an infinite time counts as the finite one. */
static inline double hsi_min_time(const hsi_problem *pb, size_t task)
{
    return pb->p[task] < pb->q[task] ? pb->p[task] : pb->q[task];
}

static inline double hsi_mean_time(const hsi_problem *pb, size_t task)
{
    if (isinf(pb->p[task]))
        return pb->q[task];
    if (isinf(pb->q[task]))
        return pb->p[task];
    return (pb->m * pb->p[task] + pb->k * pb->q[task]) / ((double)pb->m + pb->k);
}

/*
 * Compute rank[t] = b(t), for HS_RANK_MIN or HS_RANK_AVG. O(vertices + edges). Here and below, when
 * the problem's cancel token is cancelled, returns HS_ECANCELED or leaves the result undefined.
 */
hs_status hsi_ranks(const hs_instance *in, const hsi_problem *pb, hs_rank which, double *rank);

/*
 * Compute rank[t] = w(t) + max over the successors of (c(t, s) + w(s)), with w and c of
 * HS_RANK_AVG.
 */
hs_status hsi_one_edge_ranks(const hs_instance *in, const hsi_problem *pb, double *rank);

/*
 * Compute integers in the order of the ranks: higher ranks give higher numbers, equal ranks equal
 * numbers. HS_RANK_GIVEN: the priorities; HS_RANK_FIFO: all 0.
 */
hs_status hsi_rank_numbers(const hs_instance *in, const hsi_problem *pb, hs_rank which,
                           int64_t *number);

#endif
