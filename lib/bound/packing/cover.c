/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Column generation that ends as soon as the answer is known: the sets need no more workers than
 * there are, or multipliers of the kinds prove that the workers do not suffice. Prices lie between
 * the LP's and the best ones so far, as in the configuration bound, and each pricing finds the best
 * set with each kind.
 *
 * Why a refusal is safe: multipliers become integers Y, and an exact table proves that no set that
 * fits is worth more than `most`. So the workers hold at most workers x most, but the whole demand
 * is worth more.
 */
#include "bound/packing/cover.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bound/packing/pricing.h"
#include "glpk/error_guard.h"

enum {
    MOST_ROOM = 5 << 20, /* doubles in the tables */
    WORTH_BITS = 40
};

static const double smoothing = 0.7; /* weight of the best multipliers */
static const double rounding = 1e-9; /* tolerance for the solver's rounding */

struct hsi_cover {
    hsi_arena        arena;
    size_t           kinds;
    const int64_t   *weight;
    unsigned         workers;
    int64_t          most;
    hsi_master      *master;
    hsi_pricing      pricing;
    double          *y, *centre, *mixed; /* multipliers: the LP's, the best, those tried */
    int64_t         *worth, *row;
    uint32_t        *take, *nothing;
    unsigned char   *seen; /* kinds in a set of this round */
    hsi_master_item *items;

    /* State of the present query. */
    hsi_cover_query *query;
    const hsi_stop  *stop;
    hsi_verdict      verdict;
};

static hs_status take_memory(hsi_cover *c)
{
    size_t n = c->kinds + 1;

    c->y = hsi_arena_take_zeroed(&c->arena, n, sizeof *c->y);
    c->centre = hsi_arena_take_zeroed(&c->arena, n, sizeof *c->centre);
    c->mixed = hsi_arena_take_zeroed(&c->arena, n, sizeof *c->mixed);
    c->worth = hsi_arena_take(&c->arena, n, sizeof *c->worth);
    c->row = hsi_arena_take(&c->arena, (size_t)c->most + 1, sizeof *c->row);
    c->take = hsi_arena_take(&c->arena, n, sizeof *c->take);
    c->nothing = hsi_arena_take_zeroed(&c->arena, n, sizeof *c->nothing);
    c->seen = hsi_arena_take(&c->arena, n, 1);
    c->items = hsi_arena_take(&c->arena, n, sizeof *c->items);
    if (!c->y || !c->centre || !c->mixed || !c->worth || !c->row || !c->take || !c->nothing ||
        !c->seen || !c->items)
        return HS_ENOMEM;
    return hsi_pricing_open(&c->pricing, &c->arena, c->kinds, c->weight, c->most) ? HS_ENOMEM
                                                                                  : HS_OK;
}

/* Create the LP with a set for each kind, so that a cover exists. */
static hs_status open_master(hsi_cover *c)
{
    const unsigned workers[2] = {c->workers, 0};
    hs_status      st = hsi_master_open(c->kinds, c->nothing, workers, &c->master);
    size_t         i;

    for (i = 0; i < c->kinds && st == HS_OK; i++)
        st = hsi_cover_add(c, &(hsi_master_item){(uint32_t)i, 1}, 1);
    return st;
}

hs_status hsi_cover_open(size_t kinds, const int64_t *weight, unsigned workers, int64_t most,
                         hsi_cover **out)
{
    hsi_cover *c;
    hs_status  st;
    size_t     i;

    if (most >= MOST_ROOM || kinds >= MOST_ROOM || hsi_pricing_room(kinds, most) > MOST_ROOM)
        return HS_ETOOBIG;
    c = calloc(1, sizeof *c);
    if (!c)
        return HS_ENOMEM;
    c->kinds = kinds;
    c->weight = weight;
    c->workers = workers;
    c->most = most;
    st = take_memory(c);
    for (i = 0; i < kinds && st == HS_OK; i++)
        c->centre[i] = (double)weight[i] / ((double)most * workers);
    if (st == HS_OK)
        st = open_master(c);
    if (st == HS_OK)
        *out = c;
    else
        hsi_cover_close(c);
    return st;
}

void hsi_cover_close(hsi_cover *c)
{
    if (!c)
        return;
    hsi_master_close(c->master);
    hsi_arena_close(&c->arena);
    free(c);
}

hs_status hsi_cover_add(hsi_cover *c, const hsi_master_item *items, size_t size)
{
    return hsi_master_add(c->master, HS_CPU, items, size);
}

static int fits(const hsi_cover *c, const hsi_master_item *items, size_t size)
{
    int64_t sum = 0;
    size_t  i;

    for (i = 0; i < size; i++)
        sum += items[i].copies * c->weight[items[i].item];
    return sum <= c->pricing.capacity;
}

hs_status hsi_cover_hold(hsi_cover *c, int64_t capacity)
{
    hsi_master *before = c->master;
    int         less = capacity < c->pricing.capacity;
    hs_status   st;
    size_t      at;

    c->pricing.capacity = capacity;
    if (!less)
        return HS_OK;
    c->master = NULL;
    st = open_master(c);
    for (at = c->kinds; at < hsi_master_columns(before) && st == HS_OK; at++) {
        size_t                 size;
        const hsi_master_item *items = hsi_master_items(before, at, &size);

        if (fits(c, items, size))
            st = hsi_cover_add(c, items, size);
    }
    hsi_master_close(before);
    return st;
}

