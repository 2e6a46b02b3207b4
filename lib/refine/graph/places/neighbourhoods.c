/* SPDX-License-Identifier: BSD-3-Clause */
#include "refine/graph/places/neighbourhoods.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "refine/graph/places/place_model.h"
#include "refine/graph/places/place_tree.h"

enum {
    STEPS = 400,    /* limit of the steps of a neighbourhood */
    SLICE = 16,     /* steps between two looks at the clock */
    LEAST_FREE = 4, /* limits of the number of free tasks */
    MOST_FREE = 40,
    FIFTHS_ORDERED = 4 /* fifths of the neighbourhoods that keep the order of the remaining tasks */
};

static const double growth = 1.02, shrinkage = 0.97;

struct hsi_neighbourhoods {
    const hsi_arcs  *arcs;
    hsi_place_tree  *tree;
    hsi_arena        arena;
    size_t           words;
    size_t          *before_at; /* first arc of each task in `before`, and the number of arcs */
    hsi_arc         *before;    /* arcs by target; their `task` is the source */
    double           size;      /* number of tasks to free */
    uint32_t        *worker;    /* worker of each task in the schedule */
    double          *start, *end;
    double           makespan;
    uint32_t        *by_start; /* tasks by start; those of a worker in its order */
    uint32_t        *queue;    /* free tasks */
    uint32_t         count;    /* number of free tasks */
    hsi_place_frozen frozen;
};

static hs_status open_parts(hsi_neighbourhoods *search)
{
    hsi_arena *arena = &search->arena;
    size_t     n = search->arcs->pb->n;
    hs_status  st = hsi_place_tree_open(search->arcs, &search->tree);

    if (st == HS_OK)
        st = hsi_arcs_reverse(search->arcs, arena, &search->before_at, &search->before);
    if (st != HS_OK)
        return st;
    search->words = (n + 63) / 64;
    search->size = LEAST_FREE;
    search->worker = hsi_arena_alloc(arena, n, sizeof *search->worker);
    search->start = hsi_arena_alloc(arena, n, sizeof *search->start);
    search->end = hsi_arena_alloc(arena, n, sizeof *search->end);
    search->by_start = hsi_arena_alloc(arena, n, sizeof *search->by_start);
    search->queue = hsi_arena_alloc(arena, n, sizeof *search->queue);
    search->frozen.place = hsi_arena_alloc(arena, n, sizeof *search->frozen.place);
    search->frozen.order = hsi_arena_alloc(arena, n * search->words, sizeof *search->frozen.order);
    return search->worker && search->start && search->end && search->by_start && search->queue &&
                   search->frozen.place && search->frozen.order
               ? HS_OK
               : HS_ENOMEM;
}

hs_status hsi_neighbourhoods_open(const hsi_arcs *arcs, hsi_neighbourhoods **out)
{
    hsi_neighbourhoods *search = calloc(1, sizeof *search);
    hs_status           st = HS_ENOMEM;

    if (!search)
        return st;
    search->arcs = arcs;
    st = open_parts(search);
    if (st == HS_OK)
        *out = search;
    else
        hsi_neighbourhoods_close(search);
    return st;
}

void hsi_neighbourhoods_close(hsi_neighbourhoods *search)
{
    if (!search)
        return;
    hsi_place_tree_close(search->tree);
    hsi_arena_close(&search->arena);
    free(search);
}

void hsi_neighbourhoods_begin(hsi_neighbourhoods *search, const hs_schedule *s)
{
    const hsi_problem *pb = search->arcs->pb;
    size_t             all = 0;

    search->makespan = hs_schedule_makespan(s);
    for (unsigned worker = 0; worker < pb->m + pb->k; worker++) {
        size_t          count;
        const hs_entry *entries = hs_schedule_entries(s, worker, &count);

        for (size_t i = 0; i < count; i++) {
            uint32_t task = entries[i].task;
            size_t   at = all++;

            search->worker[task] = worker;
            search->start[task] = entries[i].start;
            search->end[task] = entries[i].end;
            for (; at > 0 && search->start[search->by_start[at - 1]] > entries[i].start; at--)
                search->by_start[at] = search->by_start[at - 1];
            search->by_start[at] = task;
        }
    }
}

static bool is_free(const hsi_neighbourhoods *search, uint32_t task)
{
    return search->frozen.place[task] == HS_NONE;
}

static void free_task(hsi_neighbourhoods *search, uint32_t task)
{
    if (is_free(search, task))
        return;
    search->frozen.place[task] = HS_NONE;
    search->queue[search->count++] = task;
}

/* Free the predecessors and successors of a task. */
static void free_neighbours(hsi_neighbourhoods *search, uint32_t task, uint32_t most)
{
    const hsi_arcs *arcs = search->arcs;

    for (size_t i = search->before_at[task];
         i < search->before_at[task + 1] && search->count < most; i++)
        free_task(search, search->before[i].task);
    for (size_t i = arcs->after_at[task]; i < arcs->after_at[task + 1] && search->count < most; i++)
        free_task(search, arcs->after[i].task);
}

