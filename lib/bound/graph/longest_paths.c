/* SPDX-License-Identifier: BSD-3-Clause */
#include "bound/graph/longest_paths.h"

#include <math.h>
#include <string.h>

enum {
    PAIRS = 3000
}; /* maximum number of vertices for jumps between pairs; beyond, paths jump only at their ends */

hs_status hsi_longest_paths_open(hsi_longest_paths *w, const hsi_problem *pb,
                                 const hsi_tasks_between *between, const hsi_stop *stop,
                                 hsi_arena *arena)
{
    size_t vertices = pb->graph->vertices;

    *w = (hsi_longest_paths){.pb = pb, .between = between, .stop = stop};
    w->time = hsi_arena_alloc(arena, vertices, sizeof *w->time);
    w->head = hsi_arena_alloc(arena, vertices, sizeof *w->head);
    w->tail = hsi_arena_alloc(arena, vertices, sizeof *w->tail);
    w->before = hsi_arena_alloc(arena, vertices, sizeof *w->before);
    w->after = hsi_arena_alloc(arena, vertices, sizeof *w->after);
    if (!w->time || !w->head || !w->tail || !w->before || !w->after)
        return HS_ENOMEM;
    if (!between)
        return HS_OK;
    w->weight = hsi_arena_alloc(arena, vertices, sizeof *w->weight);
    if (vertices <= PAIRS)
        w->load = hsi_arena_alloc(arena, vertices * vertices, sizeof *w->load);
    return w->weight && (w->load || vertices > PAIRS) ? HS_OK : HS_ENOMEM;
}

/* Set the time of a vertex on each type, by its shares. */
static void take_times(const hsi_longest_paths *w, const double *share, uint32_t vertex,
                       double time[2])
{
    const hsi_problem *pb = w->pb;

    time[0] = time[1] = 0;
    if (hsi_is_barrier(pb->graph, vertex))
        return;
    if (isinf(pb->q[vertex])) {
        time[0] = pb->p[vertex];
    } else if (isinf(pb->p[vertex])) {
        time[1] = pb->q[vertex];
    } else {
        time[0] = share[vertex] * pb->p[vertex];
        time[1] = (1 - share[vertex]) * pb->q[vertex];
    }
}

static void set_times(hsi_longest_paths *w, const double *share)
{
    const hsi_problem *pb = w->pb;

    for (size_t i = 0; i < pb->graph->vertices; i++) {
        uint32_t v = hsi_vertex_at_position(pb->graph, i);
        double   time[2];

        take_times(w, share, v, time);
        w->time[v] = time[0] + time[1];
        if (w->between) {
            w->weight[i][0] = pb->m ? time[0] / pb->m : 0;
            w->weight[i][1] = pb->k ? time[1] / pb->k : 0;
        }
    }
}

static double load_between(const hsi_longest_paths *w, uint32_t first, uint32_t second)
{
    double sum[2];

    hsi_tasks_between_sum(w->between, first, second, w->weight, sum);
    return sum[0] >= sum[1] ? sum[0] : -sum[1];
}

/* Continue the path over that load from or to `vertex`, if this path is longer. */
static void take_longer(hsi_next *next, double *length, uint32_t vertex, double behind, double load)
{
    if (!(behind + fabs(load) > *length))
        return;
    *length = behind + fabs(load);
    *next = (hsi_next){vertex, load < 0 ? HSI_OVER_GPUS : HSI_OVER_CPUS};
}

/* Return the length of the longest path that continues at one of the neighbours, and store that
 * neighbour. */
static double longest_of(const double *length, const uint32_t *vertices, size_t count,
                         hsi_next *next)
{
    *next = (hsi_next){HS_NONE, 0};
    for (size_t i = 0; i < count; i++)
        if (next->vertex == HS_NONE || length[vertices[i]] > length[next->vertex])
            next->vertex = vertices[i];
    return next->vertex == HS_NONE ? 0 : length[next->vertex];
}

static bool is_stopped(hsi_longest_paths *w)
{
    w->stopped |= w->between && hsi_stop_is_due(w->stop);
    return w->stopped;
}

