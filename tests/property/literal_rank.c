/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of tasks. */
#include <math.h>

#include "graph_brute_force.h"
#include "literal_law.h"

double law_min_time(const graph_sample *s, size_t task)
{
    return fmin(s->p[task], s->q[task]);
}

static double mean_time(const graph_sample *s, size_t task)
{
    if (isinf(s->p[task]) || isinf(s->q[task]))
        return law_min_time(s, task);
    return (s->m * s->p[task] + s->k * s->q[task]) / (s->m + s->k);
}

static double mean_transfer(const graph_sample *s, size_t task, size_t next)
{
    double bytes = s->bytes[task][next];

    for (size_t d = 0; d < GRAPH_DATA; d++)
        if (s->mode[next][d] & HS_READ && s->writer[next][d] == (int)task)
            bytes = fmax(bytes, s->size[d]);
    return graph_mean_transfer(s, bytes);
}

void literal_ranks(const graph_sample *s, hs_rank rank, double *out)
{
    for (size_t place = s->n; place-- > 0;)
        for (size_t t = 0; t < s->n; t++) {
            double way = 0;

            if (s->position[t] != place)
                continue;
            for (size_t next = 0; next < s->n; next++)
                if (s->edge[t][next])
                    way = fmax(way,
                               (rank == HS_RANK_AVG ? mean_transfer(s, t, next) : 0) + out[next]);
            out[t] = (rank == HS_RANK_AVG ? mean_time(s, t) : law_min_time(s, t)) + way;
        }
}

void literal_next_ranks(const graph_sample *s, double *out)
{
    for (size_t t = 0; t < s->n; t++) {
        double way = 0;

        for (size_t next = 0; next < s->n; next++)
            if (s->edge[t][next])
                way = fmax(way, mean_transfer(s, t, next) + mean_time(s, next));
        out[t] = mean_time(s, t) + way;
    }
}

/* Return the sign of rank a - rank b. */
int law_compare_ranks(const law *l, int a, int b)
{
    switch (l->rank) {
    case HS_RANK_GIVEN:
        return (l->s->priority[a] > l->s->priority[b]) - (l->s->priority[a] < l->s->priority[b]);
    case HS_RANK_FIFO:
        return (l->moment[a] > l->moment[b]) - (l->moment[a] < l->moment[b]);
    default:
        return (l->b[a] > l->b[b]) - (l->b[a] < l->b[b]);
    }
}

bool law_has_higher_rank(const law *l, int a, int b)
{
    int sign = law_compare_ranks(l, a, b);

    return sign ? sign > 0 : l->s->position[a] < l->s->position[b];
}

bool law_rank_is_path_length(const law *l)
{
    return l->rank == HS_RANK_MIN || l->rank == HS_RANK_AVG;
}
