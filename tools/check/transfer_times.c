/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of transfers, from the instance's links; hsched-certificates(5) defines their rounding. */
#include "check/transfer_times.h"

#include <math.h>

enum { LOOK = 16 }; /* steps counted for each edge that is visited */

hs_status transfer_times_open(transfer_times *t, const hs_instance *in)
{
    static const double units[] = {1, 1e3, 1e6, 1e9}; /* per second, by hs_unit */

    *t = (transfer_times){.in = in, .second = units[hs_instance_unit(in)]};
    for (int link = 0; link < HS_LINKS; link++)
        t->has[link] = hs_instance_link(in, (hs_link)link, &t->latency[link], &t->bandwidth[link]);
    return hs_instance_graph(in, &t->g);
}

static double link_time(const transfer_times *t, hs_link link, double bytes)
{
    return t->latency[link] + bytes * t->second / t->bandwidth[link];
}

double transfer_time_to(const transfer_times *t, int type, double bytes)
{
    return t->has[HS_H2D] && bytes > 0 ? link_time(t, type == HS_GPU ? HS_H2D : HS_D2H, bytes) : 0;
}

/* A memory: the host of a node, or the memory of a GPU. */
typedef struct memory {
    size_t number, node;
    bool   is_host;
} memory;

static memory memory_at(const transfer_times *t, size_t number)
{
    size_t   hosts = hs_instance_nodes(t->in);
    unsigned gpu = hs_instance_cpus(t->in) + (unsigned)(number - hosts);

    return number < hosts ? (memory){number, number, true}
                          : (memory){number, hs_instance_node_of(t->in, gpu), false};
}

/* Return the time of a transfer between two memories. */
static double time_between(const transfer_times *t, memory from, memory to, double bytes)
{
    double time = 0;

    if (from.number == to.number || !(bytes > 0) || !t->has[HS_H2D])
        return 0;
    if (from.node == to.node && !from.is_host && !to.is_host && t->has[HS_D2D])
        return link_time(t, HS_D2D, bytes);
    if (!from.is_host)
        time = link_time(t, HS_D2H, bytes);
    if (from.node != to.node)
        time += link_time(t, HS_N2N, bytes);
    return to.is_host ? time : time + link_time(t, HS_H2D, bytes);
}

/* Raise *bytes to the largest piece on a path from a task to a vertex through barriers only, whose
 * later edges carry up to `most` bytes. */
static bool follow_barriers(const transfer_times *t, uint32_t from, uint32_t vertex, double most,
                            limits *l, double *bytes)
{
    size_t          count, tasks = hs_instance_tasks(t->in);
    const double   *piece;
    const uint32_t *before = hs_graph_predecessors(t->g, vertex, &count, &piece);

    if (!limits_allow(l, LOOK * (1 + (uint64_t)count)))
        return false;
    for (size_t i = 0; i < count; i++) {
        double larger = piece && piece[i] > most ? piece[i] : most;

        if (before[i] == from && larger > *bytes)
            *bytes = larger;
        if (before[i] >= tasks && !follow_barriers(t, from, before[i], larger, l, bytes))
            return false;
    }
    return true;
}

bool transfer_bytes(const transfer_times *t, uint32_t from, uint32_t to, limits *l, double *bytes)
{
    size_t           count;
    const hs_access *access = hs_graph_accesses(t->g, to, &count);

    *bytes = 0;
    for (size_t i = 0; i < count; i++)
        if (access[i].mode & HS_READ && access[i].writer == from &&
            hs_instance_handle_bytes(t->in, access[i].data) > *bytes)
            *bytes = hs_instance_handle_bytes(t->in, access[i].data);
    return limits_allow(l, LOOK * (uint64_t)count) && follow_barriers(t, from, to, 0, l, bytes);
}

/* Return the time at which all inputs of a task that no task has written can be in a memory. */
static double arrival(const transfer_times *t, uint32_t task, memory to)
{
    size_t           count;
    const hs_access *access = hs_graph_accesses(t->g, task, &count);
    double           last = 0;

    for (size_t i = 0; i < count; i++) {
        uint32_t data = access[i].data;
        double   time;

        if (!(access[i].mode & HS_READ) || access[i].writer != HS_NONE)
            continue;
        time = time_between(t, memory_at(t, hs_instance_handle_memory_node(t->in, data)), to,
                            hs_instance_handle_bytes(t->in, data));
        if (time > last)
            last = time;
    }
    return last;
}

double transfer_first_arrival(const transfer_times *t, uint32_t task, int type)
{
    size_t hosts = hs_instance_nodes(t->in), first = type == HS_GPU ? hosts : 0;
    size_t last = type == HS_GPU ? hosts + hs_instance_gpus(t->in) : hosts;
    double least = INFINITY;

    for (size_t number = first; number < last; number++)
        least = fmin(least, arrival(t, task, memory_at(t, number)));
    return first < last ? least : 0;
}
