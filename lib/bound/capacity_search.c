/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Workers are identical, so the next worker may be the fullest of those left: its load is at least
 * the average of the remaining load, and at most the load of the worker before. If little capacity
 * is wasted this is a narrow range; if much is, the first attempt mostly succeeds.
 */
#include "bound/capacity_search.h"

#include <string.h>

enum { ASK = 4096 }; /* nodes between polls of the stop */

/* State of the worker to fill; earlier workers are full. */
typedef struct level {
    unsigned  left; /* number of workers left, this one included */
    int64_t   most; /* maximum load of the worker */
    int64_t   load;
    uint32_t  rest[HSI_CAPACITY_MOST_KINDS];
    uint32_t *take;
} level;

static hsi_verdict fill_worker(hsi_capacity_search *f, level *at);

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool is_over(hsi_capacity_search *f)
{
    f->nodes++;
    return f->nodes >= f->most_nodes || (f->nodes % ASK == 0 && hsi_stop_is_due(f->stop));
}

static hsi_verdict next_worker(hsi_capacity_search *f, const level *at)
{
    level  next;
    size_t i;

    next.left = at->left - 1;
    next.most = at->load;
    next.load = 0;
    next.take = at->take + f->kinds;
    for (i = 0; i < f->kinds; i++)
        next.rest[i] = at->rest[i] - at->take[i];
    return fill_worker(f, &next);
}

/* Choose counts of the kinds from `kind` on that add a load within low .. high; all copies left of
 * these kinds weigh `remaining_weight`. */
static hsi_verdict choose_counts(hsi_capacity_search *f, level *at, size_t kind,
                                 __int128_t least_load, int64_t most_load,
                                 __int128_t remaining_weight)
{
    int64_t weight = f->weight[kind], most = smaller(at->rest[kind], most_load / weight), step,
            least;
    int64_t    ideal = smaller(at->rest[kind] / at->left, most);
    __int128_t others = remaining_weight - (__int128_t)weight * at->rest[kind];

    least = least_load > others ? (int64_t)((least_load - others + weight - 1) / weight) : 0;
    if (ideal < least)
        ideal = least;
    for (step = 0; ideal + step <= most || ideal - step >= least; step++) {
        int side;

        for (side = 1; side >= (step ? -1 : 1); side -= 2) {
            int64_t     copies = ideal + side * step, load;
            hsi_verdict verdict;

            if (copies < least || copies > most)
                continue;
            load = copies * weight;
            if (is_over(f))
                return HSI_STOPPED;
            at->take[kind] = (uint32_t)copies;
            at->load += load;
            verdict = kind + 1 < f->kinds ? choose_counts(f, at, kind + 1, least_load - load,
                                                          most_load - load, others)
                                          : next_worker(f, at);
            at->load -= load;
            if (verdict != HSI_REFUTED)
                return verdict;
        }
    }
    return HSI_REFUTED;
}

static hsi_verdict fill_worker(hsi_capacity_search *f, level *at)
{
    __int128_t all = 0;
    size_t     i;

    for (i = 0; i < f->kinds; i++)
        all += (__int128_t)f->weight[i] * at->rest[i];
    if (all == 0) {
        memset(at->take, 0, at->left * f->kinds * sizeof *at->take);
        return HSI_FOUND;
    }
    if (all > (__int128_t)at->most * at->left)
        return HSI_REFUTED;
    if (at->left == 1) {
        memcpy(at->take, at->rest, f->kinds * sizeof *at->take);
        return HSI_FOUND;
    }
    return choose_counts(f, at, 0, (all + at->left - 1) / at->left, at->most, all);
}

hsi_verdict hsi_fits_capacity(hsi_capacity_search *f, unsigned workers, const uint32_t *count)
{
    level  first = {.left = workers, .most = f->capacity, .take = f->take};
    size_t i;

    for (i = 0; i < f->kinds; i++)
        if (count[i] && (workers == 0 || f->weight[i] > f->capacity))
            return HSI_REFUTED;
    if (workers == 0)
        return HSI_FOUND;
    memcpy(first.rest, count, f->kinds * sizeof *count);
    return fill_worker(f, &first);
}
