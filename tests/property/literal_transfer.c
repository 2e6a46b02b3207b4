/* SPDX-License-Identifier: BSD-3-Clause */
/* Locations of data and arrival times. */
#include <math.h>

#include "literal_law.h"

static double earlier(double copy, double there)
{
    return copy >= 0 && copy < there ? copy : there;
}

static double bring_piece(law *l, int from, int t, uint32_t to, double now)
{
    uint32_t at = (uint32_t)l->node[from];

    return earlier(l->piece[from][t][to],
                   now + hs_instance_transfer_time(l->s->in, at, to, l->s->bytes[from][t]));
}

static double bring_data(law *l, int t, size_t d, uint32_t to, double now)
{
    int      writer = l->s->writer[t][d];
    uint32_t at = writer < 0 ? 0 : (uint32_t)l->node[writer];

    return earlier(l->copy[writer + 1][d][to],
                   now + hs_instance_transfer_time(l->s->in, at, to, l->s->size[d]));
}

static bool makes_piece(const law *l, int from, int t)
{
    return l->s->edge[from][t] && l->s->bytes[from][t] > 0;
}

double law_arrival(law *l, int t, int w)
{
    uint32_t to = node_of(l, w);
    double   last = l->now;

    for (int from = 0; from < (int)l->s->n; from++)
        if (makes_piece(l, from, t))
            last = fmax(last, bring_piece(l, from, t, to, l->now));
    for (size_t d = 0; d < GRAPH_DATA; d++)
        if (l->s->mode[t][d] & HS_READ)
            last = fmax(last, bring_data(l, t, d, to, l->now));
    return last;
}

/* Return the longest single transfer that has not started. */
double law_longest_transfer(law *l, int t, int w)
{
    uint32_t to = node_of(l, w);
    double   longest = 0;

    for (int from = 0; from < (int)l->s->n; from++)
        if (makes_piece(l, from, t) && l->piece[from][t][to] < 0)
            longest = fmax(longest, hs_instance_transfer_time(l->s->in, (uint32_t)l->node[from], to,
                                                              l->s->bytes[from][t]));
    for (size_t d = 0; d < GRAPH_DATA; d++) {
        int writer = l->s->writer[t][d];

        if (l->s->mode[t][d] & HS_READ && l->copy[writer + 1][d][to] < 0)
            longest =
                fmax(longest,
                     hs_instance_transfer_time(l->s->in, writer < 0 ? 0 : (uint32_t)l->node[writer],
                                               to, l->s->size[d]));
    }
    return longest;
}

static void note(const law *l, int maker, uint32_t to, double bytes, uint32_t data)
{
    hs_transfer move = {.start = l->now, .bytes = bytes, .data = data, .to = to};

    move.from = maker < 0 ? 0 : (uint32_t)l->node[maker];
    if (l->rules->moves)
        literal_move(l->s, l->rules->moves, move);
}

void law_start_transfers(law *l, int t, int w)
{
    uint32_t to = node_of(l, w);

    for (int from = 0; from < (int)l->s->n; from++)
        if (makes_piece(l, from, t)) {
            if (l->piece[from][t][to] < 0)
                note(l, from, to, l->s->bytes[from][t], UINT32_MAX);
            l->piece[from][t][to] = bring_piece(l, from, t, to, l->now);
        }
    for (size_t d = 0; d < GRAPH_DATA; d++)
        if (l->s->mode[t][d] & HS_READ) {
            double *copy = &l->copy[l->s->writer[t][d] + 1][d][to];

            if (*copy < 0)
                note(l, l->s->writer[t][d], to, l->s->size[d], (uint32_t)d);
            *copy = bring_data(l, t, d, to, l->now);
        }
}

/* Return the arrival of a planned task's inputs: transfers start when data is produced, because the
 * plan determines their target. */
double law_planned_arrival(law *l, int t, int w)
{
    uint32_t to = node_of(l, w);
    double   last = l->now;

    for (int from = 0; from < (int)l->s->n; from++)
        if (makes_piece(l, from, t))
            last = fmax(last, l->done_at[from] +
                                  hs_instance_transfer_time(l->s->in, (uint32_t)l->node[from], to,
                                                            l->s->bytes[from][t]));
    for (size_t d = 0; d < GRAPH_DATA; d++) {
        int writer = l->s->writer[t][d];

        if (l->s->mode[t][d] & HS_READ)
            last = fmax(last, (writer < 0 ? 0 : l->done_at[writer]) +
                                  hs_instance_transfer_time(
                                      l->s->in, writer < 0 ? 0 : (uint32_t)l->node[writer], to,
                                      l->s->size[d]));
    }
    return last;
}
