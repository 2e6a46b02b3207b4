/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kind after kind, by falling worth per weight, as many copies as fit and then fewer, until
 * even the room that is left, filled with the next kind as if it could be cut, is not enough.
 */
#include "check/most.h"

#include <stdlib.h>

#define MOST_NODES (UINT64_C(1) << 28)

typedef __int128 wide;

typedef struct search {
    const most_kind *kinds;
    size_t           count;
    int64_t          most;
    uint64_t        *nodes;
    knapsack_verdict verdict;
} search;

static int by_ratio(const void *a, const void *b)
{
    const most_kind *x = a, *y = b;
    wide             left = (wide)x->worth * y->weight, right = (wide)y->worth * x->weight;

    return (left < right) - (left > right);
}

/* May the room be worth more than `lacking` with the kinds from `kind` on, the last one cut? */
static int may_exceed(const search *s, size_t kind, int64_t room, int64_t lacking)
{
    for (; kind < s->count && lacking >= 0; kind++) {
        const most_kind *k = &s->kinds[kind];

        if ((uint64_t)(room / k->weight) < k->count)
            return (wide)room * k->worth / k->weight > lacking;
        room -= k->weight * (int64_t)k->count;
        lacking -= k->worth * (int64_t)k->count;
    }
    return lacking < 0;
}

static void descend(search *s, size_t kind, int64_t room, int64_t worth)
{
    const most_kind *k = &s->kinds[kind];
    uint64_t         copies;

    if (worth > s->most)
        s->verdict = KNAPSACK_FAILS;
    if (kind == s->count || s->verdict != KNAPSACK_HOLDS)
        return;
    copies = (uint64_t)(room / k->weight);
    if (copies > k->count)
        copies = k->count;
    for (;; copies--) {
        int64_t less = room - k->weight * (int64_t)copies,
                more = worth + k->worth * (int64_t)copies;

        if (++*s->nodes > MOST_NODES)
            s->verdict = KNAPSACK_TOO_HARD;
        /* With fewer copies it is no better: what is next is worth less for its weight. */
        if (s->verdict != KNAPSACK_HOLDS || !may_exceed(s, kind + 1, less, s->most - more))
            return;
        descend(s, kind + 1, less, more);
        if (copies == 0)
            return;
    }
}

knapsack_verdict most_check(most_kind *kinds, size_t count, int64_t capacity, int64_t most,
                            uint64_t *nodes)
{
    search s = {.kinds = kinds, .most = most, .nodes = nodes, .verdict = KNAPSACK_HOLDS};

    for (size_t i = 0; i < count; i++)
        if (kinds[i].weight <= capacity && kinds[i].worth > 0)
            kinds[s.count++] = kinds[i];
    qsort(kinds, s.count, sizeof *kinds, by_ratio);
    descend(&s, 0, capacity, 0);
    return s.verdict;
}
