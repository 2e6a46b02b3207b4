/* SPDX-License-Identifier: BSD-3-Clause */
/* Build the graph and the times of a case from its branches. */
#include <math.h>
#include <string.h>

#include "bound/grid.h"
#include "bound/proof/graph/tree.h"

static hs_status open_graph(hsi_graph_prover *pr, size_t vertices)
{
    hsi_arena *arena = &pr->arena;
    size_t     most = vertices * vertices;

    pr->graph = (hs_graph){.tasks = pr->pb->n, .vertices = vertices};
    pr->graph.pred_at = hsi_arena_alloc(arena, vertices + 1, sizeof *pr->graph.pred_at);
    pr->graph.succ_at = hsi_arena_alloc(arena, vertices + 1, sizeof *pr->graph.succ_at);
    pr->graph.pred = hsi_arena_alloc(arena, most, sizeof *pr->graph.pred);
    pr->graph.succ = hsi_arena_alloc(arena, most, sizeof *pr->graph.succ);
    pr->graph.order = hsi_arena_alloc(arena, vertices, sizeof *pr->graph.order);
    pr->graph.position = hsi_arena_alloc(arena, vertices, sizeof *pr->graph.position);
    pr->graph.bytes = hsi_arena_alloc(arena, most, sizeof *pr->graph.bytes);
    pr->bytes = hsi_arena_alloc_zeroed(arena, most, sizeof *pr->bytes);
    pr->graph.access_at = pr->pb->graph->access_at;
    pr->graph.access = pr->pb->graph->access;
    return pr->graph.bytes && pr->bytes && pr->graph.pred_at && pr->graph.succ_at &&
                   pr->graph.pred && pr->graph.succ && pr->graph.order && pr->graph.position
               ? HS_OK
               : HS_ENOMEM;
}

/* Store the bytes of the graph's edges by pair of vertices. */
static void take_bytes(hsi_graph_prover *pr)
{
    const hs_graph *g = pr->pb->graph;

    for (size_t v = 0; v < g->vertices; v++) {
        size_t          count;
        const uint32_t *before = hsi_predecessors(g, v, &count);
        const double   *bytes = hsi_predecessor_bytes(g, v);

        for (size_t i = 0; bytes && i < count; i++)
            pr->bytes[before[i] * g->vertices + v] = bytes[i];
    }
}

hs_status hsi_graph_prover_begin(hsi_graph_prover *pr, const hsi_problem *pb, double target)
{
    hsi_arena *arena = &pr->arena;
    size_t     pairs = (size_t)HSI_TREE_VERTICES * HSI_TREE_VERTICES;

    *pr = (hsi_graph_prover){
        .pb = pb, .target = target, .goal = target * (1 - 0x1p-45), .grid = hsi_grid_of_times(pb)};
    if (pb->graph->vertices > HSI_TREE_VERTICES)
        return HS_ETOOBIG;
    pr->p = hsi_arena_alloc(arena, pb->n, sizeof *pr->p);
    pr->q = hsi_arena_alloc(arena, pb->n, sizeof *pr->q);
    pr->edge = hsi_arena_alloc(arena, pairs, 1);
    pr->beside = hsi_arena_alloc(arena, pairs, 1);
    pr->now = *pb;
    pr->now.graph = &pr->graph;
    pr->now.p = pr->p;
    pr->now.q = pr->q;
    if (!pr->p || !pr->q || !pr->edge || !pr->beside)
        return HS_ENOMEM;
    if (open_graph(pr, pb->graph->vertices) != HS_OK)
        return HS_ENOMEM;
    take_bytes(pr);
    return HS_OK;
}

static void begin_case(hsi_graph_prover *pr)
{
    const hs_graph *g = pr->pb->graph;

    memcpy(pr->p, pr->pb->p, pr->pb->n * sizeof *pr->p);
    memcpy(pr->q, pr->pb->q, pr->pb->n * sizeof *pr->q);
    memset(pr->edge, 0, (size_t)HSI_TREE_VERTICES * HSI_TREE_VERTICES);
    memset(pr->beside, 0, (size_t)HSI_TREE_VERTICES * HSI_TREE_VERTICES);
    for (uint32_t v = 0; v < g->vertices; v++) {
        size_t          count;
        const uint32_t *after = hsi_successors(g, v, &count);

        for (size_t i = 0; i < count; i++)
            *hsi_tree_edge_at(pr, v, after[i]) = 1;
    }
}

/* Let direct predecessors of `first` precede direct successors of `second`. */
static void add_edges_across(hsi_graph_prover *pr, uint32_t first, uint32_t second)
{
    uint32_t vertices = (uint32_t)pr->graph.vertices;

    for (uint32_t from = 0; from < vertices; from++)
        for (uint32_t to = 0; *hsi_tree_edge_at(pr, from, first) && to < vertices; to++)
            if (*hsi_tree_edge_at(pr, second, to))
                *hsi_tree_edge_at(pr, from, to) = 1;
}

static void take_part(hsi_graph_prover *pr, const hsi_proof_node *split, uint32_t part)
{
    uint32_t a = split->kind, b = split->cut;

    if (split->step == HSI_STEP_TYPE)
        (part == 0 ? pr->q : pr->p)[a] = INFINITY;
    else if (part < 2)
        *(part == 0 ? hsi_tree_edge_at(pr, a, b) : hsi_tree_edge_at(pr, b, a)) = 1;
    if (split->step == HSI_STEP_TYPE || part < 2)
        return;
    *hsi_tree_are_apart(pr, a, b) = *hsi_tree_are_apart(pr, b, a) = 1;
    add_edges_across(pr, a, b);
    add_edges_across(pr, b, a);
}

/* Fill both directions of the edges, and a topological order. */
static void make_graph(hsi_graph_prover *pr)
{
    hs_graph *g = &pr->graph;
    uint32_t  left[HSI_TREE_VERTICES], vertices = (uint32_t)g->vertices, placed = 0;
    size_t    in = 0, out = 0;

    for (uint32_t v = 0; v < vertices; v++) {
        g->pred_at[v] = in;
        g->succ_at[v] = out;
        for (uint32_t other = 0; other < vertices; other++) {
            if (*hsi_tree_edge_at(pr, other, v)) {
                g->bytes[in] = pr->bytes[other * vertices + v];
                g->pred[in++] = other;
            }
            if (*hsi_tree_edge_at(pr, v, other))
                g->succ[out++] = other;
        }
        left[v] = (uint32_t)(in - g->pred_at[v]);
        if (left[v] == 0)
            g->order[placed++] = v;
    }
    g->pred_at[vertices] = g->succ_at[vertices] = in;
    for (uint32_t i = 0; i < placed; i++)
        for (size_t at = g->succ_at[g->order[i]]; at < g->succ_at[g->order[i] + 1]; at++)
            if (--left[g->succ[at]] == 0)
                g->order[placed++] = g->succ[at];
    for (uint32_t i = 0; i < placed; i++)
        g->position[g->order[i]] = i;
}

/* Apply the branches from the root on, since a branch's direct edges depend on earlier branches. */
static void take_parts(hsi_graph_prover *pr, uint32_t index)
{
    const hsi_graph_case *c = hsi_graph_case_at(pr, index);

    if (c->parent == HS_NONE)
        return;
    take_parts(pr, c->parent);
    take_part(pr, &hsi_graph_case_at(pr, c->parent)->split, c->part);
}

void hsi_graph_prover_enter_case(hsi_graph_prover *pr, uint32_t index)
{
    begin_case(pr);
    take_parts(pr, index);
    make_graph(pr);
}
