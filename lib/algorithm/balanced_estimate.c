/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * BalancedEstimate (Canon, Marchal, Vivien 2017, Algorithm 2): LPT on the
 * allocation with the least estimate and on the one where the averages cross.
 */
#include "algorithm/algorithm.h"
#include "algorithm/balanced.h"
#include "algorithm/lpt.h"

static hs_status schedule_better(const hsi_walk *walk, hsi_lpt *lpt, unsigned char *type,
                                 hsi_log *log)
{
    double best;

    hsi_walk_allocation(walk, walk->best, type);
    best = hsi_lpt_run(lpt, type, log);
    if (walk->inverse == walk->best)
        return HS_OK;
    hsi_walk_allocation(walk, walk->inverse, type);
    if (hsi_lpt_run(lpt, type, NULL) < best) {
        log->size = 0;
        hsi_lpt_run(lpt, type, log);
    }
    return HS_OK;
}

static hs_status run(const hsi_problem *pb, const hs_settings *settings, hsi_log *log)
{
    hsi_walk       walk;
    hsi_lpt        lpt;
    unsigned char *type = NULL;
    hs_status      st = hsi_walk_open(&walk, pb, 0);

    (void)settings;
    if (st != HS_OK)
        return st;
    st = hsi_lpt_open(&lpt, pb);
    if (st != HS_OK)
        goto close_walk;
    type = malloc(pb->n ? pb->n : 1);
    st = type ? schedule_better(&walk, &lpt, type, log) : HS_ENOMEM;
    free(type);
    hsi_lpt_close(&lpt);
close_walk:
    hsi_walk_close(&walk);
    return st;
}

const hs_algorithm hsi_alg_balanced_estimate = {
    .name = "balanced-estimate",
    .summary = "moves tasks until the average loads balance, then LPT in each type",
    .source = "Canon, Marchal, Vivien 2017, Algorithms 1 and 2, Theorem 1",
    .cost = "O(n log n)",
    .guarantee = hsi_guarantee_2,
    .run = run,
};
