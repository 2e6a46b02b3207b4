/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The type whose workers run few tasks each is called coarse. All maximal patterns of this type can
 * be listed: vectors of counts that fit on a worker and leave no room for a further task. The
 * search gives patterns to the coarse workers one after the other; capacity_search.c shares the
 * remaining tasks out to the workers of the other, fine type. A pattern with more tasks of a kind
 * than are left takes those left.
 *
 * Two nodes that leave the same tasks to the same number of workers are equal, so the search
 * remembers visited nodes. Worths of tasks prune as in the configuration bound: a worker runs at
 * most the worth of the best pattern of the type, so a node is refuted if the remaining tasks are
 * worth more than the remaining workers can run. Each node is compared with three such worths, one
 * of them the time on the fine type.
 *
 * Times are rounded down to whole cells of a grid so fine that mostly no time is rounded. Loads
 * that fit in exact arithmetic fit in cells, so refutations are safe.
 */
#include "bound/kinds/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_WORKERS = 512,
    MOST_PATTERNS = 20000,
    MOST_VECTORS = 1 << 20, /* vectors tried to list the patterns */
    CAPACITY_BITS = 63,
    WORTH_BITS = 48,    /* worth of all tasks together */
    KNAPSACK_BITS = 40, /* capacity of a knapsack */
    KNAPSACK_NODES = 200000
};

static const int64_t does_not_fit = INT64_MAX; /* above any capacity, which has at most 53
                                                  significant bits */

static bool is_longer_kind(const hsi_problem *kinds, uint32_t a, uint32_t b)
{
    double x = fmin(kinds->p[a], kinds->q[a]), y = fmin(kinds->p[b], kinds->q[b]);

    if (x != y)
        return x > y;
    return kinds->p[a] != kinds->p[b] ? kinds->p[a] > kinds->p[b] : kinds->q[a] > kinds->q[b];
}

/* Find the kinds and order them by falling time. */
static hs_status find_kinds(hsi_kinds *kd)
{
    hsi_problem kinds;
    uint32_t    place[HSI_MOST_KINDS], a, b;
    hs_status   st = hsi_problem_of_kinds(kd->pb, HSI_MOST_KINDS, &kinds, kd->kind_of);
    size_t      i;

    if (st != HS_OK)
        return st;
    kd->kinds = kinds.n;
    for (a = 0; a < kinds.n; a++) {
        for (place[a] = 0, b = 0; b < kinds.n; b++)
            place[a] += (uint32_t)is_longer_kind(&kinds, b, a);
        kd->time[HS_CPU][place[a]] = kinds.p[a];
        kd->time[HS_GPU][place[a]] = kinds.q[a];
        kd->count[place[a]] = kinds.count[a];
    }
    for (i = 0; i < kd->pb->n; i++)
        kd->kind_of[i] = place[kd->kind_of[i]];
    hsi_problem_close(&kinds);
    return HS_OK;
}

/* Return true if all nodes have different numbers of 63 bits. */
static bool can_be_numbered(const hsi_kinds *kd)
{
    double numbers = MOST_WORKERS;
    size_t i;

    for (i = 0; i < kd->kinds; i++)
        numbers *= kd->count[i] + 1.0;
    return numbers < 0x1p62;
}

hs_status hsi_kinds_open(const hsi_problem *pb, hsi_kinds **out)
{
    hsi_kinds *kd;
    size_t     workers = (size_t)pb->m + pb->k;
    hs_status  st;

    if (pb->n == 0 || workers > MOST_WORKERS)
        return HS_ETOOBIG;
    kd = calloc(1, sizeof *kd);
    if (!kd)
        return HS_ENOMEM;
    kd->pb = pb;
    kd->workers[HS_CPU] = pb->m;
    kd->workers[HS_GPU] = pb->k;
    kd->kind_of = hsi_arena_alloc(&kd->arena, pb->n, sizeof *kd->kind_of);
    kd->levels = hsi_arena_alloc(&kd->arena, workers + 1, sizeof *kd->levels);
    kd->fine_take = hsi_arena_alloc(&kd->arena, workers * HSI_MOST_KINDS, sizeof *kd->fine_take);
    kd->patterns = hsi_arena_alloc(&kd->arena, MOST_PATTERNS, sizeof *kd->patterns);
    st = kd->kind_of && kd->levels && kd->fine_take && kd->patterns
             ? hsi_knapsack_open(&kd->knapsack, HSI_MOST_KINDS)
             : HS_ENOMEM;
    if (st == HS_OK)
        st = find_kinds(kd);
    if (st == HS_OK && !can_be_numbered(kd))
        st = HS_ETOOBIG;
    if (st != HS_OK)
        hsi_kinds_close(kd);
    else
        *out = kd;
    return st;
}

