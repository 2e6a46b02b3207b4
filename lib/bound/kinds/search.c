/* SPDX-License-Identifier: BSD-3-Clause */
/* The depth-first search over patterns; see kinds.c. */
#include <stdlib.h>
#include <string.h>

#include "bound/kinds/state.h"
#include "support/hash.h"

enum {
    ASK = 1024, /* nodes between polls of the stop */
    LEAST_TABLE = 1 << 12
};

static uint64_t number_of(const hsi_kinds *kd, const hsi_kinds_level *at)
{
    uint64_t number = (uint64_t)(at - kd->levels);
    size_t   i;

    for (i = 0; i < kd->kinds; i++)
        number = number * (kd->count[i] + 1) + at->rest[i];
    return number + 1;
}

static uint64_t *place_of(const hsi_kinds *kd, uint64_t number)
{
    size_t at = (size_t)hsi_hash_mix(number, 0x9e3779b97f4a7c15u) & (kd->table - 1);

    while (kd->seen[at] && kd->seen[at] != number)
        at = (at + 1) & (kd->table - 1);
    return &kd->seen[at];
}

static hs_status grow_table(hsi_kinds *kd)
{
    uint64_t *old = kd->seen;
    size_t    size = kd->table, i;

    kd->table = size ? 2 * size : LEAST_TABLE;
    kd->seen = calloc(kd->table, sizeof *kd->seen);
    if (!kd->seen) {
        kd->seen = old;
        kd->table = size;
        return HS_ENOMEM;
    }
    for (i = 0; i < size; i++)
        if (old[i])
            *place_of(kd, old[i]) = old[i];
    free(old);
    return HS_OK;
}

/* Mark the node as visited; *is_new is set to 0 if the node was visited before. */
static hs_status mark_visited(hsi_kinds *kd, const hsi_kinds_level *at, int *is_new)
{
    uint64_t  number = number_of(kd, at), *place;
    hs_status st = 2 * kd->used >= kd->table ? grow_table(kd) : HS_OK;

    if (st != HS_OK)
        return st;
    place = place_of(kd, number);
    *is_new = *place == 0;
    kd->used += *place == 0;
    *place = number;
    return HS_OK;
}

static hsi_verdict fill_fine(hsi_kinds *kd, const hsi_kinds_level *at)
{
    unsigned fine = kd->workers[!kd->coarse], all = fine + kd->workers[kd->coarse];
    uint64_t left = kd->query->most_nodes - kd->query->nodes,
             most = kd->query->most_nodes / (2 * all) * fine + 1; /* limit of the nodes of a call */
    hsi_capacity_search fill = {.kinds = kd->kinds,
                                .weight = kd->weight[!kd->coarse],
                                .capacity = kd->capacity,
                                .most_nodes = left < most ? left : most,
                                .stop = kd->stop,
                                .take = kd->fine_take};
    hsi_verdict         verdict = hsi_fits_capacity(&fill, fine, at->rest);

    kd->query->nodes += fill.nodes;
    if (verdict == HSI_STOPPED) { /* another node may leave tasks that are easier to share out */
        kd->query->doubtful = true;
        return HSI_REFUTED;
    }
    return verdict;
}

/* Return the most worth that `workers_left` workers of the coarse type and all fine workers can
 * run. */
static int64_t most_reachable_worth(const hsi_kinds *kd, unsigned workers_left, size_t set)
{
    return workers_left * kd->most[kd->coarse][set] +
           kd->workers[!kd->coarse] * kd->most[!kd->coarse][set];
}

/* Give the pattern to this level's worker and set the rest for the next level. Return false if the
 * rest exceeds the worth that the workers left can run. */
static bool give_pattern(const hsi_kinds *kd, const hsi_kinds_level *at, const hsi_kinds_pattern *p,
                         unsigned workers_left, hsi_kinds_level *next)
{
    size_t i, set;

    memcpy(next->worth, at->worth, sizeof next->worth);
    for (i = 0; i < kd->kinds; i++) {
        uint32_t take = p->take[i] < at->rest[i] ? p->take[i] : at->rest[i];

        next->rest[i] = at->rest[i] - take;
        for (set = 0; set < HSI_KINDS_WORTHS; set++)
            next->worth[set] -= take * kd->worth[set][i];
    }
    for (set = 0; set < HSI_KINDS_WORTHS; set++)
        if (next->worth[set] > most_reachable_worth(kd, workers_left, set))
            return false;
    return true;
}

