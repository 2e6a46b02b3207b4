/* SPDX-License-Identifier: BSD-3-Clause */
/* BalancedEstimate (Canon, Marchal, Vivien 2017, Algorithm 2): run LPT on the allocation with the
 * least estimate and on the one where the averages cross. */
#include "algorithm/algorithm.h"
#include "algorithm/balanced.h"
#include "algorithm/lpt.h"

static hs_status schedule_better(const hsi_problem *pb, const unsigned char *best,
                                 const unsigned char *inverse, bool differ, hsi_recorder *recorder)
{
    double    best_makespan, inverse_makespan;
    hs_status st = hsi_recorder_open(recorder, pb, 0);

    if (st == HS_OK)
        st = hsi_lpt_once(pb, best, recorder, &best_makespan);
    if (st != HS_OK || !differ)
        return st;
    st = hsi_lpt_once(pb, inverse, NULL, &inverse_makespan);
    if (st != HS_OK || inverse_makespan >= best_makespan)
        return st;
    hsi_recorder_restart(recorder);
    return hsi_lpt_once(pb, inverse, recorder, &inverse_makespan);
}

static hs_status run(const hsi_problem *pb, const hs_settings *settings, hsi_recorder *recorder)
{
    unsigned char          *best = hsi_arena_alloc(pb->arena, pb->n, 1);
    unsigned char          *inverse = hsi_arena_alloc(pb->arena, pb->n, 1);
    hsi_mark       mark = hsi_arena_mark(pb->arena);
    hsi_balanced_walk       walk;
    hs_status      st = best && inverse ? hsi_balanced_walk_open(&walk, pb, false) : HS_ENOMEM;

    (void)settings;
    if (st != HS_OK)
        return st;
    hsi_balanced_walk_write_types(&walk, walk.best, best);
    if (walk.inverse != walk.best)
        hsi_balanced_walk_write_types(&walk, walk.inverse, inverse);
    hsi_arena_release(pb->arena, mark); /* the walk's memory is reused */
    return schedule_better(pb, best, inverse, walk.inverse != walk.best, recorder);
}

const hsi_algorithm hsi_alg_balanced_estimate = {
    .about = {
        .struct_size = sizeof(hs_algorithm),
        .name = "balanced-estimate",
        .summary = "moves tasks until the average loads balance, then LPT in each type",
        .source = "Canon, Marchal, Vivien 2017, Algorithms 1 and 2, Theorem 1",
        .cost = "O(n log n)",
        .guarantee = hsi_guarantee_2,
    },
    .run = run,
};
