/* SPDX-License-Identifier: BSD-3-Clause */
#include "refine/graph/decode_genes.h"

#include <math.h>
#include <stdlib.h>

#define ARRIVES 0x80000000u /* flag of an event: arrival of the task's inputs, not its end */

static void push_event(hsi_queue *queue, double key, uint32_t task)
{
    size_t at = queue->size++;

    for (; at > 0 && queue->item[(at - 1) / 2].key > key; at = (at - 1) / 2)
        queue->item[at] = queue->item[(at - 1) / 2];
    queue->item[at] = (hsi_keyed){key, task};
}

static hsi_keyed pop_event(hsi_queue *queue)
{
    hsi_keyed first = queue->item[0], last = queue->item[--queue->size];
    size_t    at = 0, child;

    for (; (child = 2 * at + 1) < queue->size; at = child) {
        if (child + 1 < queue->size && queue->item[child + 1].key < queue->item[child].key)
            child++;
        if (queue->item[child].key >= last.key)
            break;
        queue->item[at] = queue->item[child];
    }
    queue->item[at] = last;
    return first;
}

hs_status hsi_decoder_open(hsi_decoder *d, const hsi_arcs *arcs)
{
    hsi_arena *arena = &d->arena;
    size_t     n = arcs->pb->n, workers = (size_t)arcs->pb->m + arcs->pb->k;

    *d = (hsi_decoder){.arcs = arcs};
    d->level = hsi_arena_alloc(arena, n, sizeof *d->level);
    d->arrive = hsi_arena_alloc(arena, n, sizeof *d->arrive);
    d->trigger = hsi_arena_alloc(arena, n, sizeof *d->trigger);
    d->left = hsi_arena_alloc(arena, n, sizeof *d->left);
    d->start = hsi_arena_alloc(arena, n, sizeof *d->start);
    d->worker = hsi_arena_alloc(arena, n, sizeof *d->worker);
    d->cause = hsi_arena_alloc(arena, n, sizeof *d->cause);
    d->ready = hsi_arena_alloc(arena, arcs->places, sizeof *d->ready);
    d->items = hsi_arena_alloc(arena, n, sizeof *d->items);
    d->coming.item = hsi_arena_alloc(arena, n + 1, sizeof *d->coming.item);
    d->idle = hsi_arena_alloc(arena, workers, sizeof *d->idle);
    d->idle_count = hsi_arena_alloc(arena, arcs->places, sizeof *d->idle_count);
    d->freed = hsi_arena_alloc(arena, arcs->places, sizeof *d->freed);
    return d->level && d->arrive && d->trigger && d->left && d->start && d->worker && d->cause &&
                   d->ready && d->items && d->coming.item && d->idle && d->idle_count && d->freed
               ? HS_OK
               : HS_ENOMEM;
}

void hsi_decoder_close(hsi_decoder *d)
{
    hsi_arena_close(&d->arena);
}

static const hsi_arc *arcs_of(const hsi_arcs *arcs, uint32_t task, size_t *count)
{
    *count = arcs->after_at[task + 1] - arcs->after_at[task];
    return arcs->after + arcs->after_at[task];
}

static void find_levels(hsi_decoder *d)
{
    const hsi_arcs *arcs = d->arcs;

    for (size_t i = arcs->pb->n; i-- > 0;) {
        uint32_t       task = arcs->order[i], place = d->place[task];
        size_t         count;
        const hsi_arc *arc = arcs_of(arcs, task, &count);
        double         longest = 0;

        for (size_t j = 0; j < count; j++) {
            double length = d->level[arc[j].task] +
                            hsi_arc_transfer_time(arcs, &arc[j], place, d->place[arc[j].task]);

            longest = length > longest ? length : longest;
        }
        d->level[task] = longest + hsi_task_time_at(arcs, task, place);
    }
}

/* Start with idle workers and no ready tasks. */
static void begin_decoding(hsi_decoder *d)
{
    const hsi_arcs *arcs = d->arcs;
    size_t          at = 0;

    for (uint32_t place = 0; place < arcs->places; place++) {
        uint32_t first = hsi_first_worker_at(arcs, place), count = hsi_worker_count_at(arcs, place);

        d->ready[place].size = 0;
        d->idle_count[place] = count;
        d->freed[place] = HS_NONE;
        for (uint32_t i = 0; i < count; i++)
            d->idle[first + i] = first + count - 1 - i;
    }
    for (size_t i = 0; i < arcs->pb->n; i++)
        d->ready[d->place[i]].size++;
    for (uint32_t place = 0; place < arcs->places; place++) {
        d->ready[place].item = d->items + at;
        at += d->ready[place].size;
        d->ready[place].size = 0;
    }
    d->coming.size = 0;
    d->now = d->makespan = 0;
    d->last = HS_NONE;
}

