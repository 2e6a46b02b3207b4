/* SPDX-License-Identifier: BSD-3-Clause */
#include "bound/graph/window_loads.h"

#include <math.h>

#include "support/exact.h"
#include "support/sort.h"

/* A node of a tree over the tasks by head. */
typedef struct hsi_window_load {
    double sum;   /* load of the tasks below the node */
    double ended; /* earliest end of the tasks from any head on */
} node;

static const double tiny = 0x1p-900; /* smaller loads count as 0, since their rounding error may be
                                        large */
static const double least_ratio = 0x1p-40, most_ratio = 0x1p40; /* limits of p/q as a multiplier */

static int precedes(const void *context, uint32_t a, uint32_t b)
{
    const double *key = context;

    return key[a] < key[b] || (key[a] == key[b] && a < b);
}

/* Sort the tasks by a value. Return false if cancelled. */
static bool sort_by(hsi_window_loads *loads, const double *value, uint32_t *order)
{
    const hsi_index_order how = {precedes, value, loads->pb->token};

    for (size_t i = 0; i < loads->pb->n; i++)
        loads->keys[i] = hsi_key_of_double(value[i]);
    return !hsi_sort_by_keys(loads->keys, loads->scratch, loads->pb->n, &how, NULL, order);
}

/* Add a pair of multipliers, divided by m x + k y rounded up; the larger one is 1. */
static void add_multiplier(hsi_window_loads *loads, double cpu, double gpu)
{
    double *pair = loads->multiplier[loads->multipliers++];
    double  capacity = (loads->pb->m * cpu + loads->pb->k * gpu) * (1 + 0x1p-50);

    pair[HS_CPU] = cpu / capacity;
    pair[HS_GPU] = gpu / capacity;
}

/* Add the multipliers at which a task takes the same on both types, for tasks at even distances in
 * the order by p/q. */
static hs_status add_ratios(hsi_window_loads *loads)
{
    const hsi_problem *pb = loads->pb;
    const size_t       steps = HSI_WINDOW_MULTIPLIERS - 3;
    size_t             count = 0;
    double             last = 0;

    for (size_t i = 0; i < pb->n; i++) {
        double ratio = pb->p[i] / pb->q[i];

        loads->load[i] = ratio >= least_ratio && ratio <= most_ratio ? ratio : 0;
        count += loads->load[i] > 0;
    }
    if (!sort_by(loads, loads->load, loads->by_head))
        return HS_ECANCELED;
    for (size_t i = 0; i <= steps && count > 0; i++) {
        double ratio = loads->load[loads->by_head[pb->n - count + i * (count - 1) / steps]];

        if (ratio != last)
            add_multiplier(loads, fmin(1, 1 / ratio), fmin(1, ratio));
        last = ratio;
    }
    return HS_OK;
}

hs_status hsi_window_loads_open(hsi_window_loads *loads, const hsi_problem *pb, hsi_arena *arena)
{
    size_t n = pb->n;

    *loads = (hsi_window_loads){.pb = pb, .leaves = 1};
    while (loads->leaves < n)
        loads->leaves *= 2;
    loads->head = hsi_arena_alloc(arena, n, sizeof *loads->head);
    loads->tail = hsi_arena_alloc(arena, n, sizeof *loads->tail);
    loads->load = hsi_arena_alloc(arena, n, sizeof *loads->load);
    loads->by_head = hsi_arena_alloc(arena, n, sizeof *loads->by_head);
    loads->by_tail = hsi_arena_alloc(arena, n, sizeof *loads->by_tail);
    loads->rank = hsi_arena_alloc(arena, n, sizeof *loads->rank);
    loads->keys = hsi_arena_alloc(arena, n, sizeof *loads->keys);
    loads->scratch = hsi_arena_alloc(arena, n, sizeof *loads->scratch);
    loads->tree = hsi_arena_alloc(arena, 2 * loads->leaves, sizeof *loads->tree);
    if (!loads->head || !loads->tail || !loads->load || !loads->by_head || !loads->by_tail ||
        !loads->rank || !loads->keys || !loads->scratch || !loads->tree)
        return HS_ENOMEM;
    if (pb->m > 0)
        add_multiplier(loads, 1, 0);
    if (pb->k > 0)
        add_multiplier(loads, 0, 1);
    return add_ratios(loads);
}

