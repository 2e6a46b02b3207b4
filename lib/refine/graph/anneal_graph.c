/* SPDX-License-Identifier: BSD-3-Clause */
#include "refine/graph/anneal_graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/portable_math.h"

enum {
    EIGHTHS_MOVES = 4,     /* steps, in eighths of all, that give a task a new place */
    EIGHTHS_EXCHANGES = 2, /* steps, in eighths of all, that exchange two tasks; the other steps
                              set a new weight */
    EIGHTHS_PATHS = 4,     /* moves, in eighths of all, that move a path, if links take time */
    EIGHTHS_FAR = 2,       /* new weights, in eighths of all, drawn far from 1, if links take
                              time */
    PARTNERS = 30,         /* tasks tried for an exchange */
    PATH_TASKS = 8         /* limit of a path's tasks */
};

static const double spread = 0.1; /* largest deviation of a weight from 1 */
static const double ranks = 3;    /* limit of the deviation of a weight, times n: a change moves
                                     a task by about this many ranks */
static const double far = 1.5;    /* largest logarithm of a weight drawn far from 1 */
static const double near = 0.1;   /* share of the makespan within which two starts count as equal */

typedef struct change {
    uint32_t task, place;
    double   weight;
} change;

struct hsi_graph_anneal {
    const hsi_arcs *arcs;
    hsi_arena       arena;
    hsi_decoder     decoder;
    hsi_genes       now;
    uint32_t       *chain; /* chain of tasks that determines the current makespan */
    size_t          length;
    double         *start;  /* start of each task in the current schedule */
    double          spread; /* largest deviation of a weight from 1 */
    change          undo[PATH_TASKS];
    unsigned        changes;
    bool            has_links; /* whether transfers take time */
};

hs_status hsi_graph_anneal_open(const hsi_arcs *arcs, hsi_graph_anneal **out)
{
    hsi_graph_anneal *a = calloc(1, sizeof *a);
    size_t            n = arcs->pb->n;
    hs_status         st = HS_ENOMEM;

    if (!a)
        return st;
    a->arcs = arcs;
    a->spread = fmin(spread, ranks / (double)n);
    a->has_links = arcs->pb->links->has[HS_H2D];
    a->now.place = hsi_arena_alloc(&a->arena, n, sizeof *a->now.place);
    a->now.weight = hsi_arena_alloc(&a->arena, n, sizeof *a->now.weight);
    a->chain = hsi_arena_alloc(&a->arena, n, sizeof *a->chain);
    a->start = hsi_arena_alloc(&a->arena, n, sizeof *a->start);
    if (a->now.place && a->now.weight && a->chain && a->start)
        st = hsi_decoder_open(&a->decoder, arcs);
    if (st == HS_OK)
        *out = a;
    else
        hsi_graph_anneal_close(a);
    return st;
}

void hsi_graph_anneal_close(hsi_graph_anneal *a)
{
    if (!a)
        return;
    hsi_decoder_close(&a->decoder);
    hsi_arena_close(&a->arena);
    free(a);
}

static void copy_genes(const hsi_arcs *arcs, hsi_genes *to, const hsi_genes *from)
{
    memcpy(to->place, from->place, arcs->pb->n * sizeof *to->place);
    memcpy(to->weight, from->weight, arcs->pb->n * sizeof *to->weight);
    to->makespan = from->makespan;
}

/* Make the schedule decoded last the current one. */
static void keep_as_current(hsi_graph_anneal *a, double makespan)
{
    a->now.makespan = makespan;
    a->length = hsi_decoded_critical_chain(&a->decoder, a->chain);
    memcpy(a->start, a->decoder.start, a->arcs->pb->n * sizeof *a->start);
}

static uint32_t draw_task(const hsi_graph_anneal *a, hsi_random *random)
{
    if (hsi_random_next(random) >> 63)
        return a->chain[hsi_random_below(random, a->length)];
    return (uint32_t)hsi_random_below(random, a->arcs->pb->n);
}

static void remember_gene(hsi_graph_anneal *a, uint32_t task)
{
    a->undo[a->changes++] = (change){task, a->now.place[task], a->now.weight[task]};
}

static int can_run(const hsi_graph_anneal *a, uint32_t task, uint32_t place)
{
    return isfinite(hsi_task_time_at(a->arcs, task, place)) &&
           hsi_worker_count_at(a->arcs, place) > 0;
}

/* Move a task to a new random place. Return false if the place cannot run the task. */
static bool move_task(hsi_graph_anneal *a, hsi_random *random, uint32_t task)
{
    uint32_t places = a->arcs->places, place = a->now.place[task];
    uint32_t to = (place + 1 + (uint32_t)hsi_random_below(random, places - 1)) % places;

    if (!can_run(a, task, to))
        return false;
    remember_gene(a, task);
    a->now.place[task] = to;
    return true;
}

/* Move a task and a random path of successors to one place: with long transfers, moving a task
 * alone seldom gains. Return true if a task moved. */