static bool is_over(hsi_kinds *kd)
{
    hsi_kinds_query *query = kd->query;

    return ++query->nodes >= query->most_nodes ||
           (query->nodes % ASK == 0 && hsi_stop_is_due(kd->stop));
}

static hs_status search_level(hsi_kinds *kd, hsi_kinds_level *at, hsi_verdict *verdict)
{
    unsigned  given = (unsigned)(at - kd->levels), left = kd->workers[kd->coarse] - given;
    hs_status st = HS_OK;
    int64_t   least;
    size_t    i;

    *verdict = HSI_REFUTED;
    if (left == 0) {
        *verdict = fill_fine(kd, at);
        return HS_OK;
    }
    least = at->worth[0] - most_reachable_worth(kd, left - 1, 0);
    for (i = 0; i < kd->pattern_count && kd->patterns[i].worth[0] >= least; i++) {
        int is_new = 1;

        if (is_over(kd)) {
            *verdict = HSI_STOPPED;
            return HS_OK;
        }
        if (!give_pattern(kd, at, &kd->patterns[i], left - 1, at + 1))
            continue;
        st = mark_visited(kd, at + 1, &is_new);
        if (st == HS_OK && is_new)
            st = search_level(kd, at + 1, verdict);
        if (st != HS_OK || *verdict != HSI_REFUTED)
            return st;
    }
    return HS_OK;
}

/* Write the patterns, and the counts found by capacity_search.c, as the worker of each task. */
static void write_worker(const hsi_kinds *kd, uint32_t *worker)
{
    uint32_t coarse_first = kd->coarse == HS_CPU ? 0 : kd->pb->m,
             fine_first = kd->coarse == HS_CPU ? kd->pb->m : 0, at[HSI_MOST_KINDS] = {0}, kind;
    uint32_t have[HSI_MOST_KINDS] = {0};
    size_t   i, coarse = kd->workers[kd->coarse];

    for (i = 0; i < kd->pb->n; i++) {
        kind = kd->kind_of[i];
        while (at[kind] < coarse) { /* find the worker that takes another task of this kind */
            const hsi_kinds_level *l = &kd->levels[at[kind]];

            if (have[kind] < l[0].rest[kind] - l[1].rest[kind])
                break;
            at[kind]++;
            have[kind] = 0;
        }
        while (at[kind] >= coarse &&
               have[kind] >= kd->fine_take[(at[kind] - coarse) * kd->kinds + kind]) {
            at[kind]++;
            have[kind] = 0;
        }
        worker[i] = at[kind] < coarse ? coarse_first + at[kind]
                                      : fine_first + (uint32_t)(at[kind] - coarse);
        have[kind]++;
    }
}

static void begin_search(hsi_kinds *kd)
{
    hsi_kinds_level *at = kd->levels;
    size_t           i, set;

    memcpy(at->rest, kd->count, sizeof at->rest);
    for (set = 0; set < HSI_KINDS_WORTHS; set++)
        for (at->worth[set] = 0, i = 0; i < kd->kinds; i++)
            at->worth[set] += kd->count[i] * kd->worth[set][i];
    if (kd->table)
        memset(kd->seen, 0, kd->table * sizeof *kd->seen);
    kd->used = 0;
}

hs_status hsi_kinds_test_target(hsi_kinds *kd, hsi_kinds_query *query, const hsi_stop *stop,
                                hsi_verdict *verdict)
{
    hs_status st;

    kd->query = query;
    kd->stop = stop;
    query->nodes = 0;
    query->doubtful = false;
    *verdict = HSI_STOPPED;
    if (!hsi_kinds_set_target(kd, query->target, query->flip != 0))
        return HS_OK;
    begin_search(kd);
    st = search_level(kd, kd->levels, verdict);
    if (st == HS_OK && *verdict == HSI_FOUND && query->worker)
        write_worker(kd, query->worker);
    if (*verdict == HSI_REFUTED && query->doubtful)
        *verdict = HSI_STOPPED;
    return st;
}
