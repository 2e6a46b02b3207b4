/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_RANKING_H
#define HSI_POLICY_RANKING_H

#include <hybridsched/rank.h>

#include "core/problem.h"

/* The ranks of a policy's tasks, as the priorities of its problem. */
typedef struct hsi_ranking {
    hs_rank  rank;
    int64_t *number; /* of tasks, higher ones first; NULL: their own priorities */
    int64_t  latest; /* fifo: of what became ready last */
} hsi_ranking;

/* `usual`: what HS_RANK_DEFAULT is. To be closed after the problem. O(tasks + edges). */
hs_status hsi_ranking_open(hsi_ranking *ranking, const hs_instance *in, hsi_problem *pb,
                           hs_rank rank, hs_rank usual);
void      hsi_ranking_close(hsi_ranking *ranking);

/* To be told of each task as it becomes ready. */
static inline void hsi_ranking_ready(hsi_ranking *ranking, uint32_t task)
{
    if (ranking->rank == HS_RANK_FIFO)
        ranking->number[task] = --ranking->latest;
}

/* Is it a length, and not somebody's wish or a moment? */
static inline int hsi_ranking_is_length(const hsi_ranking *ranking)
{
    return ranking->rank == HS_RANK_MIN || ranking->rank == HS_RANK_AVG;
}

#endif
