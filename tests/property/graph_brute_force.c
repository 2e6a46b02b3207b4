/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph_brute_force.h"

#include <math.h>

double graph_arrival(const graph_sample *s, size_t task, uint32_t node, const double *end,
                     const uint32_t *node_of)
{
    double last = 0;

    for (size_t from = 0; from < s->n; from++)
        if (s->edge[from][task])
            last = fmax(last, end[from] + hs_instance_transfer_time(s->in, node_of[from], node,
                                                                    s->bytes[from][task]));
    for (size_t d = 0; d < s->data; d++) {
        int writer = s->writer[task][d];

        if (!(s->mode[task][d] & HS_READ))
            continue;
        if (writer < 0)
            last = fmax(last, hs_instance_transfer_time(s->in, s->home[d], node, s->size[d]));
        else
            last = fmax(last, end[writer] + hs_instance_transfer_time(s->in, node_of[writer], node,
                                                                      s->size[d]));
    }
    return last;
}

/* Number of ordered pairs of workers of some types, in one node and in two. */
typedef struct pairs {
    double near[2][2], far[2][2];
} pairs;

static pairs count_pairs(const graph_sample *s, double bytes, double *sum)
{
    pairs p = {{{0}}, {{0}}};

    *sum = 0;
    for (unsigned a = 0; a < s->m + s->k; a++)
        for (unsigned b = 0; b < s->m + s->k; b++) {
            bool same = hs_instance_node_of(s->in, a) == hs_instance_node_of(s->in, b);

            *sum += hs_instance_transfer_time(s->in, hs_instance_memory_node(s->in, a),
                                              hs_instance_memory_node(s->in, b), bytes);
            if (a != b)
                (same ? p.near : p.far)[a >= s->m][b >= s->m]++;
        }
    return p;
}

static double link_time(const graph_sample *s, hs_link link, double bytes)
{
    double latency = 0, bandwidth = 1;

    (void)hs_instance_link(s->in, link, &latency, &bandwidth);
    return bytes > 0 ? latency + bytes / bandwidth : 0;
}

double graph_mean_transfer(const graph_sample *s, double bytes)
{
    double m = s->m, k = s->k, there = link_time(s, HS_H2D, bytes),
           back = link_time(s, HS_D2H, bytes), across = link_time(s, HS_N2N, bytes), sum, mean;
    double latency, bandwidth;
    double peers = hs_instance_link(s->in, HS_D2D, &latency, &bandwidth)
                       ? link_time(s, HS_D2D, bytes)
                       : back + there;
    pairs  p = count_pairs(s, bytes, &sum);

    if (hs_instance_nodes(s->in) == 1)
        mean = (m * k * (there + back) + k * (k - 1) * peers) / ((m + k) * (m + k));
    else
        mean = (p.near[0][1] * (there + back) + p.near[1][1] * peers +
                (p.far[0][0] * across + p.far[0][1] * (across + there)) +
                (p.far[1][0] * (back + across) + p.far[1][1] * (back + across + there))) /
               ((m + k) * (m + k));
    GRAPH_REQUIRE(s, !s->links || fabs(mean - sum / ((m + k) * (m + k))) <= 1e-9 * (1 + mean),
                  "the mean of transfers of %g bytes is %g", bytes, sum / ((m + k) * (m + k)));
    return s->links ? mean : 0;
}

typedef struct search {
    const graph_sample *s;
    int                 done[GRAPH_TASKS];
    double              end[GRAPH_TASKS], free_at[2 * GRAPH_WORKERS];
    uint32_t            node_of[GRAPH_TASKS];
    double              best;
} search;

static bool is_ready(const search *q, size_t task)
{
    for (size_t from = 0; from < q->s->n; from++)
        if (q->s->edge[from][task] && !q->done[from])
            return false;
    return !q->done[task];
}

static void place_next_task(search *q, size_t placed, double makespan);

static void try_worker(search *q, size_t placed, double makespan, size_t task, unsigned worker)
{
    uint32_t node = hs_instance_memory_node(q->s->in, worker);
    double   time = worker < q->s->m ? q->s->p[task] : q->s->q[task];
    double   before = q->free_at[worker];
    double   start = fmax(before, graph_arrival(q->s, task, node, q->end, q->node_of));

    if (!(fmax(makespan, start + time) < q->best))
        return;
    q->done[task] = 1;
    q->end[task] = q->free_at[worker] = start + time;
    q->node_of[task] = node;
    place_next_task(q, placed + 1, fmax(makespan, start + time));
    q->done[task] = 0;
    q->free_at[worker] = before;
}

static void place_next_task(search *q, size_t placed, double makespan)
{
    if (placed == q->s->n) {
        q->best = makespan;
        return;
    }
    for (size_t task = 0; task < q->s->n; task++)
        for (unsigned w = 0; is_ready(q, task) && w < q->s->m + q->s->k; w++)
            try_worker(q, placed, makespan, task, w);
}

double graph_brute_force_rest(const graph_sample *s, const unsigned char *skip,
                              const uint32_t *skip_worker)
{
    search q = {.s = s, .best = INFINITY};
    size_t placed = 0;

    for (size_t task = 0; task < s->n; task++) {
        unsigned worker = skip[task] && skip_worker ? skip_worker[task] : HS_NONE;

        q.done[task] = skip[task];
        q.node_of[task] = worker < s->m + s->k ? hs_instance_memory_node(s->in, worker) : 0;
        placed += skip[task];
    }
    place_next_task(&q, placed, 0);
    return q.best;
}

double graph_brute_force(const graph_sample *s)
{
    const unsigned char none[GRAPH_TASKS] = {0};

    return graph_brute_force_rest(s, none, NULL);
}
