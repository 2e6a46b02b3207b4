/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The walk of Canon, Marchal, Vivien 2017, Algorithm 1. Type 1 is the type with the smaller average
 * load when each task is on its faster type; c1 and c2 are the times on both types. Tasks are
 * ordered by increasing c1 / c2. From `start` on, one task after the other moves from type 2 to
 * type 1; when the longest task that is slower on type 1 (imax, the top of the heap) determines the
 * estimate, it moves back. After each move the allocation's estimate is the largest of two average
 * loads and two longest tasks.
 *
 * Invariant: order[start, i) have moved; tasks in the heap or counted in max1 are on type 1; sum1,
 * back_sum and the sums from i on are the loads. O(n log n): each task enters and leaves the heap
 * once.
 */
#include "algorithm/balanced.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/order.h"
#include "support/heap.h"

/* State that changes along the walk. Loads are sums, divided for comparisons only. */
typedef struct walker {
    hsi_balanced_walk *walk;
    double             sum1;      /* load of type 1, summed in order of arrival */
    double             peak1;     /* largest value of sum1 so far, the scale of its rounding
                                     error */
    double *rest_sum, *rest_max;  /* sum and maximum of c2 over order[i, n), computed from the
                                     end */
    double    back_sum, back_max; /* sum and maximum of c2 over the tasks moved back */
    double    max1;               /* maximum of c1 over the tasks on type 1 with c1 <= c2 */
    uint32_t *heap;               /* the other tasks on type 1, by c1: the top is imax */
    size_t    heap_size;
    double    best_estimate;
    double    ceiling; /* upper bound of LPT's makespan on the best allocation */
    double    limit;   /* floors above it are not stored */
    bool      inverse_found;
} walker;

