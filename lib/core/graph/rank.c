/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/graph/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/graph/graph.h"
#include "support/pages.h"
#include "support/sort.h"

static const char *const names[] = {
    [HS_RANK_MIN] = "min",
    [HS_RANK_AVG] = "avg",
    [HS_RANK_GIVEN] = "given",
    [HS_RANK_FIFO] = "fifo",
};

enum { RANKS = sizeof names / sizeof *names };

const char *hs_rank_name(hs_rank rank)
{
    return (unsigned)rank < RANKS ? names[rank] : NULL;
}

int hs_rank_find(const char *name, hs_rank *rank)
{
    for (int i = HS_RANK_MIN; name && i < RANKS; i++)
        if (strcmp(name, names[i]) == 0) {
            *rank = (hs_rank)i;
            return 1;
        }
    return 0;
}

/*
 * Longest paths, computed from the end of the graph: each vertex, once its successors are complete,
 * passes its path length to its predecessors.
 */
typedef struct longest_paths {
    const hs_instance *in;
    const hsi_problem *pb;
    double (*time)(const hsi_problem *pb, size_t task);
    int  transfers; /* whether transfer times count */
    bool one_step;  /* whether paths end with the next task, instead of with the end of the
                       graph */
    double *behind; /* per vertex: longest path from its end */
    double  pairs[2][2], far[2][2]; /* ordered pairs of workers by their types: two workers of one
                                       node, without equal ones; of two nodes */
} longest_paths;

/* Count the ordered pairs of workers of several nodes. */
static void count_pairs(longest_paths *w)
{
    const hsi_node_list *nodes = w->pb->nodes;
    double               all[2] = {w->pb->m, w->pb->k};

    for (size_t i = 0; i < nodes->count; i++) {
        const hsi_node *at = hsi_node_at(nodes, i);
        double          here[2] = {at[1].cpu - at->cpu, at[1].gpu - at->gpu};

        for (int from = HS_CPU; from <= HS_GPU; from++)
            for (int to = HS_CPU; to <= HS_GPU; to++) {
                w->pairs[from][to] += here[from] * (here[to] - (from == to));
                w->far[from][to] += here[from] * (all[to] - here[to]);
            }
    }
}

/* Return the mean of the transfer times over all ordered pairs of workers of several nodes. */
static double mean_transfer_of_nodes(const longest_paths *w, double bytes)
{
    const hsi_links *links = w->pb->links;
    double           workers = (double)w->pb->m + w->pb->k, sum;
    double there = hsi_link_time(links, HS_H2D, bytes), back = hsi_link_time(links, HS_D2H, bytes);
    double across = hsi_link_time(links, HS_N2N, bytes);

    if (!(bytes > 0))
        return 0;
    sum = w->pairs[HS_CPU][HS_GPU] * (there + back) +
          w->pairs[HS_GPU][HS_GPU] * hsi_transfer_time(links, 1, 2, bytes);
    sum += w->far[HS_CPU][HS_CPU] * across + w->far[HS_CPU][HS_GPU] * (across + there);
    sum += w->far[HS_GPU][HS_CPU] * (back + across) +
           w->far[HS_GPU][HS_GPU] * (back + across + there);
    return sum / (workers * workers);
}

/* mean of the transfer times over all ordered pairs of workers: of one node (mk (h2d + d2h) + k(k-1)
 * d2d) / (m+k)^2 */
static double mean_transfer(const longest_paths *w, double bytes)
{
    const hsi_links *links = w->pb->links;
    double           m = w->pb->m, k = w->pb->k;
    double           there = hsi_transfer_time(links, 0, 1, bytes),
           back = hsi_transfer_time(links, 1, 0, bytes);

    if (w->pb->nodes)
        return mean_transfer_of_nodes(w, bytes);
    return (m * k * (there + back) + k * (k - 1) * hsi_transfer_time(links, 1, 2, bytes)) /
           ((m + k) * (m + k));
}

static void raise_path(longest_paths *w, uint32_t before, double path)
{
    if (path > w->behind[before])
        w->behind[before] = path;
}

