/* SPDX-License-Identifier: BSD-3-Clause */
/* Dives differ by chance: except in the first dive, random factors decide which of the most used
 * sets is settled next. */
#include "refine/packing/dive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bound/packing/cover.h"
#include "refine/completion.h"
#include "refine/weight_kinds.h"
#include "support/arena.h"

enum {
    FEW_WORKERS = 10, /* limit of workers left to bin completion */
    FEW_STEPS = 1 << 14,
    AT_ONCE = 6,        /* share of workers settled between two LPs: one in this many */
    DIVES = 4,          /* dives on one capacity before hsi_dive_go() returns */
    MOST_WORK = 1 << 25 /* limit of the table's steps, which cannot be interrupted */
};

static const double much = 0.5; /* least share of a worker for a set to be settled after the first
                                   set of a step */

struct hsi_dive {
    hsi_arena  arena;
    size_t     n, kinds;
    unsigned   workers;
    int64_t   *weight; /* weight of each kind, longest first */
    uint32_t  *kind;   /* kind of each task */
    uint32_t  *all;    /* tasks of each kind */
    uint32_t  *left;   /* unsettled tasks of each kind */
    unsigned   open;   /* unsettled workers */
    hsi_cover *cover;
    int64_t    most, capacity; /* largest and current capacity */
    uint64_t   dives;          /* dives with the current capacity */
    int        midway;         /* 1: the current dive is incomplete */
    int64_t    covered;        /* least capacity for which the LP is feasible */
    uint32_t  *result;         /* worker of each task; `workers`: not settled */
    int64_t   *rest;           /* weights of the remaining tasks */
    uint32_t  *rest_of;        /* numbers of the remaining tasks */
    uint32_t  *rest_to;        /* workers of the remaining tasks */
};

hs_status hsi_dive_open(size_t n, const int64_t *weight, unsigned workers, int64_t most,
                        hsi_dive **out)
{
    hsi_dive *d = calloc(1, sizeof *d);

    if (!d)
        return HS_ENOMEM;
    d->n = n;
    d->workers = workers;
    d->most = most;
    d->covered = INT64_MAX;
    d->weight = hsi_arena_take(&d->arena, n + 1, sizeof *d->weight);
    d->kind = hsi_arena_take(&d->arena, n + 1, sizeof *d->kind);
    d->all = hsi_arena_take(&d->arena, n + 1, sizeof *d->all);
    d->left = hsi_arena_take(&d->arena, n + 1, sizeof *d->left);
    d->result = hsi_arena_take(&d->arena, n + 1, sizeof *d->result);
    d->rest = hsi_arena_take(&d->arena, n + 1, sizeof *d->rest);
    d->rest_of = hsi_arena_take(&d->arena, n + 1, sizeof *d->rest_of);
    d->rest_to = hsi_arena_take(&d->arena, n + 1, sizeof *d->rest_to);
    if (!d->weight || !d->kind || !d->all || !d->left || !d->result || !d->rest || !d->rest_of ||
        !d->rest_to) {
        hsi_dive_close(d);
        return HS_ENOMEM;
    }
    d->kinds = hsi_kinds_by_weight(n, weight, d->weight, d->kind, d->all);
    *out = d;
    return HS_OK;
}

void hsi_dive_close(hsi_dive *d)
{
    if (!d)
        return;
    hsi_cover_close(d->cover);
    hsi_arena_close(&d->arena);
    free(d);
}

/* Add the set of a worker's tasks to the LP, if it fits the capacity. */
static hs_status add_worker(hsi_dive *d, const uint32_t *worker, unsigned at,
                            hsi_master_item *items)
{
    int64_t sum = 0;
    size_t  i, size = 0;

    memset(d->left, 0, d->kinds * sizeof *d->left);
    for (i = 0; i < d->n; i++)
        if (worker[i] == at) {
            d->left[d->kind[i]]++;
            sum += d->weight[d->kind[i]];
        }
    if (sum == 0 || sum > d->capacity)
        return HS_OK;
    for (i = 0; i < d->kinds; i++)
        if (d->left[i])
            items[size++] = (hsi_master_item){(uint32_t)i, d->left[i]};
    return hsi_cover_add(d->cover, items, size);
}

static hs_status add_schedule(hsi_dive *d, const uint32_t *worker)
{
    hsi_master_item *items = malloc((d->kinds + 1) * sizeof *items);
    hs_status        st = items ? HS_OK : HS_ENOMEM;
    unsigned         at;

    for (at = 0; at < d->workers && st == HS_OK; at++)
        st = add_worker(d, worker, at, items);
    free(items);
    return st;
}

/* Return the steps of the largest table: copies of all kinds that fit, for all capacities. */
static double work_of_table(const hsi_dive *d)
{
    double copies = 0;
    size_t i;

    for (i = 0; i < d->kinds; i++)
        copies += fmin(d->all[i], (double)(d->most / d->weight[i]));
    return copies * (double)d->most;
}

static hs_status open_cover(hsi_dive *d, int64_t capacity, const uint32_t *worker)
{
    hs_status st = HS_OK;
    int       first = d->cover == NULL;

    if (first && work_of_table(d) > MOST_WORK)
        return HS_ETOOBIG;
    if (first)
        st = hsi_cover_open(d->kinds, d->weight, d->workers, d->most, &d->cover);
    if (st == HS_OK && capacity != d->capacity) {
        d->capacity = capacity;
        d->dives = 0;
        d->midway = 0;
        st = hsi_cover_hold(d->cover, capacity);
    }
    return st == HS_OK && first ? add_schedule(d, worker) : st;
}

