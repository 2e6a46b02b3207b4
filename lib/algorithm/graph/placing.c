/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm/graph/placing.h"

#include <math.h>

#include "core/graph/links.h"

static double shortest_of(const double *time, size_t n)
{
    double shortest = INFINITY;

    for (size_t i = 0; i < n; i++)
        shortest = fmin(shortest, time[i]);
    return shortest;
}

static void open_lines(hsi_placing *placing)
{
    const hsi_problem *pb = placing->pb;
    double             shortest[2] = {shortest_of(pb->p, pb->n), shortest_of(pb->q, pb->n)};

    for (unsigned w = 0; w < pb->m + pb->k; w++)
        placing->line[w] = (hsi_timeline){.first = HS_NONE,
                                          .last = HS_NONE,
                                          .end = pb->available ? pb->available[w] : 0,
                                          .shortest = shortest[w >= pb->m]};
}

hs_status hsi_placing_open(hsi_placing *placing, const hsi_problem *pb)
{
    hsi_arena *arena = pb->arena;
    size_t     nodes = pb->graph && pb->links->has[HS_H2D] ? hsi_memory_node_count(pb) : 1;
    size_t     barriers = pb->graph ? pb->graph->vertices - pb->n : 0;

    *placing =
        (hsi_placing){.pb = pb, .nodes = nodes, .work = 16 + (size_t)pb->m + pb->k + 4 * nodes};
    placing->line = hsi_arena_alloc(arena, (size_t)pb->m + pb->k, sizeof *placing->line);
    if (!placing->line)
        return HS_ENOMEM;
    open_lines(placing);
    placing->start = hsi_arena_alloc(arena, pb->n, sizeof *placing->start);
    placing->end = hsi_arena_alloc(arena, pb->n, sizeof *placing->end);
    placing->worker = hsi_arena_alloc(arena, pb->n, sizeof *placing->worker);
    placing->next = hsi_arena_alloc(arena, pb->n, sizeof *placing->next);
    placing->arrival = hsi_arena_alloc(arena, nodes, sizeof *placing->arrival);
    placing->there = hsi_arena_alloc_zeroed(arena, barriers * nodes, sizeof *placing->there);
    placing->ends = hsi_arena_alloc(arena, barriers * nodes, sizeof *placing->ends);
    placing->known = hsi_arena_alloc_zeroed(arena, barriers, 1);
    return placing->start && placing->end && placing->worker && placing->next && placing->arrival &&
                   placing->there && placing->ends && placing->known
               ? HS_OK
               : HS_ENOMEM;
}

void hsi_placing_close(hsi_placing *placing)
{
    for (unsigned w = 0; placing->line && w < placing->pb->m + placing->pb->k; w++)
        hsi_vector_free(&placing->line[w].gaps);
}

static uint32_t node_of(const hsi_placing *placing, uint32_t worker)
{
    return placing->nodes > 1 ? hsi_node_of_worker(placing->pb, worker) : 0;
}

/* Raise each node's arrival to that of data made at `when` on node `from`. */
static void move(const hsi_placing *placing, double when, uint32_t from, double bytes,
                 double *arrival)
{
    const hsi_problem *pb = placing->pb;

    for (uint32_t to = 0; to < placing->nodes; to++)
        arrival[to] = fmax(arrival[to], when + hsi_link_time_between(pb->links, pb->nodes, from, to,
                                                                     bytes));
}

static void find_barrier(hsi_placing *placing, uint32_t barrier);

/* Raise arrivals by the data along an edge from `before`. */
static void follow(hsi_placing *placing, uint32_t before, double bytes, double *arrival)
{
    const hsi_problem *pb = placing->pb;
    size_t             at;

    if (!hsi_is_barrier(pb->graph, before)) {
        move(placing, placing->end[before], node_of(placing, placing->worker[before]), bytes,
             arrival);
        return;
    }
    at = (before - pb->n) * placing->nodes;
    if (!placing->known[before - pb->n])
        find_barrier(placing, before);
    for (uint32_t node = 0; node < placing->nodes; node++) {
        arrival[node] = fmax(arrival[node], placing->there[at + node]);
        if (bytes > 0 && placing->ends[at + node] >= 0)
            move(placing, placing->ends[at + node], node, bytes, arrival);
    }
}

