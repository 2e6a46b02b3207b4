/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_GRAPH_RANK_H
#define HSI_CORE_GRAPH_RANK_H

#include <hybridsched/rank.h>

#include "core/problem.h"

/*
 * Ranks of tasks: b(t) = w(t) + max over the successors s of (c(t, s) + b(s)), the inner sum first,
 * 0 without successors. c is the mean time, over all ordered pairs of workers, to move the largest
 * piece that t makes and s reads, and 0 for `min`. A barrier takes no time: what it stands for is
 * many edges, and the largest of sums with one summand in common is that of the largest.
 */

/* w(t) of `min` and of `avg`: an infinite time counts as the finite one. */
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
 * rank[t] = b(t), HS_RANK_MIN or HS_RANK_AVG, for the tasks of `in`. O(vertices + edges). Where
 * the problem's asker wants no more, HS_ECANCELED, or what comes is nothing; here and below.
 */
hs_status hsi_ranks(const hs_instance *in, const hsi_problem *pb, hs_rank which, double *rank);

/* rank[t] = w(t) + max over the successors of (c(t, s) + w(s)), both as for HS_RANK_AVG. */
hs_status hsi_next_ranks(const hs_instance *in, const hsi_problem *pb, double *rank);

/*
 * An order of ranks for those who compare whole numbers: a higher rank is a higher number, equal
 * ranks are equal. HS_RANK_GIVEN: the priorities; HS_RANK_FIFO: all 0.
 */
hs_status hsi_rank_numbers(const hs_instance *in, const hsi_problem *pb, hs_rank which,
                           int64_t *number);

#endif
