/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_GRAPH_LINKS_H
#define HSI_CORE_GRAPH_LINKS_H

#include <hybridsched/instance.h>

/*
 * Links between memory nodes: node 0 is the host, shared by all CPUs; node 1 + g is GPU g. A zeroed
 * structure means that transfers take no time.
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

/* Return the time of a transfer of `bytes` between two nodes. */
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

/* Return the memory node of a worker, given the number of CPUs. */
static inline uint32_t hsi_memory_node(unsigned cpus, unsigned worker)
{
    return worker < cpus ? 0 : worker - cpus + 1;
}

#endif
