/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Level the loads of one type's workers: repeatedly, the fullest worker gives a task to another one
 * in exchange for a task or none, so that the larger of both loads becomes as small as possible.
 * The end is reached when no exchange reduces the maximum, or at a limit of work. Each worker's
 * tasks are sorted by time, so that one pass over two workers finds their best exchange: O(n) per
 * round, with up to 64 partners.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/order.h"
#include "refine/refine.h"
#include "support/sort.h"
#include "support/worker_tree.h"

typedef struct timed_task {
    double   time;
    uint32_t task;
} timed_task;

typedef struct bin {
    timed_task *list; /* tasks by increasing time */
    size_t      size, room;
    double      load;
} bin;

typedef struct packing {
    bin        *bins;
    timed_task *memory;
    uint32_t    count, first; /* number of bins, and the worker of the first bin */
} packing;

static void close_packing(packing *pk)
{
    free(pk->bins);
    free(pk->memory);
}

/* Create bins with room for the tasks that `worker` assigns, and some more. */
static hs_status open_packing(packing *pk, const hsi_problem *pb, hs_type type,
                              const uint32_t *worker)
{
    size_t total = 0, i;

    *pk = (packing){.count = type == HS_CPU ? pb->m : pb->k, .first = type == HS_CPU ? 0 : pb->m};
    pk->bins = calloc((size_t)pk->count + 1, sizeof *pk->bins);
    if (!pk->bins)
        return HS_ENOMEM;
    for (i = 0; i < pb->n; i++)
        if (worker[i] - pk->first < pk->count)
            pk->bins[worker[i] - pk->first].room++;
    for (i = 0; i < pk->count; i++) {
        pk->bins[i].room += pk->bins[i].room / 4 + 8;
        total += pk->bins[i].room;
    }
    pk->memory = malloc((total + 1) * sizeof *pk->memory);
    if (!pk->memory) {
        close_packing(pk);
        return HS_ENOMEM;
    }
    for (i = 0, total = 0; i < pk->count; i++) {
        pk->bins[i].list = pk->memory + total;
        total += pk->bins[i].room;
    }
    return HS_OK;
}

static int is_shorter(const void *times, uint32_t a, uint32_t b)
{
    const double *time = times;

    return time[a] < time[b] || (time[a] == time[b] && a < b);
}

/* Fill loads in the order of the tasks, and lists in the order of their times. */
static hs_status fill_bins(packing *pk, const hsi_problem *pb, const uint32_t *worker,
                           hsi_token *token)
{
    const double         *time = pk->first < pb->m ? pb->p : pb->q;
    const hsi_index_order how = {is_shorter, time, token};
    hsi_arena             arena = {0};
    uint32_t             *order = hsi_arena_alloc(&arena, pb->n, sizeof *order);
    uint64_t             *keys = hsi_arena_alloc(&arena, 2 * pb->n, sizeof *keys);
    hs_status             st = order && keys ? HS_OK : HS_ENOMEM;
    size_t                size = 0;

    for (uint32_t i = 0; st == HS_OK && i < pb->n && !hsi_poll_at_iteration(token, i); i++) {
        if (worker[i] - pk->first >= pk->count)
            continue;
        pk->bins[worker[i] - pk->first].load += time[i];
        keys[size] = hsi_key_of_double(time[i]);
        order[size++] = i;
    }
    if (st == HS_OK && hsi_sort_by_keys(keys, keys + size, size, &how, order, order))
        st = HS_ECANCELED;
    for (size_t i = 0; st == HS_OK && i < size && !hsi_poll_after_work(token, 16); i++) {
        bin *b = &pk->bins[worker[order[i]] - pk->first];

        b->list[b->size++] = (timed_task){time[order[i]], order[i]};
    }
    hsi_arena_close(&arena);
    return st == HS_OK && token && token->cancelled ? HS_ECANCELED : st;
}

/* An exchange of a's task `give` for b's task `take`, where a is the fuller bin. */
typedef struct exchange {
    size_t give, take; /* take = NOTHING: none */
    double moved;      /* load that bin `a` loses by the exchange; 0: no exchange helps */
} exchange;

#define NOTHING SIZE_MAX

/* Return the exchange that moves the load nearest to half of the difference, but less than all of
 * it. */
static exchange best_exchange(const bin *a, const bin *b)
{
    double   gap = a->load - b->load, nearest = gap / 2;
    exchange best = {0, NOTHING, 0};
    size_t   i, j = 0;

    for (i = 0; i < a->size; i++) {
        double time = a->list[i].time, off = fabs(time - gap / 2);
        size_t back;

        if (off < nearest && b->size < b->room) {
            nearest = off;
            best = (exchange){i, NOTHING, time};
        }
        while (j < b->size && time - b->list[j].time > gap / 2)
            j++;
        for (back = j > 0 ? j - 1 : 0; back <= j && back < b->size; back++) {
            double moved = time - b->list[back].time;

            off = fabs(moved - gap / 2);
            if (off < nearest) {
                nearest = off;
                best = (exchange){i, back, moved};
            }
        }
    }
    return best;
}

static timed_task remove_task(bin *b, size_t index)
{
    timed_task out = b->list[index];

    b->size--;
    memmove(&b->list[index], &b->list[index + 1], (b->size - index) * sizeof *b->list);
    return out;
}