double hsi_window_load_of(const hsi_window_loads *loads, uint32_t task, const bool open[2],
                          size_t multiplier)
{
    const double *pair = loads->multiplier[multiplier];
    double        cpu = open[HS_CPU] ? pair[HS_CPU] * loads->pb->p[task] : INFINITY;
    double        gpu = open[HS_GPU] ? pair[HS_GPU] * loads->pb->q[task] : INFINITY;
    double        load = fmin(cpu, gpu) * (1 - 0x1p-50);

    return load > tiny ? load : 0;
}

static void insert_task(hsi_window_loads *loads, uint32_t task)
{
    node  *tree = loads->tree;
    size_t at = loads->leaves + loads->rank[task];

    tree[at].sum = loads->load[task];
    tree[at].ended = hsi_add_down(loads->head[task], loads->load[task]);
    while (at /= 2) {
        const node *left = &tree[2 * at], *right = left + 1;

        tree[at].sum = hsi_add_down(left->sum, right->sum);
        tree[at].ended = fmax(right->ended, hsi_add_down(left->ended, right->sum));
    }
}

/* Test the windows with the current loads. Tasks are inserted by falling tail, so that the tree has
 * the tasks with at least this tail. */
static bool fit_by_load(hsi_window_loads *loads, double limit)
{
    for (size_t i = 0; i < 2 * loads->leaves; i++)
        loads->tree[i] = (node){0, 0};
    for (size_t i = loads->pb->n; i-- > 0;) {
        uint32_t task = loads->by_tail[i];

        if (hsi_poll_after_work(loads->pb->token, 64))
            return true;
        if (!(loads->load[task] > 0))
            continue;
        insert_task(loads, task);
        loads->ending = i;
        if (hsi_add_down(loads->tree[1].ended, loads->tail[task]) >= limit)
            return false;
    }
    return true;
}

bool hsi_window_loads_fit(hsi_window_loads *loads, double (*head)[2], double (*tail)[2],
                          bool (*open)[2], double limit)
{
    uint32_t n = (uint32_t)loads->pb->n;

    for (uint32_t i = 0; i < n; i++) {
        loads->head[i] = hsi_least_of_types(head[i], open[i]);
        loads->tail[i] = hsi_least_of_types(tail[i], open[i]);
    }
    if (!sort_by(loads, loads->head, loads->by_head) ||
        !sort_by(loads, loads->tail, loads->by_tail))
        return true;
    for (uint32_t i = 0; i < n; i++)
        loads->rank[loads->by_head[i]] = i;
    for (size_t j = 0; j < loads->multipliers; j++) {
        for (uint32_t i = 0; i < n; i++)
            loads->load[i] = hsi_window_load_of(loads, i, open[i], j);
        loads->pair = j;
        if (!fit_by_load(loads, limit))
            return false;
    }
    return true;
}

/* Return the rank of the task from whose head on the tasks in the tree end last. */
static size_t first_of_last(const hsi_window_loads *loads)
{
    const node *tree = loads->tree;
    size_t      at = 1;

    while (at < loads->leaves) {
        const node *left = &tree[2 * at], *right = left + 1;

        at = 2 * at + (right->ended >= hsi_add_down(left->ended, right->sum));
    }
    return at - loads->leaves;
}

size_t hsi_window_loads_overfull(const hsi_window_loads *loads, uint32_t *task,
                                 double multiplier[2])
{
    size_t first = first_of_last(loads), count = 0;

    for (size_t i = loads->ending; i < loads->pb->n; i++)
        if (loads->load[loads->by_tail[i]] > 0 && loads->rank[loads->by_tail[i]] >= first)
            task[count++] = loads->by_tail[i];
    multiplier[HS_CPU] = loads->multiplier[loads->pair][HS_CPU];
    multiplier[HS_GPU] = loads->multiplier[loads->pair][HS_GPU];
    return count;
}
