/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first target is next to the bound, where little has to be searched, and a good bound
 * is often nearly reached; with either type as the coarse one. Then it is half way, as long as
 * bound and schedule are far apart, and the last one whenever the bound has just risen: schedules
 * of few kinds have few makespans, so that the next to be refuted may well be all. Where a target
 * resists, lower ones are tried, which are refuted more easily; and once those do not help, all
 * again with more nodes.
 */
#include "refine/best/squeeze.h"

#include <math.h>
#include <stdlib.h>

#include "bound/fill.h"

enum {
    FIRST_PATIENCE = 100000, /* nodes of a question */
    GROWTH = 8,
    TARGETS = 6 /* that resist, before patience grows */
};

static const double near_enough = 1e-9; /* for the last target */
static const double next_to = 0x1p-28;  /* a bound */
static const double out_of_rounding = 0x1p-40;

struct hsi_squeeze {
    hsi_kinds *kinds;
    uint32_t  *worker;
    uint64_t   patience;
    double     high; /* the least target that resisted */
    int        resisted;
    int        tried_bound; /* how often a target next to it was, with this patience */
    int        rose;        /* the bound did, by the last answer */
    int        vain, ended;
};

hs_status hsi_squeeze_open(const hsi_problem *pb, hsi_squeeze **out)
{
    hsi_squeeze *sq = calloc(1, sizeof *sq);
    hs_status    st;

    if (!sq)
        return HS_ENOMEM;
    st = hsi_kinds_open(pb, &sq->kinds);
    if (st == HS_OK) {
        sq->worker = malloc((pb->n + 1) * sizeof *sq->worker);
        st = sq->worker ? HS_OK : HS_ENOMEM;
    }
    if (st != HS_OK) {
        hsi_squeeze_close(sq);
        return st;
    }
    sq->patience = FIRST_PATIENCE;
    sq->high = INFINITY;
    *out = sq;
    return HS_OK;
}

int hsi_squeeze_may_open(const hsi_problem *pb)
{
    size_t first[HSI_MOST_KINDS], kinds = 0, i, j;

    for (i = 0; i < pb->n; i++) {
        for (j = 0; j < kinds; j++)
            if (pb->p[i] == pb->p[first[j]] && pb->q[i] == pb->q[first[j]])
                break;
        if (j == HSI_MOST_KINDS)
            return 0;
        if (j == kinds)
            first[kinds++] = i;
    }
    return 1;
}

void hsi_squeeze_close(hsi_squeeze *sq)
{
    if (!sq)
        return;
    hsi_kinds_close(sq->kinds);
    free(sq->worker);
    free(sq);
}

void hsi_squeeze_value(hsi_squeeze *sq, const double *worth)
{
    hsi_kinds_value(sq->kinds, worth);
}

void hsi_squeeze_vain(hsi_squeeze *sq)
{
    sq->ended |= sq->vain;
    sq->vain = 1;
}

int hsi_squeeze_ended(const hsi_squeeze *sq)
{
    return sq->ended;
}

static double choose_target(const hsi_squeeze *sq, double bound, double last)
{
    double high = fmin(sq->high, last), middle = bound + (high - bound) / 2;

    if (high == last && (sq->rose || last - bound <= near_enough * last))
        return last;
    return middle > bound && middle < high ? middle : high;
}

static void resist(hsi_squeeze *sq, double bound, const hsi_kinds_query *query)
{
    int    spent = query->nodes >= query->most_nodes || query->doubtful;
    double target = query->target;

    if (query->nodes == 0)
        sq->ended = 1; /* it cannot even begin */
    sq->high = target;
    if (++sq->resisted < TARGETS && target - bound > near_enough * bound)
        return;
    if (!spent || sq->patience > UINT64_MAX / GROWTH / GROWTH)
        sq->ended = 1; /* even the least target is not one for this search */
    sq->patience *= GROWTH;
    sq->resisted = 0;
    sq->tried_bound = 0;
    sq->high = INFINITY;
}

hs_status hsi_squeeze_ask(hsi_squeeze *sq, double bound, double last, uint64_t most_nodes,
                          const hsi_stop *stop, hsi_squeeze_answer *answer)
{
    hsi_kinds_query query = {.most_nodes = sq->patience, .worker = sq->worker};
    int             by_bound;
    hs_status       st;

    if (sq->vain)
        last -= out_of_rounding * last;
    if (last < bound) {
        sq->ended = 1;
        *answer = (hsi_squeeze_answer){.verdict = HSI_STOPPED, .target = last};
        return HS_OK;
    }
    if (most_nodes && most_nodes < query.most_nodes)
        query.most_nodes = most_nodes;
    by_bound = sq->tried_bound < 2 && bound + next_to * bound < last;
    query.flip = by_bound && sq->tried_bound++ == 1;
    query.target = by_bound ? bound + next_to * bound : choose_target(sq, bound, last);
    st = hsi_kinds_ask(sq->kinds, &query, stop, &answer->verdict);
    answer->target = query.target;
    answer->worker = sq->worker;
    answer->nodes = query.nodes;
    sq->rose = answer->verdict == HSI_REFUTED;
    if (st == HS_OK && answer->verdict == HSI_STOPPED && !by_bound)
        resist(sq, bound, &query);
    return st;
}
