/* SPDX-License-Identifier: BSD-3-Clause */
/* Locations of data and arrival times. */
#include <math.h>

#include "literal_law.h"

static double earlier_arrival(double existing, double transferred)
{
    return existing >= 0 && existing < transferred ? existing : transferred;
}

static double arrival_of_edge(law *l, int from, int task, uint32_t to, double now)
{
    uint32_t at = (uint32_t)l->node[from];

    return earlier_arrival(
        l->piece[from][task][to],
        now + hs_instance_transfer_time(l->s->in, at, to, l->s->bytes[from][task]));
}

static double arrival_of_handle(law *l, int task, size_t handle, uint32_t to, double now)
{
    int      writer = l->s->writer[task][handle];
    uint32_t at = writer < 0 ? l->s->home[handle] : (uint32_t)l->node[writer];

    return earlier_arrival(l->copy[writer + 1][handle][to],
                           now + hs_instance_transfer_time(l->s->in, at, to, l->s->size[handle]));
}

static bool is_predecessor(const law *l, int from, int task)
{
    return l->s->edge[from][task] && l->s->bytes[from][task] > 0;
}

double law_arrival(law *l, int task, int worker)
{
    uint32_t to = node_of(l, worker);
    double   last = l->now;

    for (int from = 0; from < (int)l->s->n; from++)
        if (is_predecessor(l, from, task))
            last = fmax(last, arrival_of_edge(l, from, task, to, l->now));
    for (size_t d = 0; d < GRAPH_DATA; d++)
        if (l->s->mode[task][d] & HS_READ)
            last = fmax(last, arrival_of_handle(l, task, d, to, l->now));
    return last;
}

/* Return the bytes of the inputs that are not at the worker now; all bytes of edges arrive together. */
double law_awaited_bytes(law *l, int task, int worker)
{
    uint32_t to = node_of(l, worker);
    double   last = l->now, sum = 0, bytes = 0;

    for (int from = 0; from < (int)l->s->n; from++)
        if (is_predecessor(l, from, task)) {
            last = fmax(last, arrival_of_edge(l, from, task, to, l->now));
            bytes += (uint32_t)l->node[from] != to ? l->s->bytes[from][task] : 0;
        }
    sum = last > l->now ? bytes : 0;
    for (size_t d = 0; d < GRAPH_DATA; d++)
        if (l->s->mode[task][d] & HS_READ && arrival_of_handle(l, task, d, to, l->now) > l->now)
            sum += l->s->size[d];
    return sum;
}

/* Return the longest single transfer that has not started. */
double law_longest_transfer(law *l, int task, int worker)
{
    uint32_t to = node_of(l, worker);
    double   longest = 0;

    for (int from = 0; from < (int)l->s->n; from++)
        if (is_predecessor(l, from, task) && l->piece[from][task][to] < 0)
            longest = fmax(longest, hs_instance_transfer_time(l->s->in, (uint32_t)l->node[from], to,
                                                              l->s->bytes[from][task]));
    for (size_t d = 0; d < GRAPH_DATA; d++) {
        int writer = l->s->writer[task][d];

        if (l->s->mode[task][d] & HS_READ && l->copy[writer + 1][d][to] < 0)
            longest =
                fmax(longest,
                     hs_instance_transfer_time(l->s->in, writer < 0 ? l->s->home[d] : (uint32_t)l->node[writer],
                                               to, l->s->size[d]));
    }
    return longest;
}

static void record_transfer(const law *l, int maker, uint32_t to, double bytes, uint32_t data)
{
    hs_transfer move = {.start = l->now, .bytes = bytes, .data = data, .to = to};

    move.from = maker < 0 ? l->s->home[data] : (uint32_t)l->node[maker];
    if (l->rules->moves)
        literal_add_transfer(l->s, l->rules->moves, move);
}

void law_start_transfers(law *l, int task, int worker)
{
    uint32_t to = node_of(l, worker);

    for (int from = 0; from < (int)l->s->n; from++)
        if (is_predecessor(l, from, task)) {
            if (l->piece[from][task][to] < 0)
                record_transfer(l, from, to, l->s->bytes[from][task], UINT32_MAX);
            l->piece[from][task][to] = arrival_of_edge(l, from, task, to, l->now);
        }
    for (size_t d = 0; d < GRAPH_DATA; d++)
        if (l->s->mode[task][d] & HS_READ) {
            double *copy = &l->copy[l->s->writer[task][d] + 1][d][to];

            if (*copy < 0)
                record_transfer(l, l->s->writer[task][d], to, l->s->size[d], (uint32_t)d);
            *copy = arrival_of_handle(l, task, d, to, l->now);
        }
}

/* Return the arrival of a planned task's inputs: transfers start when data is produced, because the
 * plan determines their target. */
double law_planned_arrival(law *l, int task, int worker)
{
    uint32_t to = node_of(l, worker);
    double   last = l->now;

    for (int from = 0; from < (int)l->s->n; from++)
        if (is_predecessor(l, from, task))
            last = fmax(last, l->done_at[from] +
                                  hs_instance_transfer_time(l->s->in, (uint32_t)l->node[from], to,
                                                            l->s->bytes[from][task]));
    for (size_t d = 0; d < GRAPH_DATA; d++) {
        int writer = l->s->writer[task][d];

        if (l->s->mode[task][d] & HS_READ)
            last = fmax(last, (writer < 0 ? 0 : l->done_at[writer]) +
                                  hs_instance_transfer_time(
                                      l->s->in, writer < 0 ? l->s->home[d] : (uint32_t)l->node[writer], to,
                                      l->s->size[d]));
    }
    return last;
}
