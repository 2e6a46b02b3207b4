/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `best` for many tasks of few kinds. For a target makespan between bound and schedule, draw how
 * many tasks of each kind run on CPUs, near the division of the area bound, and fill the workers of
 * both types up to the target (fill.h). Only counts per kind matter, so the cost does not depend on
 * the number of tasks.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bound/capacity_search.h"
#include "refine/best/best.h"
#include "support/random.h"

enum {
    KINDS = HSI_CAPACITY_MOST_KINDS,
    CAPACITY_BITS = 50,
    FILL_NODES = 1 << 13, /* limit of nodes for one type */
    FIRST_DRAWS = 100,    /* limit of draws for one target at first */
    MOST_DRAWS = 1 << 14,
    MOVES = 4,     /* most changes of a draw, and most tasks of a change */
    LEAST_EACH = 4 /* tasks per worker; below, workers have few possible patterns */
};

static const double part = 0.15;        /* share of the remaining time or iterations */
static const double near_enough = 1e-9; /* relative distance from the last target met */

typedef struct counts {
    hsi_best   *best;
    hsi_problem kinds;
    uint32_t   *kind_of;
    hsi_random  random;
    hsi_stop    slice;
    uint64_t    most; /* limit of report->iterations, if counted */
    unsigned    workers[2];
    int64_t     capacity;
    int64_t     weight[2][KINDS];  /* time on each type in grid cells, rounded up */
    uint32_t    order[KINDS];      /* kinds by increasing p/q */
    uint32_t    longest[2][KINDS]; /* kinds by decreasing time on the type */
    uint32_t    on[2][KINDS];      /* tasks of each kind on the type */
    uint32_t   *take[2];           /* tasks that each worker runs, by kind in the order of
                                      `longest` */
} counts;

static int comes_first(const hsi_problem *kinds, const double *time, uint32_t a, uint32_t b)
{
    double x = time ? -time[a] : kinds->p[a] / kinds->q[a];
    double y = time ? -time[b] : kinds->p[b] / kinds->q[b];

    return x < y || (x == y && a < b);
}

/* Sort kinds by decreasing `time`, or by increasing p/q if it is NULL. */
static void sort_kinds(const hsi_problem *kinds, const double *time, uint32_t *order)
{
    uint32_t i, j;

    for (i = 0; i < kinds->n; i++) {
        for (j = i; j > 0 && comes_first(kinds, time, i, order[j - 1]); j--)
            order[j] = order[j - 1];
        order[j] = i;
    }
}

static void aim(counts *c, double target)
{
    const double *time[2] = {c->kinds.p, c->kinds.q};
    int           grid, type;
    size_t        i;

    frexp(target, &grid);
    grid -= CAPACITY_BITS;
    c->capacity = (int64_t)ldexp(target, -grid);
    for (type = HS_CPU; type <= HS_GPU; type++)
        for (i = 0; i < c->kinds.n; i++)
            c->weight[type][i] = c->workers[type] && time[type][i] <= target
                                     ? (int64_t)ceil(ldexp(time[type][i], -grid))
                                     : c->capacity + 1;
}

static __int128_t room_of(const counts *c, int type)
{
    __int128_t room = (__int128_t)c->capacity * c->workers[type];
    size_t     i;

    for (i = 0; i < c->kinds.n; i++)
        room -= (__int128_t)c->weight[type][i] * c->on[type][i];
    return room;
}

/* Move up to `most` tasks of a kind to a type, within the room there. */
static void move(counts *c, uint32_t kind, int to, uint32_t most)
{
    __int128_t fit = room_of(c, to) / c->weight[to][kind];

    if (c->weight[to][kind] > c->capacity || fit <= 0)
        return;
    most = most < c->on[!to][kind] ? most : c->on[!to][kind];
    most = fit < most ? (uint32_t)fit : most;
    c->on[!to][kind] -= most;
    c->on[to][kind] += most;
}

/* Give the CPUs all tasks that GPUs cannot run, then kinds by increasing p/q while they fit. */
static void divide(counts *c)
{
    size_t i;

    for (i = 0; i < c->kinds.n; i++) {
        int must = c->weight[HS_GPU][i] > c->capacity;

        c->on[HS_CPU][i] = must ? c->kinds.count[i] : 0;
        c->on[HS_GPU][i] = must ? 0 : c->kinds.count[i];
    }
    for (i = 0; i < c->kinds.n; i++)
        move(c, c->order[i], HS_CPU, UINT32_MAX);
}

/* Move a few random tasks to GPUs, and others back to CPUs. */
static void vary(counts *c)
{
    unsigned moves = (unsigned)hsi_random_below(&c->random, MOVES + 1);
    size_t   i;

    for (; moves > 0; moves--) {
        uint32_t away = (uint32_t)hsi_random_below(&c->random, c->kinds.n);
        uint32_t back = (uint32_t)hsi_random_below(&c->random, c->kinds.n);
        uint32_t most = 1 + (uint32_t)hsi_random_below(&c->random, MOVES);

        if (c->weight[HS_GPU][away] <= c->capacity) {
            most = most < c->on[HS_CPU][away] ? most : c->on[HS_CPU][away];
            c->on[HS_CPU][away] -= most;
            c->on[HS_GPU][away] += most;
        }
        if (back != away)
            move(c, back, HS_CPU, 1 + (uint32_t)hsi_random_below(&c->random, MOVES));
    }
    for (i = 0; room_of(c, HS_GPU) < 0 && i < c->kinds.n; i++)
        move(c, c->order[i], HS_CPU, UINT32_MAX);
}

