/* SPDX-License-Identifier: BSD-3-Clause */
#include "bound/graph/spans.h"

#include <math.h>

#include "support/exact.h"

static double add_down(double a, double b)
{
    double sum, lost = hsi_two_sum(a, b, &sum);

    return lost < 0 ? nextafter(sum, 0) : sum;
}

static double smaller_time(const hsi_problem *pb, uint32_t vertex)
{
    return hsi_is_barrier(pb->graph, vertex) ? 0 : fmin(pb->p[vertex], pb->q[vertex]);
}

static void raise(double *length, const uint32_t *vertices, size_t count, double to)
{
    for (size_t i = 0; i < count; i++)
        length[vertices[i]] = fmax(length[vertices[i]], to);
}

/* The longest ways to each vertex, and from it. */
static void find_ways(const hsi_problem *pb, double *head, double *tail)
{
    const hs_graph *g = pb->graph;

    for (size_t i = 0; i < g->vertices; i++) {
        uint32_t        v = hsi_in_order(g, i);
        size_t          count;
        const uint32_t *after = hsi_successors(g, v, &count);

        raise(head, after, count, add_down(head[v], smaller_time(pb, v)));
    }
    for (size_t i = g->vertices; i-- > 0;) {
        uint32_t        v = hsi_in_order(g, i);
        size_t          count;
        const uint32_t *before = hsi_predecessors(g, v, &count);

        raise(tail, before, count, add_down(tail[v], smaller_time(pb, v)));
    }
}

static double span(double head, double time, double tail)
{
    return isinf(time) ? time : add_down(add_down(head, time), tail);
}

hs_status hsi_spans_find(const hsi_problem *pb, hsi_arena *arena, hsi_spans *spans)
{
    double *head, *tail;

    *spans = (hsi_spans){pb->p, pb->q};
    if (!pb->graph)
        return HS_OK;
    head = hsi_arena_take_zeroed(arena, pb->graph->vertices, sizeof *head);
    tail = hsi_arena_take_zeroed(arena, pb->graph->vertices, sizeof *tail);
    if (!head || !tail)
        return HS_ENOMEM;
    find_ways(pb, head, tail);
    for (size_t i = 0; i < pb->n; i++) {
        double before = head[i], after = tail[i];

        head[i] = span(before, pb->p[i], after);
        tail[i] = span(before, pb->q[i], after);
    }
    *spans = (hsi_spans){head, tail};
    return HS_OK;
}

double hsi_spans_longest(const hsi_problem *pb, const hsi_spans *spans)
{
    double longest = 0;

    for (size_t i = 0; i < pb->n; i++)
        longest = fmax(longest, fmin(spans->cpu[i], spans->gpu[i]));
    return longest;
}