static void insert_task(bin *b, timed_task task)
{
    size_t low = 0, high = b->size;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (b->list[middle].time < task.time)
            low = middle + 1;
        else
            high = middle;
    }
    memmove(&b->list[low + 1], &b->list[low], (b->size - low) * sizeof *b->list);
    b->list[low] = task;
    b->size++;
}

static void apply_exchange(bin *a, bin *b, exchange exchanged)
{
    timed_task given = remove_task(a, exchanged.give);

    if (exchanged.take != NOTHING)
        insert_task(a, remove_task(b, exchanged.take));
    insert_task(b, given);
    a->load -= exchanged.moved;
    b->load += exchanged.moved;
}

static uint32_t fullest_bin(const packing *pk)
{
    uint32_t i, at = 0;

    for (i = 1; i < pk->count; i++)
        if (pk->bins[i].load > pk->bins[at].load)
            at = i;
    return at;
}

/* Reduce the load of bin `from` by the best exchange. Return false if none helps. *work counts the
 * visited tasks. */
static bool relieve_bin(packing *pk, uint32_t from, size_t *work)
{
    enum { MOST = 64 };
    bin     *a = &pk->bins[from];
    uint32_t tries = pk->count < MOST ? pk->count : MOST, i, to = from;
    uint32_t stride = pk->count / tries;
    exchange best = {0, NOTHING, 0};
    double   least = a->load;

    for (i = 0; i < tries; i++) {
        uint32_t at = (uint32_t)((from + 1 + (uint64_t)i * stride) % pk->count);
        bin     *b = &pk->bins[at];
        exchange x;
        double   larger;

        if (b->load + (a->load - b->load) / 2 >= least)
            continue; /* even an ideal exchange with this bin is not better than the best so far */
        x = best_exchange(a, b);
        *work += a->size + b->size;
        larger = fmax(a->load - x.moved, b->load + x.moved);
        if (x.moved > 0 && larger < least) {
            least = larger;
            best = x;
            to = at;
        }
    }
    if (to == from)
        return false;
    apply_exchange(a, &pk->bins[to], best);
    *work += a->size + pk->bins[to].size;
    return true;
}

static void level_bins(packing *pk, size_t count, const hsi_interrupt *interrupt)
{
    size_t work = 0, most = 20000000 + 400 * count, checked = 0;

    while (pk->count > 1 && work < most) {
        work += pk->count;
        if (!relieve_bin(pk, fullest_bin(pk), &work))
            break;
        if (work > checked + 200000) {
            checked = work;
            if (hsi_interrupted(interrupt))
                break;
        }
    }
}

static void write_back(const packing *pk, hsi_token *token, uint32_t *worker)
{
    uint32_t i;
    size_t   j;

    for (i = 0; i < pk->count; i++)
        for (j = 0; j < pk->bins[i].size && !hsi_poll_after_work(token, 16); j++)
            worker[pk->bins[i].list[j].task] = pk->first + i;
}

hs_status hsi_level_loads(const hsi_problem *pb, hs_type type, const hsi_interrupt *interrupt,
                          uint32_t *assignment)
{
    packing   pk;
    hs_status st = open_packing(&pk, pb, type, assignment);

    if (st != HS_OK)
        return st;
    st = fill_bins(&pk, pb, assignment, interrupt->token);
    if (st == HS_OK) {
        level_bins(&pk, pb->n, interrupt);
        write_back(&pk, interrupt->token, assignment);
    }
    close_packing(&pk);
    return st;
}

/* Run LPT: the longest task first, each on the worker that is free first. */
static hs_status run_lpt(const hsi_problem *pb, hs_type type, hsi_token *token, uint32_t *worker)
{
    uint32_t        first = type == HS_CPU ? 0 : pb->m, count = type == HS_CPU ? pb->m : pb->k;
    const double   *time = type == HS_CPU ? pb->p : pb->q;
    hsi_arena       arena = {0};
    uint32_t       *order = hsi_arena_alloc(&arena, pb->n, sizeof *order);
    hsi_worker_tree tree;
    hs_status       st = HS_ENOMEM;
    size_t          size = 0, i;

    if (order && !hsi_worker_tree_open_in(&tree, &arena, count)) {
        for (i = 0; i < pb->n && !hsi_poll_at_iteration(token, i); i++)
            if (worker[i] - first < count)
                order[size++] = (uint32_t)i;
        st = hsi_sort_by_time(&arena, time, size, order, token);
    }
    for (i = 0; st == HS_OK && i < size && !hsi_poll_after_work(token, 16); i++) {
        uint32_t rank = hsi_worker_tree_first(&tree);

        worker[order[i]] = first + rank;
        hsi_worker_tree_set(&tree, rank, hsi_worker_tree_time(&tree) + time[order[i]]);
    }
    hsi_arena_close(&arena);
    return st;
}

hs_status hsi_pack_tasks(const hsi_problem *pb, hs_type type, const hsi_interrupt *interrupt,
                         uint32_t *assignment)
{
    hs_status st;

    if ((type == HS_CPU ? pb->m : pb->k) == 0)
        return HS_OK;
    st = run_lpt(pb, type, interrupt->token, assignment);
    return st == HS_OK ? hsi_level_loads(pb, type, interrupt, assignment) : st;
}