static void raise_along_edges(longest_paths *w, uint32_t vertex, double path)
{
    size_t          count;
    const uint32_t *before = hsi_predecessors(w->pb->graph, vertex, &count);
    const double   *bytes = hsi_predecessor_bytes(w->pb->graph, vertex);

    for (size_t i = 0; i < count; i++)
        raise_path(w, before[i], w->transfers && bytes ? mean_transfer(w, bytes[i]) + path : path);
}

static void raise_along_data(longest_paths *w, uint32_t task, double path)
{
    size_t           count;
    const hs_access *access = hsi_accesses(w->pb->graph, task, &count);

    for (size_t i = 0; i < count; i++)
        if (access[i].mode & HS_READ && access[i].writer != HS_NONE)
            raise_path(w, access[i].writer,
                       mean_transfer(w, hs_instance_handle_bytes(w->in, access[i].data)) + path);
}

static hs_status compute_ranks(longest_paths *w, double *rank)
{
    const hs_graph *g = w->pb->graph;

    for (size_t i = g->vertices; i-- > 0;) {
        uint32_t vertex = hsi_vertex_at_position(g, i);
        double   path = w->behind[vertex];

        if (!hsi_is_barrier(g, vertex)) {
            double time = w->time(w->pb, vertex);

            rank[vertex] = time + path;
            path = w->one_step ? time : rank[vertex];
        }
        raise_along_edges(w, vertex, path);
        if (w->transfers && !hsi_is_barrier(g, vertex))
            raise_along_data(w, vertex, path);
        if (hsi_poll_at_iteration(w->pb->token, i))
            return HS_ECANCELED;
    }
    return HS_OK;
}

static hs_status rank_all(longest_paths *w, double *rank)
{
    const hsi_problem *pb = w->pb;
    hs_status          st;

    if (!pb->graph) {
        for (size_t i = 0; i < pb->n && !hsi_poll_at_iteration(pb->token, i); i++)
            rank[i] = w->time(pb, i);
        return HS_OK;
    }
    w->transfers &= pb->links->has[HS_H2D];
    if (w->transfers && pb->nodes)
        count_pairs(w);
    w->behind = hsi_large_pages_zeroed(pb->graph->vertices + 1, sizeof *w->behind);
    if (!w->behind)
        return HS_ENOMEM;
    st = compute_ranks(w, rank);
    free(w->behind);
    return st;
}

hs_status hsi_ranks(const hs_instance *in, const hsi_problem *pb, hs_rank which, double *rank)
{
    longest_paths w = {.in = in,
                       .pb = pb,
                       .time = which == HS_RANK_MIN ? hsi_min_time : hsi_mean_time,
                       .transfers = which == HS_RANK_AVG};

    return rank_all(&w, rank);
}

hs_status hsi_one_edge_ranks(const hs_instance *in, const hsi_problem *pb, double *rank)
{
    longest_paths w = {.in = in, .pb = pb, .time = hsi_mean_time, .transfers = 1, .one_step = true};

    return rank_all(&w, rank);
}

/* Convert ranks to integers: the bits of numbers >= 0 have their order. */
hs_status hsi_rank_numbers(const hs_instance *in, const hsi_problem *pb, hs_rank which,
                           int64_t *number)
{
    double   *rank;
    hs_status st;

    if (which == HS_RANK_GIVEN || which == HS_RANK_FIFO) {
        for (size_t i = 0; i < pb->n && !hsi_poll_at_iteration(pb->token, i); i++)
            number[i] = which == HS_RANK_GIVEN ? hsi_priority_of(pb, i) : 0;
        return HS_OK;
    }
    rank = hsi_large_pages_alloc((pb->n + 1) * sizeof *rank);
    if (!rank)
        return HS_ENOMEM;
    st = hsi_ranks(in, pb, which, rank);
    for (size_t i = 0; i < pb->n && st == HS_OK && !hsi_poll_at_iteration(pb->token, i); i++)
        number[i] = (int64_t)hsi_key_of_double(rank[i]);
    free(rank);
    return st;
}
