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
            last = fmax(last, hs_instance_transfer_time(s->in, 0, node, s->size[d]));
        else
            last = fmax(last, end[writer] + hs_instance_transfer_time(s->in, node_of[writer], node,
                                                                      s->size[d]));
    }
    return last;
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

double graph_brute_force(const graph_sample *s)
{
    search q = {.s = s, .best = INFINITY};

    place_next_task(&q, 0, 0);
    return q.best;
}