void hsi_kinds_close(hsi_kinds *kd)
{
    if (!kd)
        return;
    hsi_knapsack_close(&kd->knapsack);
    hsi_arena_close(&kd->arena);
    free(kd->seen);
    free(kd);
}

void hsi_kinds_set_worths(hsi_kinds *kd, const double *worth)
{
    int    slot = kd->values < 2 ? kd->values++ : 1;
    size_t i;

    for (i = 0; i < kd->pb->n; i++)
        kd->value[slot][kd->kind_of[i]] = worth[i];
}

/* Compute weights in cells of 2^grid. Return false if a task is shorter than a cell. */
static bool compute_weights(hsi_kinds *kd, double target)
{
    int    grid, type;
    size_t i;

    frexp(target, &grid);
    grid -= CAPACITY_BITS;
    kd->capacity = (int64_t)ldexp(target, -grid);
    for (type = HS_CPU; type <= HS_GPU; type++)
        for (i = 0; i < kd->kinds; i++) {
            double time = kd->time[type][i];

            kd->weight[type][i] =
                time <= target && kd->workers[type] ? (int64_t)ldexp(time, -grid) : does_not_fit;
            if (kd->weight[type][i] == 0)
                return false;
        }
    return true;
}

/* List the maximal patterns that extend *p by counts of the kinds from `kind` on. Return false if
 * there are too many. */
static bool list_patterns(hsi_kinds *kd, int type, size_t kind, int64_t free_cells,
                          hsi_kinds_pattern *p)
{
    int64_t weight, copies, least;
    size_t  i;

    if (++kd->vectors > MOST_VECTORS)
        return false;
    if (kind == kd->kinds) {
        for (i = 0; i < kd->kinds; i++)
            if (p->take[i] < kd->count[i] && kd->weight[type][i] <= free_cells)
                return true;
        if (kd->pattern_count == MOST_PATTERNS)
            return false;
        kd->patterns[kd->pattern_count++] = *p;
        return true;
    }
    weight = kd->weight[type][kind];
    copies = free_cells / weight < kd->count[kind] ? free_cells / weight : kd->count[kind];
    least = kind + 1 < kd->kinds ? 0 : copies; /* for the last kind, only the largest count is
                                                  maximal */
    for (; copies >= least; copies--) {
        p->take[kind] = (uint32_t)copies;
        if (!list_patterns(kd, type, kind + 1, free_cells - copies * weight, p))
            return false;
    }
    return true;
}

static bool try_coarse(hsi_kinds *kd, int type)
{
    hsi_kinds_pattern p = {{0}, {0}};

    kd->pattern_count = 0;
    kd->vectors = 0;
    return list_patterns(kd, type, 0, kd->capacity, &p);
}

/* Return the type whose workers run fewer tasks, roughly. */
static int guess_coarse(const hsi_kinds *kd)
{
    double room[2] = {0, 0};
    int    type;
    size_t i;

    for (type = HS_CPU; type <= HS_GPU; type++)
        for (i = 0; i < kd->kinds; i++)
            room[type] += fmin(kd->count[i], (double)(kd->capacity / kd->weight[type][i]));
    return room[HS_CPU] <= room[HS_GPU] ? HS_CPU : HS_GPU;
}

