/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_RANK_H
#define HYBRIDSCHED_RANK_H

#include <hybridsched/export.h>

HS_BEGIN_DECLS

/**
 * What orders tasks. In a graph the rank of a task is its length plus the longest way from its end
 * to that of the graph, transfers included.
 */
typedef enum hs_rank {
    HS_RANK_DEFAULT, /* what the algorithm does by itself */
    HS_RANK_MIN,     /* its smaller time, without transfers */
    HS_RANK_AVG,     /* its mean time over the workers, mean transfers */
    HS_RANK_GIVEN,   /* no way: its priority */
    HS_RANK_FIFO     /* no way: the order in which tasks become ready */
} hs_rank;

/** Its name in NAME:RANK, `min`, `avg`, `given`, `fifo`; NULL for others. */
HS_API const char *hs_rank_name(hs_rank rank);

/** 1 and the rank of that name, or 0. */
HS_API int hs_rank_find(const char *name, hs_rank *rank);

HS_END_DECLS

#endif