size_t hsi_cover_sets(const hsi_cover *c)
{
    return hsi_master_columns(c->master);
}

const hsi_master_item *hsi_cover_set(const hsi_cover *c, size_t at, size_t *size, double *share)
{
    *share = hsi_master_workers(c->master, at);
    return hsi_master_items(c->master, at, size);
}

static double worth_of_all(const hsi_cover *c, const double *y)
{
    double sum = 0;
    size_t i;

    for (i = 0; i < c->kinds; i++)
        sum += c->query->demand[i] * y[i];
    return sum;
}

static void refuse(hsi_cover *c, const double *y)
{
    double  scale = ldexp(1, WORTH_BITS) / worth_of_all(c, y);
    int64_t sum = 0, at = c->pricing.capacity;
    size_t  i;

    if (!isfinite(scale))
        return;
    for (i = 0; i < c->kinds; i++) {
        c->worth[i] = (int64_t)(y[i] * scale);
        sum += c->query->demand[i] * c->worth[i];
    }
    hsi_pricing_most(c->kinds, c->weight, c->query->demand, c->worth, c->most, c->row);
    while (at <= c->most && sum > (__int128_t)c->query->workers * c->row[at])
        at++;
    c->query->refused = at - 1;
    if (at > c->pricing.capacity)
        c->verdict = HSI_REFUTED;
}

static double worth_of_taken(const hsi_cover *c)
{
    double sum = 0;
    size_t i;

    for (i = 0; i < c->kinds; i++)
        sum += c->take[i] * c->y[i];
    return sum;
}

static hs_status add_taken(hsi_cover *c, double price, size_t *added)
{
    size_t i, size = 0;

    for (i = 0; i < c->kinds; i++)
        c->seen[i] |= c->take[i] > 0;
    if (worth_of_taken(c) <= price)
        return HS_OK;
    for (i = 0; i < c->kinds; i++)
        if (c->take[i])
            c->items[size++] = (hsi_master_item){(uint32_t)i, c->take[i]};
    ++*added;
    return hsi_cover_add(c, c->items, size);
}

/*
 * Price with multipliers y: add the best set, and for each kind not in a set yet the best set with
 * it. *ratio: worth of the demand over the most that the workers can hold; above 1, up to rounding,
 * refuses.
 */
static hs_status price(hsi_cover *c, const double *y, double price, size_t *added, double *ratio)
{
    hs_status st;
    size_t    at;

    *added = 0;
    memset(c->seen, 0, c->kinds);
    hsi_pricing_solve(&c->pricing, y, c->query->demand);
    *ratio = worth_of_all(c, y) / (c->query->workers * hsi_pricing_best(&c->pricing, c->take));
    st = add_taken(c, price, added);
    for (at = 0; at < c->pricing.count && st == HS_OK; at++)
        if (!c->seen[c->pricing.active[at]]) {
            hsi_pricing_best_with(&c->pricing, at, c->take);
            st = add_taken(c, price, added);
        }
    return st;
}

/* Add sets until the LP finds a cover, or multipliers refuse. */
static hs_status run_rounds(hsi_cover *c)
{
    double    best = 0, weight_of_centre = smoothing;
    hs_status st = HS_OK;

    while (st == HS_OK && c->verdict == HSI_STOPPED && !hsi_stop_now(c->stop)) {
        hsi_master_solution solution;
        double              ratio;
        size_t              added, i;

        st = hsi_master_solve(c->master, c->stop, &solution, c->y);
        if (st != HS_OK || !solution.optimal)
            break;
        if (solution.theta * c->workers <= c->query->workers * (1 + rounding)) {
            c->verdict = HSI_FOUND;
            break;
        }
        for (i = 0; i < c->kinds; i++)
            c->mixed[i] = c->y[i] + weight_of_centre * (c->centre[i] - c->y[i]);
        st = price(c, c->mixed, solution.price[HS_CPU] * (1 + rounding), &added, &ratio);
        if (st == HS_OK && ratio > 1)
            refuse(c, c->mixed);
        if (added == 0 && weight_of_centre <= 0)
            break;
        if (ratio > best) {
            best = ratio;
            memcpy(c->centre, c->mixed, c->kinds * sizeof *c->centre);
        }
        weight_of_centre = added ? smoothing : 0;
    }
    return st;
}

static hs_status run_guarded(void *data)
{
    hsi_cover *c = data;
    hs_status  st = run_rounds(c);

    hsi_master_rest(c->master);
    return st;
}

hs_status hsi_cover_ask(hsi_cover *c, hsi_cover_query *query, const hsi_stop *stop,
                        hsi_verdict *verdict)
{
    hs_status st;

    c->query = query;
    c->stop = stop;
    c->verdict = HSI_STOPPED;
    hsi_master_demand(c->master, query->demand);
    st = hsi_glpk_guarded(run_guarded, c);
    if (st == HS_ESOLVER) {
        hsi_master_lost(c->master);
        st = HS_OK;
    }
    *verdict = c->verdict;
    return st;
}
