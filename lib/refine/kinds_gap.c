/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Choice of targets. The first ones are next to the bound, since refutation is cheap there and good
 * bounds are often nearly reached, with each type in turn as the coarse one. Then come targets half
 * way while bound and schedule are far apart, and the last target after each rise of the bound: few
 * kinds have few makespans, so refuting the next one may complete the proof. If a target resists,
 * lower ones follow, which are refuted more easily; if these resist too, all start again with more
 * nodes.
 */
#include "refine/kinds_gap.h"

#include <math.h>
#include <stdlib.h>

#include "bound/capacity_search.h"
#include "refine/target.h"

enum {
    FIRST_PATIENCE = 100000, /* nodes per test */
    GROWTH = 8,
    TARGETS = 6 /* number of targets that must resist before the limit of nodes grows */
};

static const double near_enough = 1e-9; /* relative distance from the last target at which it is
                                           tried */
static const double next_to = 0x1p-28;  /* relative distance of the first target from the bound */
static const double out_of_rounding = 0x1p-40;

struct hsi_kinds_gap {
    hsi_kinds *kinds;
    uint32_t  *worker;
    double     allowed;
    uint64_t   patience;
    double     high; /* least target that resisted */
    int        resisted;
    int        tried_bound; /* number of tests next to the bound with this patience */
    bool       rose;        /* whether the last answer raised the bound */
    bool       found;       /* whether the last answer was a schedule */
    double     certified;   /* certified makespan at the last test */
    bool       fruitless;   /* whether a schedule found was not shorter than the best one */
    bool       ended;
};

hs_status hsi_kinds_gap_open(const hsi_problem *pb, double allowed_gap, hsi_kinds_gap **out)
{
    hsi_kinds_gap *gap = calloc(1, sizeof *gap);
    hs_status      st;

    if (!gap)
        return HS_ENOMEM;
    st = hsi_kinds_open(pb, &gap->kinds);
    if (st == HS_OK) {
        gap->worker = malloc((pb->n + 1) * sizeof *gap->worker);
        st = gap->worker ? HS_OK : HS_ENOMEM;
    }
    if (st != HS_OK) {
        hsi_kinds_gap_close(gap);
        return st;
    }
    gap->allowed = allowed_gap;
    gap->patience = FIRST_PATIENCE;
    gap->high = INFINITY;
    *out = gap;
    return HS_OK;
}

void hsi_kinds_gap_close(hsi_kinds_gap *gap)
{
    if (!gap)
        return;
    hsi_kinds_close(gap->kinds);
    free(gap->worker);
    free(gap);
}

hs_status hsi_kinds_gap_check_kinds(const hsi_problem *pb)
{
    hsi_problem kinds;
    hs_status   st = hsi_problem_of_kinds(pb, HSI_MOST_KINDS, &kinds, NULL);

    if (st == HS_OK)
        hsi_problem_close(&kinds);
    return st;
}

void hsi_kinds_gap_set_multipliers(hsi_kinds_gap *gap, const double *worth)
{
    hsi_kinds_set_worths(gap->kinds, worth);
}

int hsi_kinds_gap_ended(const hsi_kinds_gap *gap)
{
    return gap->ended;
}

static double choose_target(const hsi_kinds_gap *gap, double bound, double last)
{
    double high = fmin(gap->high, last), middle = bound + (high - bound) / 2;

    if (high == last && (gap->rose || last - bound <= near_enough * last))
        return last;
    return middle > bound && middle < high ? middle : high;
}

static void raise_target(hsi_kinds_gap *gap, double bound, const hsi_kinds_query *query)
{
    bool   spent = query->nodes >= query->most_nodes || query->doubtful;
    double target = query->target;

    if (query->nodes == 0)
        gap->ended = true; /* not even one node was searched: the search cannot begin */
    gap->high = target;
    if (++gap->resisted < TARGETS && target - bound > near_enough * bound)
        return;
    if (!spent || gap->patience > UINT64_MAX / GROWTH / GROWTH)
        gap->ended = true; /* the search cannot decide even the least target */
    gap->patience *= GROWTH;
    gap->resisted = 0;
    gap->tried_bound = 0;
    gap->high = INFINITY;
}

/* Record if the last schedule found was not shorter than the best one, due to rounding: the target
 * was too close. The next targets keep a distance; a second time ends the search. */
static void note_fruitless(hsi_kinds_gap *gap, double certified)
{
    if (gap->found && certified >= gap->certified) {
        gap->ended |= gap->fruitless;
        gap->fruitless = true;
    }
    gap->found = false;
    gap->certified = certified;
}

hs_status hsi_kinds_gap_test_target(hsi_kinds_gap *gap, double bound, double certified,
                                    uint64_t most_nodes, const hsi_stop *stop,
                                    hsi_kinds_gap_answer *answer)
{
    hsi_kinds_query query = {.most_nodes = gap->patience, .worker = gap->worker};
    double          last = hsi_target_that_closes_gap(certified, gap->allowed, 0);
    bool            by_bound;
    hs_status       st;

    note_fruitless(gap, certified);
    if (gap->fruitless)
        last -= out_of_rounding * last;
    if (gap->ended || last < bound) {
        gap->ended = true;
        *answer = (hsi_kinds_gap_answer){.verdict = HSI_STOPPED, .target = last};
        return HS_OK;
    }
    if (most_nodes && most_nodes < query.most_nodes)
        query.most_nodes = most_nodes;
    by_bound = gap->tried_bound < 2 && bound + next_to * bound < last;
    query.flip = by_bound && gap->tried_bound++ == 1;
    query.target = by_bound ? bound + next_to * bound : choose_target(gap, bound, last);
    st = hsi_kinds_test_target(gap->kinds, &query, stop, &answer->verdict);
    answer->target = query.target;
    answer->worker = gap->worker;
    answer->nodes = query.nodes;
    gap->rose = answer->verdict == HSI_REFUTED;
    gap->found = answer->verdict == HSI_FOUND;
    if (st == HS_OK && answer->verdict == HSI_STOPPED && !by_bound)
        raise_target(gap, bound, &query);
    return st;
}
