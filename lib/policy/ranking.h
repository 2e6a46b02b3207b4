/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_RANKING_H
#define HSI_POLICY_RANKING_H

#include <hybridsched/rank.h>

#include "core/problem.h"

/* The ranks of a policy's tasks, used as the priorities of its problem. */
typedef struct hsi_ranking {
    hs_rank  rank;
    int64_t *number; /* indexed by task: rank, higher first; NULL: the tasks' own priorities */
    int64_t  latest; /* HS_RANK_FIFO: rank of the task that became ready last */
} hsi_ranking;

/* Compute the ranks and make them the priorities of `pb`; HS_RANK_DEFAULT means `default_rank`.
 * Close the ranking after `pb`, which points into it. O(tasks + edges). */
hs_status hsi_ranking_open(hsi_ranking *ranking, const hs_instance *in, hsi_problem *pb,
                           hs_rank rank, hs_rank default_rank);
void      hsi_ranking_close(hsi_ranking *ranking);

/* Set the HS_RANK_FIFO rank of a task; call once, when the task becomes ready. */
static inline void hsi_ranking_number_ready(hsi_ranking *ranking, uint32_t task)
{
    if (ranking->rank == HS_RANK_FIFO)
        ranking->number[task] = --ranking->latest;
}

/* Return true if ranks are path lengths, not given priorities or arrival order. */
static inline bool hsi_ranking_is_path_length(const hsi_ranking *ranking)
{
    return ranking->rank == HS_RANK_MIN || ranking->rank == HS_RANK_AVG;
}

#endif