static bool move_path(hsi_graph_anneal *a, hsi_random *random, uint32_t task)
{
    const hsi_arcs *arcs = a->arcs;
    uint32_t        to = a->now.place[task];
    unsigned        most = 2 + (unsigned)hsi_random_below(random, PATH_TASKS - 1);

    if (hsi_random_next(random) >> 63)
        to = (uint32_t)hsi_random_below(random, arcs->places);
    for (unsigned i = 0; i < most; i++) {
        size_t first = arcs->after_at[task], count = arcs->after_at[task + 1] - first;

        if (a->now.place[task] != to && can_run(a, task, to)) {
            remember_gene(a, task);
            a->now.place[task] = to;
        }
        if (count == 0)
            break;
        task = arcs->after[first + hsi_random_below(random, count)].task;
    }
    return a->changes > 0;
}

static bool exchange_places(hsi_graph_anneal *a, hsi_random *random, uint32_t task)
{
    uint32_t place = a->now.place[task];

    for (int i = 0; i < PARTNERS; i++) {
        uint32_t other = draw_task(a, random), to = a->now.place[other];

        if (to == place || fabs(a->start[other] - a->start[task]) > near * a->now.makespan)
            continue;
        if (!can_run(a, task, to) || !can_run(a, other, place))
            continue;
        remember_gene(a, task);
        remember_gene(a, other);
        a->now.place[task] = to;
        a->now.place[other] = place;
        return true;
    }
    return false;
}

/* Draw a weight near 1. With transfers, draw some weights far from 1: the order of the shortest
 * schedule may differ from the ranks by more than a few ranks. */
static void draw_weight(hsi_graph_anneal *a, hsi_random *random, uint32_t task)
{
    bool   is_far = a->has_links && hsi_random_below(random, 8) < EIGHTHS_FAR;
    double deviation = 2 * hsi_random_unit(random) - 1;

    remember_gene(a, task);
    a->now.weight[task] = is_far ? hsi_exp(far * deviation) : 1 + a->spread * deviation;
}

static void change_genes(hsi_graph_anneal *a, hsi_random *random)
{
    unsigned eighth = hsi_random_next(random) >> 61;
    uint32_t task = draw_task(a, random);

    a->changes = 0;
    if (eighth < EIGHTHS_MOVES &&
        hsi_random_below(random, 8) < (a->has_links ? EIGHTHS_PATHS : 0) &&
        move_path(a, random, task))
        return;
    if (eighth < EIGHTHS_MOVES && move_task(a, random, task))
        return;
    if (eighth >= EIGHTHS_MOVES && eighth < EIGHTHS_MOVES + EIGHTHS_EXCHANGES &&
        exchange_places(a, random, task))
        return;
    draw_weight(a, random, task);
}

static void undo_step(hsi_graph_anneal *a)
{
    while (a->changes > 0) {
        const change *was = &a->undo[--a->changes];

        a->now.place[was->task] = was->place;
        a->now.weight[was->task] = was->weight;
    }
}

/* Return the share of the run that is left. */
static double part_left(const hsi_graph_run *run)
{
    if (run->steps)
        return run->made == run->most ? 0 : 1 - (double)run->made / (double)run->steps;
    return (run->end - hsi_clock_seconds()) / (run->end - run->begin);
}

static void anneal_step(hsi_graph_anneal *a, hsi_random *random, double temperature)
{
    double limit = a->now.makespan - temperature * hsi_log(hsi_random_unit(random));
    double makespan;

    limit = fmax(limit, nextafter(a->now.makespan, INFINITY));
    change_genes(a, random);
    makespan = hsi_decode_genes(&a->decoder, a->now.place, a->now.weight, limit);
    if (makespan < limit)
        keep_as_current(a, makespan);
    else
        undo_step(a);
}

/* Return the number of steps between two looks at the clock; they take some microseconds. */
static unsigned block_of(const hsi_graph_anneal *a, const hsi_graph_run *run)
{
    uint64_t block = 1 + 1024 / (a->arcs->pb->n + 1);

    if (run->steps && run->most - run->made < block)
        block = run->most - run->made;
    return (unsigned)block;
}

void hsi_graph_anneal_run(hsi_graph_anneal *a, hsi_random *random, hsi_graph_run *run,
                          const hsi_interrupt *interrupt, const hsi_genes *from, hsi_genes *best)
{
    double left;

    copy_genes(a->arcs, &a->now, from);
    keep_as_current(a, hsi_decode_genes(&a->decoder, a->now.place, a->now.weight, INFINITY));
    run->made = 0;
    while (best->makespan > run->enough && (left = part_left(run)) > 0 &&
           !hsi_interrupted(interrupt)) {
        unsigned block = block_of(a, run);

        for (unsigned i = 0; i < block; i++) {
            anneal_step(a, random, run->hot * left);
            if (a->now.makespan < best->makespan)
                copy_genes(a->arcs, best, &a->now);
        }
        run->made += block;
    }
}