static void make_ready(hsi_decoder *d, uint32_t task)
{
    push_event(&d->ready[d->place[task]], -d->level[task] * d->weight[task], task);
}

/* Handle the end of a task's last predecessor: the task is ready now, or when its inputs arrive. */
static void release_task(hsi_decoder *d, uint32_t task)
{
    if (d->arrive[task] <= d->now)
        make_ready(d, task);
    else
        push_event(&d->coming, d->arrive[task], task | ARRIVES);
}

static void release_first(hsi_decoder *d)
{
    const hsi_arcs *arcs = d->arcs;

    for (uint32_t i = 0; i < arcs->pb->n; i++) {
        d->left[i] = arcs->waits[i];
        d->trigger[i] = HS_NONE;
        d->arrive[i] = hsi_initial_data_arrival(arcs, i, d->place[i]);
        if (d->left[i] == 0)
            release_task(d, i);
    }
}

static void start_task(hsi_decoder *d, uint32_t task)
{
    uint32_t place = d->place[task];
    uint32_t first = hsi_first_worker_at(d->arcs, place);
    double   end = d->now + hsi_task_time_at(d->arcs, task, place);

    d->worker[task] = d->idle[first + --d->idle_count[place]];
    d->cause[task] = d->arrive[task] == d->now ? d->trigger[task] : d->freed[place];
    d->start[task] = d->now;
    if (end > d->makespan) {
        d->makespan = end;
        d->last = task;
    }
    push_event(&d->coming, end, task);
}

/* Start ready tasks on idle workers. Return false if a path that begins now ends at or after
 * `limit`. */
static bool start_all(hsi_decoder *d, double limit)
{
    for (uint32_t place = 0; place < d->arcs->places; place++)
        while (d->idle_count[place] > 0 && d->ready[place].size > 0) {
            uint32_t task = pop_event(&d->ready[place]).task;

            if (d->now + d->level[task] >= limit)
                return false;
            start_task(d, task);
        }
    return true;
}

static void finish_task(hsi_decoder *d, uint32_t task)
{
    const hsi_arcs *arcs = d->arcs;
    uint32_t        place = d->place[task];
    size_t          count;
    const hsi_arc  *arc = arcs_of(arcs, task, &count);

    d->idle[hsi_first_worker_at(arcs, place) + d->idle_count[place]++] = d->worker[task];
    d->freed[place] = task;
    for (size_t i = 0; i < count; i++) {
        uint32_t next = arc[i].task;
        double   inputs_at = d->now + hsi_arc_transfer_time(arcs, &arc[i], place, d->place[next]);

        if (inputs_at >= d->arrive[next]) {
            d->arrive[next] = inputs_at;
            d->trigger[next] = task;
        }
        if (--d->left[next] == 0)
            release_task(d, next);
    }
}

/* Advance to the next event time and handle its events. */
static void next_event(hsi_decoder *d)
{
    d->now = d->coming.item[0].key;
    while (d->coming.size > 0 && d->coming.item[0].key <= d->now) {
        uint32_t task = pop_event(&d->coming).task;

        if (task & ARRIVES)
            make_ready(d, task & ~ARRIVES);
        else
            finish_task(d, task);
    }
}

double hsi_decode_genes(hsi_decoder *d, const uint32_t *place_of_task, const double *weight,
                        double limit)
{
    d->place = place_of_task;
    d->weight = weight;
    find_levels(d);
    begin_decoding(d);
    release_first(d);
    for (;;) {
        if (!start_all(d, limit))
            return INFINITY;
        if (d->coming.size == 0)
            return d->makespan;
        next_event(d);
    }
}

size_t hsi_decoded_critical_chain(const hsi_decoder *d, uint32_t *chain)
{
    size_t length = 0;

    for (uint32_t task = d->last; task != HS_NONE; task = d->cause[task])
        chain[length++] = task;
    return length;
}

hs_status hsi_decoded_build_schedule(const hsi_decoder *d, hs_schedule **out)
{
    const hsi_problem *pb = d->arcs->pb;
    hs_placement      *all = malloc((pb->n + 1) * sizeof *all);
    hs_status          st = HS_ENOMEM;

    for (uint32_t i = 0; all && i < pb->n; i++)
        all[i] = (hs_placement){.start = d->start[i],
                                .end = d->start[i] + hsi_task_time_at(d->arcs, i, d->place[i]),
                                .task = i,
                                .worker = d->worker[i],
                                .state = HS_RUN};
    if (all)
        st = hs_schedule_build(pb->m, pb->k, pb->n, all, out);
    free(all);
    return st;
}
