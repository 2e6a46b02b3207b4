/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The builder's functions on links, data and dependencies, and the check of the graph when all rows
 * are present.
 */
#include <math.h>
#include <stdlib.h>

#include "core/builder.h"
#include "core/graph/graph.h"
#include "support/hash.h"

static hs_status begin_relations(hs_builder *b)
{
    hsi_relations *relations = b->content.relations;

    if (relations)
        return HS_OK;
    b->content.relations = relations = calloc(1, sizeof *relations);
    if (!relations)
        return HS_ENOMEM;
    relations->data.seed = hsi_hash_mix((uintptr_t)relations, 0x8ebc6af09c88c6e3u);
    return HS_OK;
}

static bool is_size(double bytes)
{
    return bytes >= 0 && bytes < INFINITY;
}

hs_status hs_builder_add_predecessor(hs_builder *b, size_t row, size_t earlier, uint32_t copy,
                                     double bytes)
{
    hsi_edge  edge = {(uint32_t)row, (uint32_t)earlier, copy};
    hs_status st;

    if (!b || row >= HS_MAX_TASKS || earlier >= HS_MAX_TASKS || !is_size(bytes))
        return HS_EINVAL;
    st = begin_relations(b);
    return st == HS_OK ? hsi_add_edge(&b->pending, &edge, bytes) : st;
}

hsi_data *hsi_builder_handles(hs_builder *b)
{
    return begin_relations(b) == HS_OK ? &b->content.relations->data : NULL;
}

hs_status hsi_builder_add_handle(hs_builder *b, hsi_text name, size_t *data)
{
    hsi_data *names = hsi_builder_handles(b);
    uint32_t  number = 0;
    hs_status st = names ? hsi_data_find_or_add(names, &name, 1, &number) : HS_ENOMEM;

    if (st == HS_OK)
        *data = number;
    return st;
}

hs_status hs_builder_add_handle(hs_builder *b, const char *name, size_t *data)
{
    size_t length = name ? strlen(name) : 0;

    if (!b || length == 0 || !data)
        return HS_EINVAL;
    return length > HS_MAX_ID ? HS_ETOOBIG
                              : hsi_builder_add_handle(b, (hsi_text){name, length}, data);
}

void hsi_builder_reserve_edges(hs_builder *b, size_t edges)
{
    (void)hsi_vector_reserve(&b->pending.edges, edges * sizeof(hsi_edge));
}

static bool is_data(const hs_builder *b, size_t data)
{
    return b && b->content.relations && data < b->content.relations->data.count;
}

hs_status hs_builder_set_handle_bytes(hs_builder *b, size_t data, double bytes)
{
    if (!is_data(b, data) || !is_size(bytes))
        return HS_EINVAL;
    ((double *)b->content.relations->data.bytes.data)[data] = bytes + 0.0; /* turn -0 into 0 */
    return HS_OK;
}

hs_status hs_builder_set_handle_memory(hs_builder *b, size_t data, hs_type type, unsigned number)
{
    unsigned most = type == HS_CPU ? HS_MAX_NODES : HS_MAX_WORKERS;

    if (!is_data(b, data) || (type != HS_CPU && type != HS_GPU) || number >= most)
        return HS_EINVAL;
    return hsi_data_set_memory(&b->content.relations->data, data,
                               type == HS_CPU ? number : HSI_GPU_MEMORY + number);
}

hs_status hs_builder_set_default_bytes(hs_builder *b, double bytes)
{
    hs_status st;

    if (!b || !is_size(bytes))
        return HS_EINVAL;
    st = begin_relations(b);
    if (st == HS_OK)
        b->content.relations->data.usual = bytes + 0.0;
    return st;
}

hs_status hs_builder_add_access(hs_builder *b, size_t row, size_t data, hs_access_mode mode)
{
    if (!is_data(b, data) || row >= HS_MAX_TASKS || mode < HS_READ || mode > HS_READ_WRITE)
        return HS_EINVAL;
    return hsi_add_access(&b->pending, row, (uint32_t)data << 2 | mode);
}

hs_status hs_builder_set_link(hs_builder *b, hs_link link, double latency, double bandwidth)
{
    hsi_links *links;

    if (!b || link < HS_H2D || link >= HS_LINKS || !is_size(latency) ||
        !(bandwidth > 0 && bandwidth < INFINITY))
        return HS_EINVAL;
    if (begin_relations(b) != HS_OK)
        return HS_ENOMEM;
    links = &b->content.relations->links;
    links->has[link] = 1;
    links->latency[link] = latency + 0.0;
    links->bandwidth[link] = bandwidth;
    return HS_OK;
}

static hs_status copy_links(hs_builder *b, const hs_instance *in)
{
    hs_status st = HS_OK;

    for (int link = 0; link < HS_LINKS && st == HS_OK; link++) {
        double latency, bandwidth;

        if (hs_instance_link(in, (hs_link)link, &latency, &bandwidth))
            st = hs_builder_set_link(b, (hs_link)link, latency, bandwidth);
    }
    return st;
}

