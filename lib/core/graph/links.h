/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_GRAPH_LINKS_H
#define HSI_CORE_GRAPH_LINKS_H

#include "core/node_list.h"

/*
 * Links between memory nodes. With N nodes, memory node v < N is the memory of host v, shared by
 * the CPUs of node v; memory node N + g is GPU g. A zeroed structure
 * means that transfers take no time.
 */
typedef struct hsi_links {
    int    has[HS_LINKS];
    double latency[HS_LINKS];
    double bandwidth[HS_LINKS]; /* bytes per second */
    double second;              /* units of time per second */
} hsi_links;

static inline double hsi_link_time(const hsi_links *links, hs_link link, double bytes)
{
    return links->latency[link] + bytes * links->second / links->bandwidth[link];
}

/* Return the time of a transfer of `bytes` between two memory nodes of one node. */
static inline double hsi_transfer_time(const hsi_links *links, uint32_t from, uint32_t to,
                                       double bytes)
{
    if (from == to || !(bytes > 0) || !links->has[HS_H2D])
        return 0;
    if (from == 0)
        return hsi_link_time(links, HS_H2D, bytes);
    if (to == 0)
        return hsi_link_time(links, HS_D2H, bytes);
    if (links->has[HS_D2D])
        return hsi_link_time(links, HS_D2D, bytes);
    return hsi_link_time(links, HS_D2H, bytes) + hsi_link_time(links, HS_H2D, bytes);
}

/* Return the memory node of a worker, given the nodes (NULL: one) and the number of CPUs. */
static inline uint32_t hsi_memory_node(const hsi_node_list *nodes, unsigned cpus, unsigned worker)
{
    if (!nodes)
        return worker < cpus ? 0 : worker - cpus + 1;
    return worker < cpus ? hsi_node_of(nodes, HS_CPU, worker) : worker - cpus + nodes->count;
}

/* Return the node of a memory node. */
static inline uint32_t hsi_node_of_memory(const hsi_node_list *nodes, uint32_t memory)
{
    return memory < nodes->count ? memory : hsi_node_of(nodes, HS_GPU, memory - nodes->count);
}

/* Return the time of a transfer of `bytes` between two memory nodes: between nodes it goes from a
 * GPU to its host, to the other host, and on to a GPU. `nodes`: NULL: one node. */
static inline double hsi_link_time_between(const hsi_links *links, const hsi_node_list *nodes,
                                           uint32_t from, uint32_t to, double bytes)
{
    double time = 0;

    if (!nodes)
        return hsi_transfer_time(links, from, to, bytes);
    if (from == to || !(bytes > 0) || !links->has[HS_H2D])
        return 0;
    if (hsi_node_of_memory(nodes, from) == hsi_node_of_memory(nodes, to))
        return hsi_transfer_time(links, from < nodes->count ? 0 : 1,
                                 to < nodes->count ? 0 : 2, bytes);
    if (from >= nodes->count)
        time = hsi_link_time(links, HS_D2H, bytes);
    time += hsi_link_time(links, HS_N2N, bytes);
    return to < nodes->count ? time : time + hsi_link_time(links, HS_H2D, bytes);
}

#endif