static int fill(counts *c, int type)
{
    int64_t  weight[KINDS];
    uint32_t count[KINDS];
    hsi_capacity_search f = {.kinds = c->kinds.n,
                             .weight = weight,
                             .capacity = c->capacity,
                             .most_nodes = FILL_NODES,
                             .stop = &c->slice,
                             .take = c->take[type]};
    int      found;
    size_t   i;

    for (i = 0; i < c->kinds.n; i++) {
        weight[i] = c->weight[type][c->longest[type][i]];
        count[i] = c->on[type][c->longest[type][i]];
    }
    found = hsi_capacity_search_run(&f, c->workers[type], count) == HSI_FOUND;
    c->best->report->iterations += f.nodes + 1;
    return found;
}

/* Return how many tasks of a kind on worker w are not yet named. */
static uint32_t *left_of(const counts *c, uint32_t w, uint32_t kind)
{
    unsigned  cpus = c->workers[HS_CPU];
    int       type = w >= cpus;
    uint32_t *row = c->take[type] + (w - (type ? cpus : 0)) * c->kinds.n, at = 0;

    while (c->longest[type][at] != kind)
        at++;
    return &row[at];
}

static hs_status take(counts *c)
{
    const hsi_problem *pb = &c->best->pb;
    uint32_t          *worker = malloc((pb->n + 1) * sizeof *worker), at[KINDS] = {0};
    hs_status          st = HS_ENOMEM;
    size_t             i;

    if (!worker)
        return st;
    for (i = 0; i < pb->n; i++) {
        uint32_t kind = c->kind_of[i];

        while (*left_of(c, at[kind], kind) == 0)
            at[kind]++;
        --*left_of(c, at[kind], kind);
        worker[i] = at[kind];
    }
    st = hsi_best_offer_assignment(c->best, worker);
    free(worker);
    return st;
}

static int goes_on(const counts *c)
{
    hsi_best *best = c->best;

    return hsi_best_goes_on(best) &&
           (best->counted ? best->report->iterations < c->most : !hsi_stop_now(&c->slice));
}

/* Search a schedule of at most `target` in up to `draws` draws. If found, set *met and offer the
 * schedule. */
static hs_status try_target(counts *c, double target, unsigned draws, int *met)
{
    unsigned draw;

    aim(c, target);
    for (*met = 0, draw = 0; !*met && draw < draws && goes_on(c); draw++) {
        divide(c);
        if (draw > 0)
            vary(c);
        c->best->report->iterations += c->kinds.n;
        *met = room_of(c, HS_CPU) >= 0 && room_of(c, HS_GPU) >= 0 && fill(c, HS_CPU) &&
               fill(c, HS_GPU);
    }
    return *met ? take(c) : HS_OK;
}

/* Try targets half way to the bound while they are met, else half way back; then repeat with more
 * draws. */
static hs_status search(counts *c)
{
    hsi_best *best = c->best;
    double    grid = hsi_bounds_grid(best);
    unsigned  draws;
    hs_status st = HS_OK;

    for (draws = FIRST_DRAWS; draws <= MOST_DRAWS && st == HS_OK && goes_on(c); draws *= 2) {
        double low = best->bound - grid; /* highest target that failed; on a grid, just below the
                                            bound */

        while (st == HS_OK && goes_on(c) &&
               best->makespan - low > fmax(grid, near_enough * best->makespan)) {
            double target = low + (best->makespan - low) / 2;
            int    met;

            target = grid > 0 ? floor(target / grid) * grid : target;
            st = try_target(c, target, draws, &met);
            if (!met)
                low = target;
        }
    }
    return st;
}

static hs_status prepare(counts *c)
{
    const hsi_problem *pb = &c->best->pb;
    hs_status          st;

    c->kind_of = malloc((pb->n + 1) * sizeof *c->kind_of);
    if (!c->kind_of)
        return HS_ENOMEM;
    st = hsi_problem_of_kinds(pb, KINDS, &c->kinds, c->kind_of);
    if (st != HS_OK)
        return st;
    c->take[HS_CPU] = malloc(((size_t)pb->m * c->kinds.n + 1) * sizeof *c->take[0]);
    c->take[HS_GPU] = malloc(((size_t)pb->k * c->kinds.n + 1) * sizeof *c->take[0]);
    if (!c->take[HS_CPU] || !c->take[HS_GPU])
        return HS_ENOMEM;
    c->workers[HS_CPU] = pb->m;
    c->workers[HS_GPU] = pb->k;
    sort_kinds(&c->kinds, NULL, c->order);
    sort_kinds(&c->kinds, c->kinds.p, c->longest[HS_CPU]);
    sort_kinds(&c->kinds, c->kinds.q, c->longest[HS_GPU]);
    hsi_random_seed(&c->random, c->best->settings->seed, UINT64_MAX - 1);
    return HS_OK;
}

hs_status hsi_best_by_counts(hsi_best *best)
{
    counts    c = {.best = best, .slice = best->stop};
    uint64_t  left = best->settings->iterations - best->report->iterations;
    hs_status st;

    if (best->pb.n / (best->pb.m + best->pb.k) < LEAST_EACH)
        return HS_OK;
    best->phase = "search by counts";
    c.most = best->report->iterations + (uint64_t)(part * (double)left);
    if (!best->counted)
        c.slice.end = hsi_now() + part * fmin(hsi_stop_left(&best->stop), 60);
    st = prepare(&c);
    if (st == HS_OK)
        st = search(&c);
    hsi_problem_close(&c.kinds);
    free(c.kind_of);
    free(c.take[HS_CPU]);
    free(c.take[HS_GPU]);
    return st == HS_ETOOBIG ? HS_OK : st;
}
