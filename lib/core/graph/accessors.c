/* SPDX-License-Identifier: BSD-3-Clause */
/* The public functions on graphs. */
#include "core/graph/graph.h"
#include "core/graph/relations.h"

int hs_instance_has_graph(const hs_instance *in)
{
    return hsi_store_has_graph(in->store);
}

int hs_instance_predecessor(const hs_instance *in, size_t row, size_t index, size_t *earlier,
                            uint32_t *copy, double *bytes)
{
    const hsi_relations *relations = in->store->relations;
    size_t               i;

    if (!relations || !relations->edge_at ||
        index >= relations->edge_at[row + 1] - relations->edge_at[row])
        return 0;
    i = relations->edge_at[row] + index;
    *earlier = relations->from[i];
    *copy = relations->copy ? relations->copy[i] : 0;
    *bytes = relations->bytes ? relations->bytes[i] : 0;
    return 1;
}

int hs_instance_access(const hs_instance *in, size_t row, size_t index, size_t *data,
                       hs_access_mode *mode)
{
    const hsi_relations *relations = in->store->relations;
    uint32_t             access;

    if (!relations || !relations->access_at ||
        index >= relations->access_at[row + 1] - relations->access_at[row])
        return 0;
    access = relations->access[relations->access_at[row] + index];
    *data = access >> 2;
    *mode = (hs_access_mode)(access & 3);
    return 1;
}

const char *hs_instance_handle_name(const hs_instance *in, size_t data)
{
    const hsi_relations *relations = in->store->relations;

    return relations && data < relations->data.count ? hsi_data_name(&relations->data, data) : NULL;
}

double hs_instance_handle_bytes(const hs_instance *in, size_t data)
{
    const hsi_relations *relations = in->store->relations;

    return relations && data < relations->data.count ? hsi_data_bytes(&relations->data, data) : 0;
}

uint32_t hs_instance_handle_memory_node(const hs_instance *in, size_t data)
{
    const hsi_relations *relations = in->store->relations;
    uint32_t             memory =
        relations && data < relations->data.count ? hsi_data_memory(&relations->data, data) : 0;

    if (memory >= HSI_GPU_MEMORY)
        return memory - HSI_GPU_MEMORY < in->gpus
                   ? (uint32_t)hs_instance_nodes(in) + memory - HSI_GPU_MEMORY
                   : 0;
    return memory < hs_instance_nodes(in) ? memory : 0;
}

int hs_instance_link(const hs_instance *in, hs_link link, double *latency, double *bandwidth)
{
    const hsi_relations *relations = in->store->relations;

    if (!relations || link < 0 || link >= HS_LINKS || !relations->links.has[link])
        return 0;
    *latency = relations->links.latency[link];
    *bandwidth = relations->links.bandwidth[link];
    return 1;
}

uint32_t hs_instance_memory_node(const hs_instance *in, unsigned worker)
{
    return hsi_memory_node(hsi_several_nodes(in), in->cpus, worker);
}

double hs_instance_transfer_time(const hs_instance *in, uint32_t from, uint32_t to, double bytes)
{
    const hsi_relations *relations = in->store->relations;

    return relations ? hsi_link_time_between(&relations->links, hsi_several_nodes(in), from, to,
                                             bytes)
                     : 0;
}

hs_status hs_instance_graph(const hs_instance *in, const hs_graph **out)
{
    return in && out ? hsi_graph_of(in, NULL, out) : HS_EINVAL;
}

size_t hs_graph_vertex_count(const hs_graph *g)
{
    return g->vertices;
}

const uint32_t *hs_graph_predecessors(const hs_graph *g, size_t vertex, size_t *count,
                                      const double **bytes)
{
    if (bytes)
        *bytes = hsi_predecessor_bytes(g, vertex);
    return hsi_predecessors(g, vertex, count);
}

const uint32_t *hs_graph_successors(const hs_graph *g, size_t vertex, size_t *count)
{
    return hsi_successors(g, vertex, count);
}

size_t hs_graph_position(const hs_graph *g, size_t task)
{
    return hsi_position(g, task);
}

const hs_access *hs_graph_accesses(const hs_graph *g, size_t task, size_t *count)
{
    return hsi_accesses(g, task, count);
}