static void follow_edges(hsi_placing *placing, uint32_t vertex, double *arrival)
{
    size_t          count;
    const uint32_t *before = hsi_predecessors(placing->pb->graph, vertex, &count);
    const double   *bytes = hsi_predecessor_bytes(placing->pb->graph, vertex);

    for (size_t i = 0; i < count; i++)
        follow(placing, before[i], bytes ? bytes[i] : 0, arrival);
}

/* Compute the latest end of a barrier's predecessors on each node; -1: none ran there. */
static void find_ends(hsi_placing *placing, uint32_t barrier)
{
    const hsi_problem *pb = placing->pb;
    double            *ends = placing->ends + (barrier - pb->n) * placing->nodes;
    size_t             count;
    const uint32_t    *before = hsi_predecessors(pb->graph, barrier, &count);

    for (size_t node = 0; node < placing->nodes; node++)
        ends[node] = -1;
    for (size_t i = 0; i < count; i++) {
        uint32_t v = before[i];

        if (hsi_is_barrier(pb->graph, v)) {
            for (size_t node = 0; node < placing->nodes; node++)
                ends[node] = fmax(ends[node], placing->ends[(v - pb->n) * placing->nodes + node]);
        } else {
            uint32_t node = node_of(placing, placing->worker[v]);

            ends[node] = fmax(ends[node], placing->end[v]);
        }
    }
}

/* Compute a barrier whose predecessors are all placed. Chains of barriers are short: from a join to
 * a fork. */
static void find_barrier(hsi_placing *placing, uint32_t barrier)
{
    size_t at = barrier - placing->pb->n;

    placing->known[at] = 1;
    follow_edges(placing, barrier, placing->there + at * placing->nodes);
    find_ends(placing, barrier);
}

static void follow_data(hsi_placing *placing, uint32_t task, double *arrival)
{
    const hsi_problem *pb = placing->pb;
    size_t             count;
    const hs_access   *access = hsi_accesses(pb->graph, task, &count);

    for (size_t i = 0; i < count && placing->nodes > 1; i++) {
        uint32_t writer = access[i].writer;
        double   bytes = hs_instance_handle_bytes(pb->in, access[i].data);

        if (!(access[i].mode & HS_READ))
            continue;
        if (writer == HS_NONE)
            move(placing, 0, hs_instance_handle_memory_node(pb->in, access[i].data), bytes,
                 arrival);
        else
            move(placing, placing->end[writer], node_of(placing, placing->worker[writer]), bytes,
                 arrival);
    }
}

typedef struct choice {
    hsi_slot_found slot;
    double         end;
    uint32_t       worker;
} choice;

static void consider(const hsi_placing *placing, uint32_t worker, double time, choice *best)
{
    double         arrival = placing->arrival[node_of(placing, worker)];
    hsi_slot_found slot;

    if (arrival + time >= best->end)
        return;
    slot = hsi_timeline_find(&placing->line[worker], arrival, time);
    if (slot.start + time < best->end)
        *best = (choice){slot, slot.start + time, worker};
}

/* Compute the arrival of the task's inputs on each node. HS_ECANCELED. */
static hs_status find_arrival(hsi_placing *placing, uint32_t task)
{
    if (hsi_poll_after_work(placing->pb->token, placing->work))
        return HS_ECANCELED;
    for (size_t node = 0; node < placing->nodes; node++)
        placing->arrival[node] = 0;
    if (!placing->pb->graph)
        return HS_OK;
    follow_edges(placing, task, placing->arrival);
    follow_data(placing, task, placing->arrival);
    return HS_OK;
}

static void settle(hsi_placing *placing, uint32_t task, const choice *best)
{
    placing->start[task] = best->slot.start;
    placing->end[task] = best->end;
    placing->worker[task] = best->worker;
}

