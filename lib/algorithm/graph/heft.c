/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm/graph/heft.h"

#include "algorithm/graph/placing.h"
#include "core/order.h"

/* Set order[] to the tasks by decreasing rank. */
static hs_status order_by_rank(const hsi_problem *pb, hs_rank which, uint32_t *order)
{
    hsi_mark  mark = hsi_arena_mark(pb->arena);
    double   *rank = hsi_arena_alloc(pb->arena, pb->n, sizeof *rank);
    double   *by_place = hsi_arena_alloc(pb->arena, pb->n, sizeof *by_place);
    uint32_t *at = hsi_arena_alloc(pb->arena, pb->n, sizeof *at);
    hs_status st = rank && by_place && at ? hsi_ranks(pb->in, pb, which, rank) : HS_ENOMEM;

    for (uint32_t i = 0; st == HS_OK && i < pb->n && !hsi_poll_at_iteration(pb->token, i); i++)
        at[hsi_position(pb->graph, i)] = i;
    if (st == HS_OK)
        st = hsi_gather_times(at, pb->n, rank, by_place, pb->token);
    if (st == HS_OK)
        st = hsi_order_by_time(pb->arena, by_place, pb->n, order, pb->token);
    for (size_t i = 0; st == HS_OK && i < pb->n && !hsi_poll_at_iteration(pb->token, i); i++)
        order[i] = at[order[i]];
    hsi_arena_release(pb->arena, mark);
    return st;
}

hs_status hsi_heft_schedule_graph(const hsi_problem *pb, hs_rank rank, hsi_recorder *recorder)
{
    hsi_placing placing = {.line = NULL};
    uint32_t   *order = hsi_arena_alloc(pb->arena, pb->n, sizeof *order);
    hs_status   st = order ? order_by_rank(pb, rank, order) : HS_ENOMEM;

    if (st == HS_OK)
        st = hsi_placing_open(&placing, pb);
    for (size_t i = 0; st == HS_OK && i < pb->n; i++)
        st = hsi_placing_insert(&placing, order[i]);
    if (st == HS_OK)
        st = hsi_placing_record(&placing, recorder);
    hsi_placing_close(&placing);
    return st;
}
