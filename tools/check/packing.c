/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exhaustive search over workers by falling load, which is no restriction for identical workers:
 * the next worker has at least the average of the remaining load, and no more than the worker
 * before. Its tasks are chosen kind by kind, the longest first.
 */
#include "check/packing.h"

#include <stdlib.h>

#include "common/checked_memory.h"

enum { MOST_DEPTH = 1 << 13 }; /* largest number of workers x kinds; each is a recursive call */

typedef struct packing {
    const packing_kind *kind;
    size_t              kinds;
    unsigned            workers;
    /* rest[worker][kind]: number of tasks left for this worker and later workers */
    uint32_t           *rest;
    limits             *l;
} packing;

static verdict fill_worker(packing *p, unsigned worker, cells most);

/*
 * Choose tasks of the kinds from `kind` on, of total weight `rest`, for a load from least to most.
 */
static verdict choose(packing *p, unsigned worker, size_t kind, cells load, cells least, cells most,
                      cells rest)
{
    const uint32_t *here = p->rest + worker * p->kinds;
    uint32_t       *next = p->rest + (worker + 1) * p->kinds, taken = 0;
    verdict         found = HOLDS;
    cells           weight;

    if (load + rest < least)
        return HOLDS;
    if (!limits_allow(p->l, 1))
        return TOO_MUCH;
    if (kind == p->kinds)
        return fill_worker(p, worker + 1, load);
    weight = p->kind[kind].weight;
    rest -= weight * here[kind];
    if (load + rest < least)
        taken = (uint32_t)((least - load - rest + weight - 1) / weight);
    for (load += weight * taken; found == HOLDS && taken <= here[kind] && load <= most;
         taken++, load += weight) {
        next[kind] = here[kind] - taken;
        found = choose(p, worker, kind + 1, load, least, most, rest);
    }
    return found;
}

/* Return HOLDS if the remaining tasks cannot be given to the workers from this worker on. */
static verdict fill_worker(packing *p, unsigned worker, cells most)
{
    unsigned workers = p->workers - worker;
    cells    all = 0;

    for (size_t i = 0; i < p->kinds; i++)
        all += p->kind[i].weight * p->rest[worker * p->kinds + i];
    if (all > most * workers)
        return HOLDS;
    if (all == 0 || workers == 1)
        return FAILS;
    return choose(p, worker, 0, 0, (all + workers - 1) / workers, most, all);
}

static int by_weight(const void *a, const void *b)
{
    const packing_kind *x = a, *y = b;

    return (x->weight < y->weight) - (x->weight > y->weight);
}

verdict packing_check(packing_kind *kinds, size_t count, unsigned workers, cells capacity,
                      limits *l)
{
    packing p = {kinds, count, workers, NULL, l};
    verdict found;

    qsort(kinds, count, sizeof *kinds, by_weight);
    if (workers == 0 || kinds[0].weight > capacity)
        return HOLDS;
    if (count > MOST_DEPTH || workers > MOST_DEPTH / count)
        return TOO_MUCH;
    p.rest = checked_calloc((workers + 1) * count, sizeof *p.rest);
    for (size_t i = 0; i < count; i++)
        p.rest[i] = kinds[i].count;
    found = fill_worker(&p, 0, capacity);
    free(p.rest);
    return found;
}
