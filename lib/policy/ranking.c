/* SPDX-License-Identifier: BSD-3-Clause */
#include "policy/ranking.h"

#include <stdlib.h>

#include "core/graph/rank.h"
#include "support/pages.h"

hs_status hsi_ranking_open(hsi_ranking *ranking, const hs_instance *in, hsi_problem *pb,
                           hs_rank rank, hs_rank default_rank)
{
    hs_status st;

    *ranking = (hsi_ranking){.rank = rank == HS_RANK_DEFAULT ? default_rank : rank};
    if (ranking->rank == HS_RANK_GIVEN)
        return HS_OK;
    ranking->number = hsi_large_pages_alloc((pb->n + 1) * sizeof *ranking->number);
    if (!ranking->number)
        return HS_ENOMEM;
    st = hsi_rank_numbers(in, pb, ranking->rank, ranking->number);
    pb->priority = ranking->number;
    return st;
}

void hsi_ranking_close(hsi_ranking *ranking)
{
    free(ranking->number);
    *ranking = (hsi_ranking){0};
}