static void find_heads(hsi_longest_paths *w)
{
    const hs_graph *g = w->pb->graph;
    size_t          vertices = g->vertices, count;

    for (uint32_t i = 0; i < vertices && !is_stopped(w); i++) {
        uint32_t        v = hsi_vertex_at_position(g, i);
        const uint32_t *before = hsi_predecessors(g, v, &count);
        double          head = longest_of(w->head, before, count, &w->before[v]);

        if (w->between && count > 0 && !hsi_is_barrier(g, v))
            take_longer(&w->before[v], &head, HS_NONE, 0, load_between(w, HSI_BEGIN, i));
        for (uint32_t j = 0; w->load && j < i; j++) {
            uint32_t from = hsi_vertex_at_position(g, j);

            if (!hsi_task_precedes(w->between, j, i) || hsi_is_barrier(g, v) ||
                hsi_is_barrier(g, from))
                continue;
            w->load[j * vertices + i] = load_between(w, j, i);
            take_longer(&w->before[v], &head, from, w->head[from], w->load[j * vertices + i]);
        }
        w->head[v] = w->time[v] + head;
    }
}

static void find_tails(hsi_longest_paths *w)
{
    const hs_graph *g = w->pb->graph;
    size_t          vertices = g->vertices, count;

    for (uint32_t i = (uint32_t)vertices; i-- > 0 && !is_stopped(w);) {
        uint32_t        v = hsi_vertex_at_position(g, i);
        const uint32_t *after = hsi_successors(g, v, &count);
        double          tail = longest_of(w->tail, after, count, &w->after[v]);

        if (w->between && count > 0 && !hsi_is_barrier(g, v))
            take_longer(&w->after[v], &tail, HS_NONE, 0, load_between(w, i, HSI_END));
        for (uint32_t j = i + 1; w->load && j < vertices; j++) {
            uint32_t to = hsi_vertex_at_position(g, j);

            if (hsi_task_precedes(w->between, i, j) && !hsi_is_barrier(g, v) &&
                !hsi_is_barrier(g, to))
                take_longer(&w->after[v], &tail, to, w->tail[to], w->load[i * vertices + j]);
        }
        w->tail[v] = w->time[v] + tail;
    }
}

double hsi_longest_paths_find(hsi_longest_paths *w, const double *share)
{
    double longest = 0;

    set_times(w, share);
    find_heads(w);
    find_tails(w);
    for (uint32_t v = 0; v < w->pb->graph->vertices && !w->stopped; v++)
        longest = fmax(longest, w->between ? hsi_longest_path_length(w, v) : w->head[v]);
    return longest;
}

static size_t append_vertex(const hsi_longest_paths *w, uint32_t vertex, uint32_t *step,
                            unsigned char *seen)
{
    seen[vertex] = 1;
    if (hsi_is_barrier(w->pb->graph, vertex))
        return 0;
    *step = vertex;
    return 1;
}

size_t hsi_longest_path_through(const hsi_longest_paths *w, uint32_t vertex, uint32_t *step,
                                unsigned char *seen)
{
    size_t count = 0;

    for (uint32_t v = vertex; v != HS_NONE; v = w->before[v].vertex) {
        count += append_vertex(w, v, step + count, seen);
        if (w->before[v].over)
            step[count++] = w->before[v].over;
    }
    for (size_t i = 0; i < count / 2; i++) {
        uint32_t other = step[count - 1 - i];

        step[count - 1 - i] = step[i];
        step[i] = other;
    }
    for (uint32_t v = vertex; v != HS_NONE; v = w->after[v].vertex) {
        if (v != vertex)
            count += append_vertex(w, v, step + count, seen);
        if (w->after[v].over)
            step[count++] = w->after[v].over;
    }
    return count;
}

/* Return the topological number of the vertex at an end of a jump. */
static uint32_t vertex_at_jump_end(const hsi_tasks_between *between, const uint32_t *step,
                                   size_t count, size_t index, uint32_t outside)
{
    return index < count ? between->position[step[index]] : outside;
}

size_t hsi_path_expand_jumps(const hsi_tasks_between *between, const uint32_t *step, size_t count,
                             hsi_counted *counted)
{
    size_t size = 0;

    for (size_t i = 0; i < count; i++) {
        uint32_t from, to;

        if (!hsi_step_is_jump(step[i])) {
            counted[size++] = (hsi_counted){step[i], 0};
            continue;
        }
        from = vertex_at_jump_end(between, step, count, i - 1, HSI_BEGIN);
        to = vertex_at_jump_end(between, step, count, i + 1, HSI_END);
        size += hsi_tasks_between_list(between, from, to, step[i], counted + size);
    }
    return size;
}
