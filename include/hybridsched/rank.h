/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_RANK_H
#define HYBRIDSCHED_RANK_H

#include <hybridsched/export.h>

HS_BEGIN_DECLS

/**
 * Rank: the number by which an algorithm or policy orders tasks, higher first. In a graph the rank
 * of a task is its length plus the length of the longest path from the end of the task to the end
 * of the graph, transfers included.
 */
typedef enum hs_rank {
    HS_RANK_DEFAULT, /* default rank of the algorithm */
    HS_RANK_MIN,     /* length of a task is its smaller time; transfers do not count */
    HS_RANK_AVG,     /* length of a task is its mean time over the workers, with mean transfers */
    HS_RANK_GIVEN,   /* the rank is the task's priority instead of a path length */
    HS_RANK_FIFO     /* the rank is the order in which tasks become ready */
} hs_rank;

/** Return a rank's name, as in NAME:RANK: `min`, `avg`, `given`, `fifo`; NULL for other values. */
HS_API const char *hs_rank_name(hs_rank rank);

/** Find a rank by name. Return 1 and set *rank, or return 0 for an unknown name. */
HS_API int hs_rank_find(const char *name, hs_rank *rank);

HS_END_DECLS

#endif