/* Copy the default size of data to a builder without data and default. */
static hs_status copy_default_bytes(hs_builder *b, const hsi_data *from)
{
    const hsi_data *own = b->content.relations ? &b->content.relations->data : NULL;

    if (!(from->usual > 0) || (own && (own->count > 0 || own->usual > 0)))
        return HS_OK;
    return hs_builder_set_default_bytes(b, from->usual);
}

/* Copy the data and their memories; those of the default size have no size of their own if the
 * default is the same. */
static hs_status copy_data(hs_builder *b, const hs_instance *in)
{
    const char     *name;
    size_t          here;
    const hsi_data *from;
    hs_status       st;

    if (!in->store->relations)
        return HS_OK;
    from = &in->store->relations->data;
    st = copy_default_bytes(b, from);
    for (size_t i = 0; st == HS_OK && (name = hs_instance_handle_name(in, i)); i++) {
        st = hs_builder_add_handle(b, name, &here);
        if (st == HS_OK && (hsi_data_has_bytes(from, i) ||
                            b->content.relations->data.usual != from->usual))
            st = hs_builder_set_handle_bytes(b, here, hs_instance_handle_bytes(in, i));
        if (st == HS_OK && hsi_data_memory(from, i) != 0)
            st = hsi_data_set_memory(&b->content.relations->data, here, hsi_data_memory(from, i));
    }
    return st;
}

static hs_status copy_row(hs_builder *b, const hs_instance *in, size_t row)
{
    size_t         other;
    uint32_t       copy;
    double         bytes;
    hs_access_mode mode;
    hs_status      st = HS_OK;

    for (size_t i = 0; st == HS_OK && hs_instance_predecessor(in, row, i, &other, &copy, &bytes);
         i++)
        st = hs_builder_add_predecessor(b, row, other, copy, bytes);
    for (size_t i = 0; st == HS_OK && hs_instance_access(in, row, i, &other, &mode); i++) {
        st = hs_builder_add_handle(b, hs_instance_handle_name(in, other), &other);
        if (st == HS_OK)
            st = hs_builder_add_access(b, row, other, mode);
    }
    return st;
}

static hs_status copy_nodes(hs_builder *b, const hs_instance *in)
{
    const char *name;
    unsigned    cpus, gpus;
    hs_status   st = HS_OK;

    if (b->content.nodes.count > 0 || b->cpus != in->cpus || b->gpus != in->gpus)
        return HS_OK;
    for (size_t i = 0; st == HS_OK && (name = hs_instance_node(in, i, &cpus, &gpus)); i++)
        st = hs_builder_add_node(b, name, cpus, gpus);
    return st;
}

hs_status hs_builder_copy_graph(hs_builder *b, const hs_instance *in)
{
    hs_status st;

    if (!b || !in)
        return HS_EINVAL;
    st = copy_nodes(b, in);
    if (st == HS_OK)
        st = copy_links(b, in);
    if (st == HS_OK)
        st = copy_data(b, in);
    for (size_t row = 0; row < hs_instance_rows(in) && st == HS_OK; row++)
        st = copy_row(b, in, row);
    return st;
}

const size_t *hs_builder_cycle(const hs_builder *b, size_t *count)
{
    if (!b || !count || b->fault.kind != HSI_FAULT_CYCLE)
        return NULL;
    *count = b->fault.cycle.size / sizeof(size_t);
    return b->fault.cycle.data;
}

const hsi_fault *hsi_builder_graph_fault(const hs_builder *b)
{
    return &b->fault;
}

/* Check that h2d and d2h exist together, d2d and n2n only with them, and n2n with several nodes. */
static hs_status check_links(hsi_links *links, hs_unit unit, bool several_nodes)
{
    int both = links->has[HS_H2D];

    static const double second[] = {1, 1e3, 1e6, 1e9}; /* units per second, by hs_unit */

    links->second = second[unit];
    return both == links->has[HS_D2H] && links->has[HS_D2D] <= both &&
                   links->has[HS_N2N] <= both && (!both || !several_nodes || links->has[HS_N2N])
               ? HS_OK
               : HS_EINVAL;
}

hs_status hsi_builder_build_graph(hs_builder *b, hs_graph **graph, size_t *row)
{
    hsi_store *store = &b->content;
    hs_status  st;

    b->fault.kind = HSI_FAULT_NONE;
    *row = 0;
    if (!store->relations)
        return HS_OK;
    st = check_links(&store->relations->links, store->unit, store->nodes.count > 1);
    if (st == HS_OK)
        st = hsi_relations_finish(store->relations, &b->pending, store->rows,
                                  hsi_store_counts(store), &b->fault);
    if (st == HS_OK && hsi_store_has(store, HSI_AFTER)) { /* accesses alone cannot form a cycle */
        st = hsi_graph_build(store, true, NULL, graph, &b->fault.cycle);
        if (st == HS_EGRAPH) {
            b->fault.kind = HSI_FAULT_CYCLE;
            b->fault.row = *(size_t *)b->fault.cycle.data;
        }
    }
    if (st == HS_OK && store->first) { /* the graph of the tasks is built on demand */
        hsi_graph_free(*graph);
        *graph = NULL;
    }
    if (st == HS_EGRAPH)
        *row = b->fault.row;
    return st;
}