/* Assign a set, as far as its tasks remain, to the next worker. */
static void settle(hsi_dive *d, const hsi_master_item *items, size_t size)
{
    unsigned at = --d->open;
    size_t   i, task;

    for (i = 0; i < size; i++) {
        uint32_t copies =
            items[i].copies < d->left[items[i].item] ? items[i].copies : d->left[items[i].item];

        d->left[items[i].item] -= copies;
        for (task = 0; copies > 0; task++)
            if (d->kind[task] == items[i].item && d->result[task] == d->workers) {
                d->result[task] = at;
                copies--;
            }
    }
}

static int is_whole(const hsi_dive *d, const hsi_master_item *items, size_t size)
{
    size_t i;

    for (i = 0; i < size; i++)
        if (items[i].copies > d->left[items[i].item])
            return 0;
    return 1;
}

/* Settle the set with the largest share, up to random factors, among the sets whose tasks all
 * remain. Return 0 if there is none. */
static int settle_most_used(hsi_dive *d, double least, hsi_random *random)
{
    const hsi_master_item *best = NULL;
    size_t                 at, size, best_size = 0;
    double                 share, most = 0;

    for (at = 0; at < hsi_cover_sets(d->cover); at++) {
        const hsi_master_item *items = hsi_cover_set(d->cover, at, &size, &share);

        if (share < least || !is_whole(d, items, size))
            continue;
        share = fmin(share, 1);
        if (d->dives > 0)
            share *= 0.5 + hsi_random_unit(random);
        if (share > most) {
            most = share;
            best = items;
            best_size = size;
        }
    }
    if (best)
        settle(d, best, best_size);
    return best != NULL;
}

static void settle_some(hsi_dive *d, hsi_random *random)
{
    unsigned most = d->open / AT_ONCE, i;

    if (!settle_most_used(d, 1e-6, random))
        d->open--; /* not expected; ensures termination */
    for (i = 1; i < most; i++)
        if (!settle_most_used(d, much, random))
            break;
}

/* Distribute the remaining tasks over the last workers by bin completion. */
static hs_status complete(hsi_dive *d, hsi_random *random, const hsi_stop *stop,
                          hsi_verdict *verdict)
{
    hsi_completion_query query = {
        .capacity = d->capacity, .most_steps = FEW_STEPS, .random = random, .worker = d->rest_to};
    hsi_completion *c = NULL;
    hs_status       st;
    size_t          i, n = 0;

    for (i = 0; i < d->n; i++)
        if (d->result[i] == d->workers) {
            d->rest[n] = d->weight[d->kind[i]];
            d->rest_of[n++] = (uint32_t)i;
        }
    st = hsi_completion_open(n, d->rest, d->open, &c);
    if (st != HS_OK)
        return st;
    *verdict = hsi_completion_ask(c, &query, stop);
    for (i = 0; *verdict == HSI_FOUND && i < n; i++)
        d->result[d->rest_of[i]] = d->rest_to[i];
    hsi_completion_close(c);
    return HS_OK;
}

static void begin(hsi_dive *d)
{
    size_t i;

    memcpy(d->left, d->all, d->kinds * sizeof *d->left);
    for (i = 0; i < d->n; i++)
        d->result[i] = d->workers;
    d->open = d->workers;
    d->midway = 1;
}

/* Make one step of a dive. *verdict is HSI_REFUTED only for the complete problem, with *refused the
 * largest refuted capacity, HSI_FOUND if all tasks are settled, else HSI_STOPPED. */
static hs_status step(hsi_dive *d, int64_t *refused, hsi_random *random, const hsi_stop *stop,
                      hsi_verdict *verdict)
{
    hsi_cover_query query = {.demand = d->left, .workers = d->open};
    hs_status       st = hsi_cover_ask(d->cover, &query, stop, verdict);
    int             all = d->open == d->workers, covered = *verdict == HSI_FOUND;

    if (st != HS_OK)
        return st;
    if (all && covered && d->capacity < d->covered)
        d->covered = d->capacity;
    d->midway = covered || (*verdict == HSI_STOPPED && hsi_stop_now(stop));
    if (*verdict == HSI_REFUTED && all)
        *refused = query.refused;
    else
        *verdict = HSI_STOPPED;
    if (covered && d->open <= FEW_WORKERS) {
        st = complete(d, random, stop, verdict);
        d->midway = *verdict == HSI_STOPPED && d->open > 1;
        if (*verdict == HSI_REFUTED && !all)
            *verdict = HSI_STOPPED;
    }
    if (covered && d->midway)
        settle_some(d, random);
    return st;
}

int hsi_dive_covers(const hsi_dive *d, int64_t capacity)
{
    return capacity >= d->covered;
}

int hsi_dive_goes_on(const hsi_dive *d)
{
    return d->midway || d->dives % DIVES > 0;
}

hs_status hsi_dive_go(hsi_dive *d, int64_t *capacity, hsi_random *random, const hsi_stop *stop,
                      uint32_t *worker, hsi_verdict *verdict)
{
    hs_status st;

    *verdict = HSI_REFUTED;
    if (d->kinds > 0 && d->weight[0] > *capacity)
        return HS_OK;
    *verdict = HSI_STOPPED;
    st = open_cover(d, *capacity, worker);
    while (st == HS_OK && *verdict == HSI_STOPPED && !hsi_stop_now(stop)) {
        if (!d->midway)
            begin(d);
        st = step(d, capacity, random, stop, verdict);
        if (!d->midway && ++d->dives % DIVES == 0)
            break;
    }
    if (st == HS_OK && *verdict == HSI_FOUND)
        memcpy(worker, d->result, d->n * sizeof *worker);
    return st;
}