/* Free tasks that arcs connect: repeatedly the neighbours of a random free task. */
static void free_connected(hsi_neighbourhoods *search, hsi_random *random, uint32_t most)
{
    free_task(search, (uint32_t)hsi_random_below(random, search->arcs->pb->n));
    for (uint32_t tries = 0; search->count < most && tries < 8 * most; tries++)
        free_neighbours(search, search->queue[hsi_random_below(random, search->count)], most);
}

/* Let the search choose the places of some tasks that start one after another. */
static void free_window(hsi_neighbourhoods *search, hsi_random *random, uint32_t most)
{
    uint32_t n = (uint32_t)search->arcs->pb->n;
    uint32_t first = (uint32_t)hsi_random_below(random, n - most + 1);

    for (uint32_t i = first; i < first + most; i++)
        free_task(search, search->by_start[i]);
}

static void free_random(hsi_neighbourhoods *search, hsi_random *random, uint32_t most)
{
    while (search->count < most)
        free_task(search, (uint32_t)hsi_random_below(random, search->arcs->pb->n));
}

/* Keep the order of two tasks of one worker. */
static void keep_orders(hsi_neighbourhoods *search)
{
    uint32_t n = (uint32_t)search->arcs->pb->n;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t first = search->by_start[i];

        for (uint32_t j = i + 1; !is_free(search, first) && j < n; j++) {
            uint32_t second = search->by_start[j];

            if (!is_free(search, second) && search->worker[first] == search->worker[second])
                hsi_set_add(search->frozen.order + first * search->words, second);
        }
    }
}

/* Choose a neighbourhood. */
static void choose_neighbourhood(hsi_neighbourhoods *search, hsi_random *random)
{
    uint32_t n = (uint32_t)search->arcs->pb->n, most = (uint32_t)search->size;
    uint64_t shape = hsi_random_below(random, 3);

    most = most < n ? most : n;
    search->count = 0;
    for (uint32_t task = 0; task < n; task++)
        search->frozen.place[task] = hsi_place_of_worker(search->arcs, search->worker[task]);
    if (shape == 0)
        free_connected(search, random, most);
    else if (shape == 1)
        free_window(search, random, most);
    else
        free_random(search, random, most);
    memset(search->frozen.order, 0, n * search->words * sizeof *search->frozen.order);
    if (hsi_random_below(random, 5) < FIFTHS_ORDERED)
        keep_orders(search);
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool may_continue(const hsi_neighbourhood_run *run, const hsi_interrupt *interrupt)
{
    if (hsi_interrupted(interrupt))
        return false;
    return run->steps ? run->made < run->steps : hsi_clock_seconds() < run->end;
}

/* Search the neighbourhood below the cutoff, and adapt the size of the next one. */
static hs_status search_neighbourhood(hsi_neighbourhoods *search, hsi_neighbourhood_run *run,
                                      const hsi_interrupt *interrupt, double cutoff,
                                      hs_schedule **found)
{
    hs_status st = HS_OK;
    uint64_t  steps = 0;

    hsi_place_tree_restart(search->tree, &search->frozen);
    *found = NULL;
    while (st == HS_OK && !*found && !hsi_place_tree_ended(search->tree) && steps < STEPS &&
           may_continue(run, interrupt)) {
        uint64_t most = least_of(SLICE, run->steps ? run->steps - run->made : SLICE);

        st = hsi_place_tree_continue(search->tree, cutoff, most, interrupt);
        *found = hsi_place_tree_take_found(search->tree);
        steps += hsi_place_tree_steps(search->tree);
        run->made += hsi_place_tree_steps(search->tree);
    }
    if (hsi_place_tree_ended(search->tree))
        search->size = fmin(search->size * growth, MOST_FREE);
    else if (steps >= STEPS)
        search->size = fmax(search->size * shrinkage, LEAST_FREE);
    return st;
}

hs_status hsi_neighbourhoods_run(hsi_neighbourhoods *search, hsi_random *random,
                                 hsi_neighbourhood_run *run, const hsi_interrupt *interrupt,
                                 hs_schedule **found)
{
    const double below = 1 - 4 * (double)(search->arcs->pb->n + 1) * DBL_EPSILON;
    hs_status    st = HS_OK;

    run->made = 0;
    *found = NULL;
    while (st == HS_OK && search->makespan > run->enough && may_continue(run, interrupt)) {
        hs_schedule *shorter;

        choose_neighbourhood(search, random);
        st = search_neighbourhood(search, run, interrupt, below * search->makespan, &shorter);
        if (!shorter)
            continue;
        hs_schedule_free(*found);
        *found = shorter;
        hsi_neighbourhoods_begin(search, shorter);
    }
    return st;
}