static bool choose_coarse(hsi_kinds *kd, bool flip)
{
    kd->coarse = guess_coarse(kd) ^ flip;
    if (try_coarse(kd, kd->coarse))
        return true;
    kd->coarse = !kd->coarse;
    return try_coarse(kd, kd->coarse);
}

static void scale_values(hsi_kinds *kd, int set)
{
    double sum = 0;
    size_t i;

    for (i = 0; i < kd->kinds; i++)
        sum += kd->count[i] * kd->value[set][i];
    for (i = 0; i < kd->kinds; i++)
        kd->worth[set][i] = set < kd->values && sum > 0 && isfinite(sum)
                                ? (int64_t)ldexp(kd->value[set][i] / sum, WORTH_BITS)
                                : 0;
}

/* Return the most worth of a set of tasks that fits on a fine worker, or slightly more. */
static int64_t most_on_fine(hsi_kinds *kd, int set)
{
    hsi_knapsack *ks = &kd->knapsack;
    int           shift = CAPACITY_BITS - KNAPSACK_BITS, fine = !kd->coarse;
    size_t        i;

    if (kd->workers[fine] == 0)
        return 0;
    ks->n = kd->kinds;
    for (i = 0; i < kd->kinds; i++) {
        ks->weight[i] = kd->weight[fine][i] >> shift;
        ks->profit[i] = kd->weight[fine][i] <= kd->capacity ? kd->worth[set][i] : 0;
        ks->limit[i] = kd->count[i];
    }
    hsi_knapsack_solve(ks, kd->capacity >> shift, 0, KNAPSACK_NODES);
    return ks->bound;
}

static void value_patterns(hsi_kinds *kd, int set)
{
    int64_t most = 0;
    size_t  i, j;

    for (i = 0; i < kd->pattern_count; i++) {
        hsi_kinds_pattern *p = &kd->patterns[i];

        p->worth[set] = 0;
        for (j = 0; j < kd->kinds; j++)
            p->worth[set] += p->take[j] * kd->worth[set][j];
        most = p->worth[set] > most ? p->worth[set] : most;
    }
    kd->most[kd->coarse][set] = most;
}

/* Set the last worth to the time on the fine type, in cells so large that sums over all tasks and
 * workers do not overflow. */
static void value_by_time(hsi_kinds *kd)
{
    int     fine = !kd->coarse, shift = CAPACITY_BITS - WORTH_BITS + 1;
    int64_t capacity;
    double  tasks = 0;
    size_t  i, set = HSI_KINDS_WORTHS - 1;

    for (i = 0; i < kd->kinds; i++)
        tasks += kd->count[i];
    while (tasks * (kd->workers[HS_CPU] + kd->workers[HS_GPU]) >
           ldexp(1, 61 - CAPACITY_BITS + shift))
        shift++;
    capacity = kd->capacity >> shift;
    for (i = 0; i < kd->kinds; i++) /* a task without a time on the type counts as a worker's whole
                                       capacity */
        kd->worth[set][i] =
            kd->weight[fine][i] <= kd->capacity ? kd->weight[fine][i] >> shift : capacity;
    kd->most[fine][set] = kd->workers[fine] ? capacity : 0;
}

static int worth_more(const void *a, const void *b)
{
    const hsi_kinds_pattern *x = a, *y = b;

    if (x->worth[0] != y->worth[0])
        return x->worth[0] > y->worth[0] ? -1 : 1;
    return memcmp(y->take, x->take, sizeof x->take);
}

static void value_all(hsi_kinds *kd)
{
    int set;

    value_by_time(kd);
    for (set = 0; set < HSI_KINDS_WORTHS; set++) {
        if (set < HSI_KINDS_WORTHS - 1) {
            scale_values(kd, set);
            kd->most[!kd->coarse][set] = most_on_fine(kd, set);
        }
        value_patterns(kd, set);
    }
    qsort(kd->patterns, kd->pattern_count, sizeof *kd->patterns, worth_more);
}

bool hsi_kinds_set_target(hsi_kinds *kd, double target, bool flip)
{
    if (!compute_weights(kd, target) || !choose_coarse(kd, flip))
        return false;
    value_all(kd);
    return true;
}
