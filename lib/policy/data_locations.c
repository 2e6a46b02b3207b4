/* SPDX-License-Identifier: BSD-3-Clause */
#include "policy/data_locations.h"

#include <stdlib.h>

#include "core/graph/graph.h"
#include "core/schedule_impl.h"

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* A request for data on node `to`. Transfers start at `now`, or with is_prefetch at the end of the
 * data's writer. */
typedef struct request {
    const hsi_data_locations *locations;
    uint32_t                  to;
    bool                      is_prefetch;
    double                    now;
} request;

static double transfer_end(const request *r, uint32_t from, double bytes)
{
    return hsi_transfer_time(r->locations->pb->links, from, r->to, bytes);
}

static double production_time(const request *r, uint32_t writer)
{
    if (!r->is_prefetch)
        return r->now;
    return writer == HS_NONE ? 0 : r->locations->end_of[writer];
}

static uint32_t node_of(const hsi_data_locations *locations, uint32_t writer)
{
    return writer == HS_NONE ? 0 : locations->node_of[writer];
}

/* Return the arrival of all data made for one vertex alone. `bytes` replaces the size of edges
 * without one. */
static double arrival_of_edges(const request *r, uint32_t vertex, double bytes)
{
    const hs_graph *g = r->locations->pb->graph;
    size_t          count;
    const uint32_t *before = hsi_predecessors(g, vertex, &count);
    const double   *of_edge = hsi_predecessor_bytes(g, vertex);
    double          last = r->now;

    for (size_t i = 0; i < count; i++) {
        double part = of_edge && of_edge[i] > 0 ? of_edge[i] : bytes;

        if (hsi_is_barrier(g, before[i]))
            last = larger(last, arrival_of_edges(r, before[i], part));
        else if (part > 0)
            last = larger(last, production_time(r, before[i]) +
                                    transfer_end(r, r->locations->node_of[before[i]], part));
    }
    return last;
}

static double *edge_arrival_slot(const hsi_data_locations *locations, uint32_t task, uint32_t node)
{
    return locations->own_arrival ? &locations->own_arrival[task * locations->nodes + node] : NULL;
}

static hsi_data_location *replica_of(const hsi_data_locations *locations, uint32_t data,
                                     uint32_t node)
{
    return &locations->replicas[data * locations->nodes + node];
}

static uint64_t version_of(const hs_access *access)
{
    return access->writer == HS_NONE ? 1 : (uint64_t)access->writer + 2;
}

static double replica_arrival(const request *r, const hs_access *access)
{
    const hsi_data_location *replica = replica_of(r->locations, access->data, r->to);
    double                   bytes = hs_instance_handle_bytes(r->locations->in, access->data);
    double                   there = production_time(r, access->writer) +
                   transfer_end(r, node_of(r->locations, access->writer), bytes);

    return replica->writer == version_of(access) && replica->arrival < there ? replica->arrival
                                                                             : there;
}

static double edge_arrival(const request *r, uint32_t task)
{
    const double *slot = edge_arrival_slot(r->locations, task, r->to);

    if (!slot)
        return r->now;
    return *slot > 0 ? *slot : arrival_of_edges(r, task, 0);
}

static double arrival_of_inputs(const request *r, uint32_t task)
{
    size_t           count;
    const hs_access *access = hsi_accesses(r->locations->pb->graph, task, &count);
    double           last = larger(r->now, edge_arrival(r, task));

    for (size_t i = 0; i < count; i++)
        if (access[i].mode & HS_READ)
            last = larger(last, replica_arrival(r, &access[i]));
    return last;
}

double hsi_locations_arrival(const hsi_data_locations *locations, uint32_t task, unsigned worker,
                             double now)
{
    request r = {locations, 0, false, now};

    if (!hsi_locations_are_tracked(locations))
        return now;
    r.to = hsi_memory_node(locations->pb->m, worker);
    return arrival_of_inputs(&r, task);
}

static size_t count_transfers(const hsi_data_locations *locations)
{
    return locations->transfers.size / sizeof(hs_transfer);
}

static void merge_transfer(hs_transfer *transfer, const hs_transfer *other)
{
    transfer->start = other->start < transfer->start ? other->start : transfer->start;
    transfer->end = larger(transfer->end, other->end);
    transfer->bytes += other->bytes;
}

/* Record a transfer that starts; merge it into an entry at index >= first with the same source. */
static void record_transfer(hsi_data_locations *locations, const request *r, uint32_t writer,
                            double bytes, uint32_t data, size_t first)
{
    hs_transfer t = {.bytes = bytes, .data = data, .from = node_of(locations, writer), .to = r->to};
    hs_transfer *list = locations->transfers.data;

    if (t.from == t.to || !(bytes > 0))
        return;
    t.start = production_time(r, writer);
    t.end = t.start + transfer_end(r, t.from, bytes);
    for (; first < count_transfers(locations); first++)
        if (list[first].from == t.from) {
            merge_transfer(&list[first], &t);
            return;
        }
    locations->has_lost_transfers |= hsi_vector_append(&locations->transfers, &t, sizeof t) != 0;
}

