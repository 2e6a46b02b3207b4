/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * BalancedMakespan (Canon, Marchal, Vivien 2017, Algorithm 3): the allocation of
 * the walk whose LPT schedule is shortest, the first such. No schedule is
 * shorter than its allocation's floor, so allocations are looked at by increasing
 * floor until the floor passes the best makespan. At worst, when thousands have
 * floors below it, all 2n are scheduled: O(n^2 log(m + k)).
 */
#include <math.h>

#include "algorithm/algorithm.h"
#include "algorithm/balanced.h"
#include "algorithm/lpt.h"
#include "support/sort.h"

typedef struct search {
    const hsi_walk *walk;
    hsi_lpt        *lpt;
    unsigned char  *type;
    double          best_makespan;
    size_t          best; /* an allocation of the walk */
} search;

static hs_status look(search *s, const hs_settings *settings, const hsi_keyed *by_floor)
{
    size_t i;

    for (i = 0; i <= s->walk->move_count; i++) {
        size_t x = by_floor[i].index;
        double floor = s->walk->floors[x], makespan;

        if (floor > s->best_makespan)
            break;
        if (floor == s->best_makespan && x > s->best)
            continue;
        if (hsi_canceled(settings))
            return HS_ECANCELED;
        hsi_walk_allocation(s->walk, x, s->type);
        makespan = hsi_lpt_run(s->lpt, s->type, NULL);
        if (makespan < s->best_makespan || (makespan == s->best_makespan && x < s->best)) {
            s->best_makespan = makespan;
            s->best = x;
        }
    }
    return HS_OK;
}

static hs_status find_best(search *s, const hs_settings *settings)
{
    size_t     count = s->walk->move_count + 1, i;
    hsi_keyed *keyed = malloc(2 * count * sizeof *keyed);
    hs_status  st;

    if (!keyed)
        return HS_ENOMEM;
    for (i = 0; i < count; i++) {
        keyed[i].key = hsi_key_of_double(s->walk->floors[i]);
        keyed[i].index = (uint32_t)i;
    }
    st = look(s, settings, hsi_sort(keyed, keyed + count, count));
    free(keyed);
    return st;
}

static hs_status run(const hsi_problem *pb, const hs_settings *settings, hsi_log *log)
{
    hsi_walk  walk;
    hsi_lpt   lpt;
    search    s = {.walk = &walk, .lpt = &lpt, .best_makespan = INFINITY};
    hs_status st = hsi_walk_open(&walk, pb, 1);

    if (st != HS_OK)
        return st;
    st = hsi_lpt_open(&lpt, pb);
    if (st != HS_OK)
        goto close_walk;
    s.type = malloc(pb->n ? pb->n : 1);
    st = s.type ? find_best(&s, settings) : HS_ENOMEM;
    if (st == HS_OK) {
        hsi_walk_allocation(&walk, s.best, s.type);
        hsi_lpt_run(&lpt, s.type, log);
    }
    free(s.type);
    hsi_lpt_close(&lpt);
close_walk:
    hsi_walk_close(&walk);
    return st;
}

const hs_algorithm hsi_alg_balanced_makespan = {
    .name = "balanced-makespan",
    .summary = "as balanced-estimate, but by the makespan of every allocation on the way",
    .source = "Canon, Marchal, Vivien 2017, Algorithm 3, Theorem 1",
    .cost = "O(n log n) and a handful of LPT runs; O(n^2 log(m + k)) at worst",
    .guarantee = hsi_guarantee_2,
    .run = run,
};
