/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm/balanced.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/order.h"

/* What changes along the walk. Loads are sums, divided only to be compared. */
typedef struct walker {
    hsi_walk *walk;
    double    sum1;                /* on type 1, in the order of arrival */
    double    peak1;               /* largest that sum1 has been: what its rounding is of */
    double   *rest_sum, *rest_max; /* over c2 of order[i, n), summed from the end */
    double    back_sum, back_max;  /* over c2 of the tasks moved back */
    double    max1;                /* over c1 of the tasks on type 1 with c1 <= c2 */
    uint32_t *heap;                /* the other tasks on type 1 by c1: the top is imax */
    size_t    heap_size;
    double    best_estimate;
    int       inverse_found;
} walker;

static double average(double sum, unsigned workers)
{
    return workers ? sum / workers : 0;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* ---- imax: the largest c1, then the first in the order ---------------------- */

static int heap_before(const walker *wk, uint32_t a, uint32_t b)
{
    double ca = wk->walk->c1[wk->walk->order[a]], cb = wk->walk->c1[wk->walk->order[b]];

    return ca > cb || (ca == cb && a < b);
}

static void heap_push(walker *wk, uint32_t position)
{
    size_t at = wk->heap_size++;

    while (at && heap_before(wk, position, wk->heap[(at - 1) / 2])) {
        wk->heap[at] = wk->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    wk->heap[at] = position;
}

static void heap_pop(walker *wk)
{
    uint32_t last = wk->heap[--wk->heap_size];
    size_t   at = 0, child;

    while ((child = 2 * at + 1) < wk->heap_size) {
        if (child + 1 < wk->heap_size && heap_before(wk, wk->heap[child + 1], wk->heap[child]))
            child++;
        if (!heap_before(wk, wk->heap[child], last))
            break;
        wk->heap[at] = wk->heap[child];
        at = child;
    }
    wk->heap[at] = last;
}

static double top_c1(const walker *wk)
{
    return wk->heap_size ? wk->walk->c1[wk->walk->order[wk->heap[0]]] : 0;
}

/* ---- the estimate ---------------------------------------------------------- */

/* With order[0, next) moved: lambda, the largest of two averages and two maxima. */
static double estimate(const walker *wk, size_t next, double *longest)
{
    const hsi_walk *walk = wk->walk;
    double          w1 = average(wk->sum1, walk->w1);
    double          w2 = average(wk->rest_sum[next] + wk->back_sum, walk->w2);

    *longest = larger(larger(wk->max1, top_c1(wk)), larger(wk->rest_max[next], wk->back_max));
    return larger(*longest, larger(w1, w2));
}

/*
 * A schedule is never shorter than its longest task, also as computed. It is as
 * long as the average load, up to rounding: of a sum of n terms here and of one
 * there, each wrong by at most n half units of what it adds up to.
 */
static double floor_of(const walker *wk, double lambda, double longest)
{
    double n = (double)wk->walk->pb->n;
    double scale = lambda + average(wk->peak1, wk->walk->w1);

    return larger(longest, lambda - (4 * n + 16) * (DBL_EPSILON / 2) * scale);
}

static void note_floor(walker *wk, size_t next)
{
    double longest, lambda;

    if (!wk->walk->floors)
        return;
    lambda = estimate(wk, next, &longest);
    wk->walk->floors[wk->walk->move_count] = floor_of(wk, lambda, longest);
}

/* ---- the walk ---------------------------------------------------------------- */

/* Algorithm 1, lines 8 and 9: does this move turn the order of the averages round? */
static void note_inverse(walker *wk, size_t i, double c1)
{
    hsi_walk *walk = wk->walk;
    double    w1 = average(wk->sum1, walk->w1), after1 = average(wk->sum1 + c1, walk->w1);
    double    w2 = average(wk->rest_sum[i] + wk->back_sum, walk->w2);
    double    after2 = average(wk->rest_sum[i + 1] + wk->back_sum, walk->w2);

    if (w1 <= w2 && (isinf(c1) || after1 > after2)) {
        walk->inverse = walk->move_count;
        wk->inverse_found = 1;
    }
}

static void move(walker *wk, size_t i)
{
    hsi_walk *walk = wk->walk;
    uint32_t  task = walk->order[i];

    walk->moves[walk->move_count++] = (uint32_t)i;
    wk->sum1 += walk->c1[task];
    if (walk->c1[task] > walk->c2[task])
        heap_push(wk, (uint32_t)i);
    else
        wk->max1 = larger(wk->max1, walk->c1[task]);
}

/* The sum that a task leaves at once is the sum before it came, without rounding. */
static void move_back(walker *wk, size_t i, double sum_before)
{
    hsi_walk *walk = wk->walk;
    uint32_t  position = wk->heap[0], task = walk->order[position];

    walk->moves[walk->move_count++] = position | HSI_WALK_BACK;
    wk->sum1 = position == i ? sum_before : wk->sum1 - walk->c1[task];
    wk->back_sum += walk->c2[task];
    wk->back_max = larger(wk->back_max, walk->c2[task]);
    heap_pop(wk);
}

static void walk_step(walker *wk, size_t i)
{
    hsi_walk *walk = wk->walk;
    double    before = wk->sum1, longest, lambda;

    note_inverse(wk, i, walk->c1[walk->order[i]]);
    move(wk, i);
    lambda = estimate(wk, i + 1, &longest);
    if (walk->floors)
        walk->floors[walk->move_count] = floor_of(wk, lambda, longest);
    if (lambda < wk->best_estimate) {
        wk->best_estimate = lambda;
        walk->best = walk->move_count;
    }
    if (wk->heap_size && lambda == top_c1(wk)) {
        move_back(wk, i, before);
        wk->peak1 = larger(wk->peak1, wk->sum1);
        note_floor(wk, i + 1);
    }
    wk->peak1 = larger(wk->peak1, wk->sum1);
}

static void walk_all(walker *wk)
{
    hsi_walk *walk = wk->walk;
    size_t    i, n = walk->pb->n;
    double    longest;

    wk->peak1 = wk->sum1;
    wk->best_estimate = estimate(wk, walk->start, &longest);
    note_floor(wk, walk->start);
    for (i = walk->start; i < n; i++) {
        if (isinf(walk->c1[walk->order[i]])) {
            note_inverse(wk, i, INFINITY);
            break;
        }
        walk_step(wk, i);
    }
    if (!wk->inverse_found)
        walk->inverse = walk->move_count;
}

/* ---- setting out ---------------------------------------------------------------- */

/* First task that is not on its faster type 1; equal times belong to the GPUs. */
static size_t first_on_type_2(const hsi_walk *walk)
{
    size_t i = 0;

    for (; i < walk->pb->n; i++) {
        uint32_t task = walk->order[i];

        if (walk->c1[task] > walk->c2[task] ||
            (!walk->switched && walk->c1[task] == walk->c2[task]))
            break;
    }
    return i;
}

static void set_types(hsi_walk *walk, int switched)
{
    const hsi_problem *pb = walk->pb;

    walk->switched = switched;
    walk->c1 = switched ? pb->q : pb->p;
    walk->c2 = switched ? pb->p : pb->q;
    walk->w1 = switched ? pb->k : pb->m;
    walk->w2 = switched ? pb->m : pb->k;
    walk->start = first_on_type_2(walk);
}

static void sum_start(walker *wk)
{
    hsi_walk *walk = wk->walk;
    size_t    i, n = walk->pb->n;

    wk->sum1 = wk->max1 = 0;
    for (i = 0; i < walk->start; i++) {
        wk->sum1 += walk->c1[walk->order[i]];
        wk->max1 = larger(wk->max1, walk->c1[walk->order[i]]);
    }
    wk->rest_sum[n] = wk->rest_max[n] = 0;
    for (i = n; i > walk->start; i--) {
        double c2 = walk->c2[walk->order[i - 1]];

        wk->rest_sum[i - 1] = wk->rest_sum[i] + c2;
        wk->rest_max[i - 1] = larger(wk->rest_max[i], c2);
    }
}

/* Type 1 is to be the one with the smaller average load. */
static hs_status choose_types(walker *wk)
{
    hsi_walk *walk = wk->walk;
    hs_status st = hsi_order_by_rho(walk->pb, HSI_RHO_UP, walk->order);

    if (st != HS_OK)
        return st;
    set_types(walk, 0);
    sum_start(wk);
    if (average(wk->sum1, walk->w1) <= average(wk->rest_sum[walk->start], walk->w2))
        return HS_OK;
    st = hsi_order_by_rho(walk->pb, HSI_RHO_DOWN, walk->order);
    if (st != HS_OK)
        return st;
    set_types(walk, 1);
    sum_start(wk);
    return HS_OK;
}

hs_status hsi_walk_open(hsi_walk *walk, const hsi_problem *pb, int want_floors)
{
    size_t    n = pb->n;
    walker    wk = {.walk = walk};
    hs_status st = HS_ENOMEM;

    memset(walk, 0, sizeof *walk);
    walk->pb = pb;
    walk->order = malloc((n + 1) * sizeof *walk->order);
    walk->moves = malloc((2 * n + 1) * sizeof *walk->moves);
    if (want_floors)
        walk->floors = malloc((2 * n + 1) * sizeof *walk->floors);
    wk.rest_sum = malloc((n + 1) * sizeof *wk.rest_sum);
    wk.rest_max = malloc((n + 1) * sizeof *wk.rest_max);
    wk.heap = malloc((n + 1) * sizeof *wk.heap);
    if (!walk->order || !walk->moves || (want_floors && !walk->floors) || !wk.rest_sum ||
        !wk.rest_max || !wk.heap)
        goto out;
    st = choose_types(&wk);
    if (st == HS_OK)
        walk_all(&wk);
out:
    free(wk.heap);
    free(wk.rest_max);
    free(wk.rest_sum);
    if (st != HS_OK)
        hsi_walk_close(walk);
    return st;
}

void hsi_walk_close(hsi_walk *walk)
{
    free(walk->order);
    free(walk->moves);
    free(walk->floors);
    walk->order = walk->moves = NULL;
    walk->floors = NULL;
}

void hsi_walk_allocation(const hsi_walk *walk, size_t x, unsigned char *type)
{
    unsigned char type1 = walk->switched ? HS_GPU : HS_CPU;
    unsigned char type2 = walk->switched ? HS_CPU : HS_GPU;
    size_t        i;

    for (i = 0; i < walk->pb->n; i++)
        type[walk->order[i]] = i < walk->start ? type1 : type2;
    for (i = 0; i < x; i++) {
        uint32_t position = walk->moves[i] & ~HSI_WALK_BACK;

        type[walk->order[position]] = walk->moves[i] & HSI_WALK_BACK ? type2 : type1;
    }
}
