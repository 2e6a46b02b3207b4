/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_GRAPH_LINKS_H
#define HSI_CORE_GRAPH_LINKS_H

#include <hybridsched/instance.h>

/*
 * The ways between memory nodes: node 0 is the host's, which all CPUs share, node 1 + g that of
 * GPU g. All zero: transfers take no time.
 */
typedef struct hsi_links {
    int    has[HS_LINKS];
    double latency[HS_LINKS];
    double bandwidth[HS_LINKS]; /* bytes a second */
    double second;              /* units of time in one */
} hsi_links;

static inline double hsi_link_time(const hsi_links *links, hs_link link, double bytes)
{
    return links->latency[link] + bytes * links->second / links->bandwidth[link];
}

/* T: what it takes to move so many bytes from node to node. */
static inline double hsi_transfer(const hsi_links *links, uint32_t from, uint32_t to, double bytes)
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

/* Of a worker, where there are so many CPUs. */
static inline uint32_t hsi_memory_node(unsigned cpus, unsigned worker)
{
    return worker < cpus ? 0 : worker - cpus + 1;
}

#endif
