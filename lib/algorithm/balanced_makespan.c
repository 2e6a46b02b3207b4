/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * BalancedMakespan (Canon, Marchal, Vivien 2017, Algorithm 3): the first allocation of the walk
 * with the shortest LPT schedule. No schedule is shorter than its allocation's floor, so
 * allocations are tried by increasing floor until the floor exceeds the best makespan.
 *
 * At worst all allocations, up to 2n + 1, have lower floors and are scheduled: O(n^2 log(m + k)).
 * This needs makespans far above the loads: five tasks of 3, 3, 2, 2 and 2 that only two CPUs can
 * run take LPT until 7, while the CPUs' average is 6 and grows slowly as many small tasks move into
 * LPT's gap. With n small tasks of total time 6.5 on one GPU and on a CPU, 4/13 n allocations are
 * scheduled (bench_solve has this instance: "balanced-makespan at worst").
 */
#include <math.h>

#include "algorithm/algorithm.h"
#include "algorithm/balanced.h"
#include "algorithm/lpt.h"

typedef struct search {
    const hsi_balanced_walk *walk;
    hsi_lpt        *lpt;
    unsigned char  *type;
    double          best_makespan;
    size_t          best; /* an allocation of the walk */
} search;

/* Return the allocation after `at` by increasing floor, then number; floor_count: none. A linear
 * search is cheap beside a schedule. */
static size_t next_by_floor(const hsi_balanced_walk *walk, size_t at)
{
    double last = at < walk->floor_count ? walk->floor[at] : -1;
    size_t i, found = walk->floor_count;

    for (i = 0; i < walk->floor_count; i++) {
        double floor = walk->floor[i];

        if (floor < last || (floor == last && i <= at))
            continue;
        if (found == walk->floor_count || floor < walk->floor[found])
            found = i;
    }
    return found;
}

static hs_status find_best(search *s)
{
    const hsi_balanced_walk *walk = s->walk;
    size_t          at = next_by_floor(walk, walk->floor_count);

    for (; at < walk->floor_count; at = next_by_floor(walk, at)) {
        size_t x = walk->floor_of[at];
        double floor = walk->floor[at], makespan;

        if (floor > s->best_makespan || (floor == s->best_makespan && x > s->best))
            break; /* also true for all later allocations */
        if (hsi_poll(walk->pb->token))
            return HS_ECANCELED;
        hsi_balanced_walk_write_types(walk, x, s->type);
        makespan = hsi_lpt_run(s->lpt, s->type, NULL);
        if (hsi_poll(walk->pb->token))
            return HS_ECANCELED;
        if (makespan < s->best_makespan || (makespan == s->best_makespan && x < s->best)) {
            s->best_makespan = makespan;
            s->best = x;
        }
    }
    return HS_OK;
}

static hs_status run(const hsi_problem *pb, const hs_settings *settings, hsi_recorder *recorder)
{
    unsigned char          *type = hsi_arena_alloc(pb->arena, pb->n, 1);
    hsi_mark       mark = hsi_arena_mark(pb->arena);
    hsi_balanced_walk       walk;
    hsi_lpt        lpt;
    search         s = {&walk, &lpt, type, INFINITY, 0};
    double         makespan;
    hs_status      st = type ? hsi_balanced_walk_open(&walk, pb, true) : HS_ENOMEM;

    (void)settings;
    if (st == HS_OK)
        st = hsi_lpt_open(&lpt, pb);
    if (st == HS_OK)
        st = find_best(&s);
    if (st != HS_OK)
        return st;
    hsi_balanced_walk_write_types(&walk, s.best, type);
    hsi_arena_release(pb->arena, mark); /* the walk's memory is reused */
    st = hsi_recorder_open(recorder, pb, 0);
    return st == HS_OK ? hsi_lpt_once(pb, type, recorder, &makespan) : st;
}

const hsi_algorithm hsi_alg_balanced_makespan = {
    .about = {
        .struct_size = sizeof(hs_algorithm),
        .name = "balanced-makespan",
        .summary = "as balanced-estimate, but takes the best makespan of all allocations on the "
                   "way",
        .source = "Canon, Marchal, Vivien 2017, Algorithm 3, Theorem 1",
        .cost = "O(n log n) and a handful of LPT runs; O(n^2 log(m + k)) at worst",
        .guarantee = hsi_guarantee_2,
    },
    .run = run,
};
