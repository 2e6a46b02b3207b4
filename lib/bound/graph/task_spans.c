/* SPDX-License-Identifier: BSD-3-Clause */
#include "bound/graph/task_spans.h"

#include <math.h>

#include "bound/release.h"

static double smaller_time(const hsi_problem *pb, uint32_t vertex)
{
    return hsi_is_barrier(pb->graph, vertex) ? 0 : fmin(pb->p[vertex], pb->q[vertex]);
}

static void raise_lengths(double *length, const uint32_t *vertices, size_t count, double least)
{
    for (size_t i = 0; i < count; i++)
        length[vertices[i]] = fmax(length[vertices[i]], least);
}

/* Compute the longest paths to each vertex and from it, without its own time. */
static hs_status find_paths(const hsi_problem *pb, double *head, double *tail)
{
    const hs_graph *g = pb->graph;

    for (size_t i = 0; i < g->vertices; i++) {
        uint32_t        v = hsi_vertex_at_position(g, i);
        size_t          count;
        const uint32_t *after = hsi_successors(g, v, &count);

        raise_lengths(head, after, count, hsi_add_down(head[v], smaller_time(pb, v)));
        if (hsi_poll_after_work(pb->token, 16 * (1 + count)))
            return HS_ECANCELED;
    }
    for (size_t i = g->vertices; i-- > 0;) {
        uint32_t        v = hsi_vertex_at_position(g, i);
        size_t          count;
        const uint32_t *before = hsi_predecessors(g, v, &count);

        raise_lengths(tail, before, count, hsi_add_down(tail[v], smaller_time(pb, v)));
        if (hsi_poll_after_work(pb->token, 16 * (1 + count)))
            return HS_ECANCELED;
    }
    return HS_OK;
}

/* Return a span. The first worker of all is available at `first_available`, and the first worker of
 * the type at `type_available`. */
static double span_of_task(double first_available, double head, double type_available, double time,
                           double tail)
{
    double begin = fmax(hsi_add_down(first_available, head), type_available);

    return isinf(time) ? time : hsi_add_down(hsi_add_down(begin, time), tail);
}

hs_status hsi_task_spans_find(const hsi_problem *pb, hsi_arena *arena, hsi_task_spans *spans)
{
    const double cpus = hsi_first_available_time(pb, HS_CPU),
                 gpus = hsi_first_available_time(pb, HS_GPU);
    const double first = fmin(cpus, gpus);
    size_t       vertices = pb->graph ? pb->graph->vertices : pb->n;
    double      *head, *tail;

    *spans = (hsi_task_spans){pb->p, pb->q};
    if (!pb->graph && !pb->available)
        return HS_OK;
    head = hsi_arena_alloc_zeroed(arena, vertices, sizeof *head);
    tail = hsi_arena_alloc_zeroed(arena, vertices, sizeof *tail);
    if (!head || !tail)
        return HS_ENOMEM;
    if (pb->graph && find_paths(pb, head, tail) != HS_OK)
        return HS_ECANCELED;
    for (size_t i = 0; i < pb->n && !hsi_poll_at_iteration(pb->token, i); i++) {
        double before = head[i], after = tail[i];

        head[i] = span_of_task(first, before, cpus, pb->p[i], after);
        tail[i] = span_of_task(first, before, gpus, pb->q[i], after);
    }
    *spans = (hsi_task_spans){head, tail};
    return HS_OK;
}

double hsi_task_spans_longest(const hsi_problem *pb, const hsi_task_spans *spans)
{
    double longest = 0;

    for (size_t i = 0; i < pb->n && !hsi_poll_at_iteration(pb->token, i); i++)
        longest = fmax(longest, fmin(spans->cpu[i], spans->gpu[i]));
    return longest;
}