/* Record the transfers of the data that arrival_of_edges() waits for, part by part. */
static void record_edge_transfers(hsi_data_locations *locations, const request *r, uint32_t vertex,
                                  double bytes, size_t first)
{
    const hs_graph *g = locations->pb->graph;
    size_t          count;
    const uint32_t *before = hsi_predecessors(g, vertex, &count);
    const double   *of_edge = hsi_predecessor_bytes(g, vertex);

    for (size_t i = 0; i < count; i++) {
        double part = of_edge && of_edge[i] > 0 ? of_edge[i] : bytes;

        if (!hsi_is_barrier(g, vertex))
            first = count_transfers(locations);
        if (hsi_is_barrier(g, before[i]))
            record_edge_transfers(locations, r, before[i], part, first);
        else
            record_transfer(locations, r, before[i], part, UINT32_MAX, first);
    }
}

static void keep_edge_arrival(hsi_data_locations *locations, const request *r, uint32_t task)
{
    double *slot = edge_arrival_slot(locations, task, r->to);

    if (!slot)
        return;
    if (locations->records && !(*slot > 0))
        record_edge_transfers(locations, r, task, 0, 0);
    *slot = edge_arrival(r, task);
}

static void keep_replica(hsi_data_locations *locations, const request *r, const hs_access *access)
{
    hsi_data_location *replica = replica_of(locations, access->data, r->to);
    hsi_data_location  kept = {replica_arrival(r, access), version_of(access)};

    if (locations->records && (replica->writer != kept.writer || kept.arrival < replica->arrival))
        record_transfer(locations, r, access->writer,
                        hs_instance_handle_bytes(locations->in, access->data), access->data,
                        count_transfers(locations));
    *replica = kept;
}

static void keep_arrivals(hsi_data_locations *locations, const request *r, uint32_t task)
{
    size_t           count;
    const hs_access *access = hsi_accesses(locations->pb->graph, task, &count);

    keep_edge_arrival(locations, r, task);
    for (size_t i = 0; i < count; i++)
        if (access[i].mode & HS_READ)
            keep_replica(locations, r, &access[i]);
}

double hsi_locations_start_transfers(hsi_data_locations *locations, uint32_t task, unsigned worker,
                                     double now)
{
    request r = {locations, 0, false, now};

    if (!hsi_locations_are_tracked(locations))
        return now;
    r.to = hsi_memory_node(locations->pb->m, worker);
    keep_arrivals(locations, &r, task);
    return arrival_of_inputs(&r, task);
}

void hsi_locations_prefetch(hsi_data_locations *locations, uint32_t task, unsigned worker)
{
    request r = {locations, 0, true, 0};

    if (!hsi_locations_are_tracked(locations))
        return;
    r.to = hsi_memory_node(locations->pb->m, worker);
    keep_arrivals(locations, &r, task);
}

double hsi_locations_longest_transfer(const hsi_data_locations *locations, uint32_t task,
                                      unsigned worker)
{
    request          r = {locations, 0, false, 0}; /* all transfers start at 0 */
    double           longest = 0;
    size_t           count;
    const hs_access *access;

    if (!hsi_locations_are_tracked(locations))
        return 0;
    r.to = hsi_memory_node(locations->pb->m, worker);
    if (edge_arrival_slot(locations, task, r.to) &&
        !(*edge_arrival_slot(locations, task, r.to) > 0))
        longest = arrival_of_edges(&r, task, 0);
    access = hsi_accesses(locations->pb->graph, task, &count);
    for (size_t i = 0; i < count; i++)
        if (access[i].mode & HS_READ &&
            replica_of(locations, access[i].data, r.to)->writer != version_of(&access[i]))
            longest = larger(longest,
                             transfer_end(&r, node_of(locations, access[i].writer),
                                          hs_instance_handle_bytes(locations->in, access[i].data)));
    return longest;
}

void hsi_locations_record_end(hsi_data_locations *locations, uint32_t task, unsigned worker,
                              double now)
{
    if (!hsi_locations_are_tracked(locations))
        return;
    locations->node_of[task] = hsi_memory_node(locations->pb->m, worker);
    locations->end_of[task] = now;
}

static size_t count_handles(const hs_instance *in)
{
    size_t count = 0;

    while (hs_instance_handle_name(in, count))
        count++;
    return count;
}

hs_status hsi_locations_open(hsi_data_locations *locations, const hs_instance *in,
                             const hsi_problem *pb)
{
    size_t data;

    *locations = (hsi_data_locations){.in = in};
    if (!pb->graph || !pb->links->has[HS_H2D])
        return HS_OK;
    locations->pb = pb;
    locations->nodes = (size_t)pb->k + 1;
    locations->node_of = calloc(pb->n + 1, sizeof *locations->node_of);
    locations->end_of = calloc(pb->n + 1, sizeof *locations->end_of);
    data = pb->graph->access ? count_handles(in) : 0;
    if (pb->graph->bytes)
        locations->own_arrival =
            calloc(pb->n + 1, locations->nodes * sizeof *locations->own_arrival);
    if (data)
        locations->replicas = calloc(data, locations->nodes * sizeof *locations->replicas);
    if (locations->node_of && locations->end_of && (locations->own_arrival || !pb->graph->bytes) &&
        (locations->replicas || !data))
        return HS_OK;
    hsi_locations_close(locations);
    return HS_ENOMEM;
}

hs_status hsi_locations_move_transfers(hsi_data_locations *locations, hs_schedule *s)
{
    if (locations->has_lost_transfers)
        return HS_ENOMEM;
    hsi_schedule_move_transfers(s, &locations->transfers);
    return HS_OK;
}

void hsi_locations_close(hsi_data_locations *locations)
{
    hsi_vector_free(&locations->transfers);
    free(locations->node_of);
    free(locations->end_of);
    free(locations->own_arrival);
    free(locations->replicas);
    *locations = (hsi_data_locations){0};
}