static double average(double sum, unsigned workers)
{
    return workers ? sum / workers : 0;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Order of the heap: the longest time on type 1 first, then the earlier position. */
static int longer_on_type_1(const void *context, uint32_t a, uint32_t b)
{
    const double *c1 = context;

    return c1[a] > c1[b] || (c1[a] == c1[b] && a < b);
}

static double top_c1(const walker *wk)
{
    return wk->heap_size ? wk->walk->c1[wk->heap[0]] : 0;
}

/* Return lambda, the estimate with order[0, next) moved: the largest of two averages and two
 * maxima. *longest: the maximum alone. */
static double estimate(walker *wk, size_t next, double *longest)
{
    const hsi_balanced_walk *walk = wk->walk;
    double                   w1 = average(wk->sum1, walk->w1);
    double                   w2 = average(wk->rest_sum[next] + wk->back_sum, walk->w2);

    *longest = larger(larger(wk->max1, top_c1(wk)), larger(wk->rest_max[next], wk->back_max));
    return larger(*longest, larger(w1, w2));
}

/*
 * Return a lower bound of the schedules of an allocation: the longest task, exactly, or the average
 * load minus rounding errors. Two sums of n terms are each wrong by at most n half units of their
 * absolute sum.
 */
static double floor_of(const walker *wk, double lambda, double longest)
{
    double n = (double)wk->walk->pb->n;
    double scale = lambda + average(wk->peak1, wk->walk->w1);

    return larger(longest, lambda - (4 * n + 16) * (DBL_EPSILON / 2) * scale);
}

/* Return an upper bound of LPT's makespan: average load plus longest task, plus rounding errors as
 * in floor_of() and of this sum. */
static double ceiling_of(const walker *wk, double lambda, double longest)
{
    double n = (double)wk->walk->pb->n;
    double scale = lambda + longest + average(wk->peak1, wk->walk->w1);

    return lambda + longest + (8 * n + 32) * (DBL_EPSILON / 2) * scale;
}

static void note_floor(walker *wk, double lambda, double longest)
{
    hsi_balanced_walk *walk = wk->walk;
    double             floor;

    if (!walk->floor)
        return;
    floor = floor_of(wk, lambda, longest);
    if (floor > wk->limit)
        return;
    walk->floor[walk->floor_count] = floor;
    walk->floor_of[walk->floor_count++] = (uint32_t)walk->move_count;
}

/* Record the move that reverses the order of the average loads (Algorithm 1, lines 8 and 9). */
static void note_inverse(walker *wk, size_t i, double c1)
{
    hsi_balanced_walk *walk = wk->walk;
    double             w1 = average(wk->sum1, walk->w1), after1 = average(wk->sum1 + c1, walk->w1);
    double             w2 = average(wk->rest_sum[i] + wk->back_sum, walk->w2);
    double             after2 = average(wk->rest_sum[i + 1] + wk->back_sum, walk->w2);

    if (w1 <= w2 && (isinf(c1) || after1 > after2)) {
        walk->inverse = walk->move_count;
        wk->inverse_found = true;
    }
}

static void move(walker *wk, size_t i)
{
    hsi_balanced_walk *walk = wk->walk;

    walk->back[i] = HS_NONE;
    walk->move_count++;
    wk->sum1 += walk->c1[i];
    if (walk->c1[i] > walk->c2[i])
        hsi_heap_push(wk->heap, wk->heap_size++, (uint32_t)i, longer_on_type_1, walk->c1);
    else
        wk->max1 = larger(wk->max1, walk->c1[i]);
}

/* Move imax back to type 2. A task that returns at once restores the earlier sum, without
 * rounding. */
static void move_back(walker *wk, size_t i, double sum_before)
{
    hsi_balanced_walk *walk = wk->walk;
    uint32_t position = hsi_heap_pop(wk->heap, wk->heap_size--, longer_on_type_1, walk->c1);

    walk->back[i] = position;
    walk->move_count++;
    wk->sum1 = position == i ? sum_before : wk->sum1 - walk->c1[position];
    wk->back_sum += walk->c2[position];
    wk->back_max = larger(wk->back_max, walk->c2[position]);
}

static void walk_step(walker *wk, size_t i)
{
    hsi_balanced_walk *walk = wk->walk;
    double             before = wk->sum1, longest, lambda;

    note_inverse(wk, i, walk->c1[i]);
    move(wk, i);
    lambda = estimate(wk, i + 1, &longest);
    note_floor(wk, lambda, longest);
    if (lambda < wk->best_estimate) {
        wk->best_estimate = lambda;
        wk->ceiling = ceiling_of(wk, lambda, longest);
        walk->best = walk->move_count;
    }
    if (wk->heap_size && lambda == top_c1(wk)) {
        move_back(wk, i, before);
        wk->peak1 = larger(wk->peak1, wk->sum1);
        lambda = wk->walk->floor ? estimate(wk, i + 1, &longest) : 0;
        note_floor(wk, lambda, longest);
    }
    wk->peak1 = larger(wk->peak1, wk->sum1);
}

static void walk_all(walker *wk)
{
    hsi_balanced_walk *walk = wk->walk;
    size_t             i, n = walk->pb->n;
    double             lambda, longest;

    wk->peak1 = wk->sum1;
    lambda = estimate(wk, walk->start, &longest);
    note_floor(wk, lambda, longest);
    wk->best_estimate = lambda;
    wk->ceiling = ceiling_of(wk, lambda, longest);
    for (i = walk->start; i < n && !hsi_poll_at_iteration(walk->pb->token, i); i++) {
        if (isinf(walk->c1[i])) {
            note_inverse(wk, i, INFINITY);
            break;
        }
        walk_step(wk, i);
    }
    if (!wk->inverse_found)
        walk->inverse = walk->move_count;
}

/* Return the first task that does not start on type 1 as its faster type; GPUs count as faster for
 * equal times. */
static size_t first_on_type_2(const hsi_balanced_walk *walk)
{
    size_t i = 0;

    while (i < walk->pb->n &&
           (walk->c1[i] < walk->c2[i] || (walk->switched && walk->c1[i] == walk->c2[i])))
        i++;
    return i;
}

/* Order the tasks by increasing c1/c2, tasks of one ratio by index. */
static hs_status order_tasks(hsi_balanced_walk *walk)
{
    const hsi_problem *pb = walk->pb;
    const double      *time1 = walk->switched ? pb->q : pb->p;
    const double      *time2 = walk->switched ? pb->p : pb->q;
    hs_status st = hsi_order_by_rho(pb, walk->switched ? HSI_RHO_DOWN : HSI_RHO_UP, walk->order);

    if (st == HS_OK)
        st = hsi_gather_times(walk->order, pb->n, time1, walk->c1, pb->token);
    if (st == HS_OK)
        st = hsi_gather_times(walk->order, pb->n, time2, walk->c2, pb->token);
    if (st != HS_OK)
        return st;
    walk->w1 = walk->switched ? pb->k : pb->m;
    walk->w2 = walk->switched ? pb->m : pb->k;
    walk->start = first_on_type_2(walk);
    return HS_OK;
}

static void sum_start(walker *wk)
{
    const hsi_balanced_walk *walk = wk->walk;
    size_t                   i, n = walk->pb->n;

    wk->sum1 = wk->max1 = wk->back_sum = wk->back_max = 0;
    wk->heap_size = 0;
    for (i = 0; i < walk->start && !hsi_poll_at_iteration(walk->pb->token, i); i++) {
        wk->sum1 += walk->c1[i];
        wk->max1 = larger(wk->max1, walk->c1[i]);
    }
    wk->rest_sum[n] = wk->rest_max[n] = 0;
    for (i = n; i > walk->start; i--) {
        hsi_poll_at_iteration(walk->pb->token, i);
        wk->rest_sum[i - 1] = wk->rest_sum[i] + walk->c2[i - 1];
        wk->rest_max[i - 1] = larger(wk->rest_max[i], walk->c2[i - 1]);
    }
}

/* Make the type with the smaller average load type 1. */
static hs_status choose_types(walker *wk)
{
    hsi_balanced_walk *walk = wk->walk;
    hs_status          st = order_tasks(walk);

    if (st != HS_OK)
        return st;
    sum_start(wk);
    if (!(average(wk->sum1, walk->w1) > average(wk->rest_sum[walk->start], walk->w2)))
        return HS_OK;
    walk->switched = true;
    st = order_tasks(walk);
    if (st == HS_OK)
        sum_start(wk);
    return st;
}

/* Repeat the walk and store floors, now that LPT's makespan on one allocation has an upper bound:
 * nearly all of the 2n others have higher floors and are skipped. */
static hs_status keep_floors(walker *wk)
{
    hsi_balanced_walk *walk = wk->walk;

    walk->floor = hsi_arena_alloc(walk->pb->arena, walk->move_count + 1, sizeof *walk->floor);
    walk->floor_of = hsi_arena_alloc(walk->pb->arena, walk->move_count + 1, sizeof *walk->floor_of);
    if (!walk->floor || !walk->floor_of)
        return HS_ENOMEM;
    walk->move_count = 0;
    wk->limit = wk->ceiling;
    sum_start(wk);
    walk_all(wk);
    return hsi_poll(walk->pb->token) ? HS_ECANCELED : HS_OK;
}

/* Release the temporary memory of the walk; the remaining arrays move to the front. */
static hs_status release_all_but_floors(hsi_balanced_walk *walk, hsi_mark mark)
{
    hsi_arena *arena = walk->pb->arena;
    double    *floor;
    uint32_t  *floor_of;

    hsi_arena_release(arena, mark);
    walk->c1 = walk->c2 = NULL;
    floor = hsi_arena_alloc(arena, walk->floor_count, sizeof *floor);
    if (!floor)
        return HS_ENOMEM;
    if (walk->floor_count)
        memmove(floor, walk->floor, walk->floor_count * sizeof *floor);
    floor_of = hsi_arena_alloc(arena, walk->floor_count, sizeof *floor_of);
    if (!floor_of)
        return HS_ENOMEM;
    if (walk->floor_count)
        memmove(floor_of, walk->floor_of, walk->floor_count * sizeof *floor_of);
    walk->floor = floor;
    walk->floor_of = floor_of;
    return HS_OK;
}

hs_status hsi_balanced_walk_open(hsi_balanced_walk *walk, const hsi_problem *pb, bool want_floors)
{
    hsi_arena *arena = pb->arena;
    size_t     n = pb->n;
    walker     wk = {.walk = walk};
    hsi_mark   mark;
    hs_status  st = HS_ENOMEM;

    memset(walk, 0, sizeof *walk);
    walk->pb = pb;
    walk->order = hsi_arena_alloc(arena, n, sizeof *walk->order);
    walk->back = hsi_arena_alloc(arena, n, sizeof *walk->back);
    mark = hsi_arena_mark(arena);
    walk->c1 = hsi_arena_alloc(arena, n, sizeof *walk->c1);
    walk->c2 = hsi_arena_alloc(arena, n, sizeof *walk->c2);
    wk.heap = hsi_arena_alloc(arena, n, sizeof *wk.heap);
    wk.rest_sum = hsi_arena_alloc(arena, n + 1, sizeof *wk.rest_sum);
    wk.rest_max = hsi_arena_alloc(arena, n + 1, sizeof *wk.rest_max);
    if (walk->order && walk->back && walk->c1 && walk->c2 && wk.heap && wk.rest_sum && wk.rest_max)
        st = choose_types(&wk);
    if (st != HS_OK)
        return st;
    walk_all(&wk);
    if (hsi_poll(pb->token)) /* an incomplete walk is useless */
        return HS_ECANCELED;
    if (want_floors)
        st = keep_floors(&wk);
    return st == HS_OK ? release_all_but_floors(walk, mark) : st;
}

/* Replay the first x moves. */
void hsi_balanced_walk_write_types(const hsi_balanced_walk *walk, size_t allocation,
                                   unsigned char *type)
{
    unsigned char type1 = walk->switched ? HS_GPU : HS_CPU;
    unsigned char type2 = walk->switched ? HS_CPU : HS_GPU;
    size_t        i, moved = 0;

    for (i = 0; i < walk->pb->n; i++) {
        hsi_poll_at_iteration(walk->pb->token, i);
        type[walk->order[i]] = i < walk->start ? type1 : type2;
    }
    for (i = walk->start; moved < allocation; i++) {
        hsi_poll_at_iteration(walk->pb->token, i);
        type[walk->order[i]] = type1;
        moved++;
        if (walk->back[i] == HS_NONE || moved == allocation)
            continue;
        type[walk->order[walk->back[i]]] = type2;
        moved++;
    }
}
