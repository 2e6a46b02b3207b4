/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph_sample.h"

#include <math.h>

/* Add as edges to `to` every task that leads to `vertex` directly or through barriers. */
static void expand_barriers(graph_sample *s, const hs_graph *g, size_t vertex, size_t to,
                            double bytes)
{
    size_t          count;
    const double   *piece;
    const uint32_t *pred = hs_graph_predecessors(g, vertex, &count, &piece);

    for (size_t i = 0; i < count; i++) {
        double most = piece && piece[i] > bytes ? piece[i] : bytes;

        if (pred[i] >= s->n) {
            expand_barriers(s, g, pred[i], to, most);
            continue;
        }
        s->edge[pred[i]][to] = 1;
        if (most > s->bytes[pred[i]][to])
            s->bytes[pred[i]][to] = most;
    }
}

void graph_sample_write_out(graph_sample *s)
{
    const hs_graph *g = NULL;

    GRAPH_REQUIRE(s, hs_instance_graph(s->in, &g) == HS_OK, "out of memory");
    for (size_t t = 0; t < s->n; t++) {
        s->p[t] = s->m ? hs_instance_time(s->in, t, HS_CPU) : INFINITY;
        s->q[t] = s->k ? hs_instance_time(s->in, t, HS_GPU) : INFINITY;
        s->priority[t] = hs_instance_priority(s->in, t);
        s->restartable[t] = hs_instance_is_restartable(s->in, t);
        s->position[t] = g ? hs_graph_position(g, t) : t;
        for (size_t d = 0; d < GRAPH_DATA; d++)
            s->writer[t][d] = -1;
        if (!g)
            continue;
        expand_barriers(s, g, t, t, 0);
        size_t           count;
        const hs_access *access = hs_graph_accesses(g, t, &count);

        for (size_t i = 0; i < count; i++) {
            s->mode[t][access[i].data] = (int)access[i].mode;
            s->writer[t][access[i].data] =
                access[i].writer == HS_NONE ? -1 : (int)access[i].writer;
        }
    }
    for (s->data = 0; hs_instance_handle_name(s->in, s->data); s->data++)
        s->size[s->data] = hs_instance_handle_bytes(s->in, s->data);
}