hs_status hsi_placing_insert(hsi_placing *placing, uint32_t task)
{
    const hsi_problem *pb = placing->pb;
    choice             best = {.end = INFINITY};

    if (find_arrival(placing, task) != HS_OK)
        return HS_ECANCELED;
    for (uint32_t w = pb->m; w < pb->m + pb->k; w++)
        consider(placing, w, pb->q[task], &best);
    for (uint32_t w = 0; w < pb->m; w++)
        consider(placing, w, pb->p[task], &best);
    settle(placing, task, &best);
    return hsi_timeline_put(&placing->line[best.worker], best.slot, best.end, task, placing->next);
}

static double time_on(const hsi_placing *placing, uint32_t task, uint32_t worker)
{
    const hsi_problem *pb = placing->pb;

    return worker < pb->m ? pb->p[task] : pb->q[task];
}

hs_status hsi_placing_insert_on(hsi_placing *placing, uint32_t task, uint32_t worker)
{
    choice best = {.end = INFINITY};

    if (find_arrival(placing, task) != HS_OK)
        return HS_ECANCELED;
    consider(placing, worker, time_on(placing, task, worker), &best);
    settle(placing, task, &best);
    return hsi_timeline_put(&placing->line[worker], best.slot, best.end, task, placing->next);
}

hs_status hsi_placing_find_loss(hsi_placing *placing, uint32_t task, double *loss)
{
    const hsi_problem *pb = placing->pb;
    double             least = INFINITY, second = INFINITY;

    if (find_arrival(placing, task) != HS_OK)
        return HS_ECANCELED;
    for (uint32_t worker = 0; worker < pb->m + pb->k; worker++) {
        choice best = {.end = second};

        consider(placing, worker, time_on(placing, task, worker), &best);
        second = fmin(second, fmax(least, best.end));
        least = fmin(least, best.end);
    }
    *loss = second - least;
    return HS_OK;
}

static void consider_end(const hsi_placing *placing, uint32_t worker, double time, choice *best)
{
    double start = fmax(placing->arrival[node_of(placing, worker)], placing->line[worker].end);

    if (start + time < best->end)
        *best = (choice){{start, SIZE_MAX}, start + time, worker};
}

hs_status hsi_placing_append(hsi_placing *placing, uint32_t task, unsigned allowed_types)
{
    const hsi_problem *pb = placing->pb;
    choice             best = {.end = INFINITY};

    if (find_arrival(placing, task) != HS_OK)
        return HS_ECANCELED;
    for (uint32_t w = pb->m; allowed_types & 1 << HS_GPU && w < pb->m + pb->k; w++)
        consider_end(placing, w, pb->q[task], &best);
    for (uint32_t w = 0; allowed_types & 1 << HS_CPU && w < pb->m; w++)
        consider_end(placing, w, pb->p[task], &best);
    settle(placing, task, &best);
    hsi_timeline_append(&placing->line[best.worker], best.end, task, placing->next);
    return HS_OK;
}

/* Count the tasks that do not start at the end of the one before on their worker, or write all
 * tasks to the recorder. */
static size_t walk(const hsi_placing *placing, hsi_recorder *recorder)
{
    const hsi_problem *pb = placing->pb;
    size_t             starts = 0, noted = 0;

    for (uint32_t w = 0; w < pb->m + pb->k; w++) {
        double before = pb->available ? pb->available[w] : 0;

        for (uint32_t task = placing->line[w].first;
             task != HS_NONE && !hsi_poll_at_iteration(pb->token, ++noted);
             task = placing->next[task]) {
            bool is_gap = placing->start[task] != before;

            starts += (size_t)is_gap;
            before = placing->end[task];
            if (recorder && is_gap)
                hsi_record_next_start(recorder, w, placing->start[task]);
            if (recorder)
                hsi_record_run(recorder, task, w, before);
        }
    }
    return starts;
}

hs_status hsi_placing_record(const hsi_placing *placing, hsi_recorder *recorder)
{
    hs_status st = hsi_recorder_open(recorder, placing->pb, 0);

    if (st == HS_OK)
        st = hsi_recorder_reserve(recorder, placing->pb, placing->pb->n + walk(placing, NULL));
    if (st == HS_OK)
        walk(placing, recorder);
    return st == HS_OK && hsi_poll(placing->pb->token) ? HS_ECANCELED : st;
}
