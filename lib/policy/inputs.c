/* SPDX-License-Identifier: BSD-3-Clause */
#include "policy/inputs.h"

#include <stdlib.h>

#include "core/graph/graph.h"
#include "core/schedule_impl.h"
#include "data/ledger_impl.h"

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* A request for data on node `to`. Transfers start at `now`, or with is_prefetch at the end of the
 * data's writer. */
typedef struct request {
    const hsi_inputs *inputs;
    uint32_t          to;
    bool              is_prefetch;
    double            now;
} request;

static double transfer_end(const request *r, uint32_t from, double bytes)
{
    const hsi_problem *pb = r->inputs->pb;

    return hsi_link_time_between(pb->links, pb->nodes, from, r->to, bytes);
}

static double production_time(const request *r, uint32_t writer)
{
    if (!r->is_prefetch)
        return r->now;
    return writer == HS_NONE ? 0 : r->inputs->end_of[writer];
}

/* Return the node on which a version was written, or on which the initial one lies. */
static uint32_t node_of_version(const hsi_inputs *inputs, uint32_t handle, uint32_t writer)
{
    return writer == HS_NONE ? hs_instance_handle_memory_node(inputs->pb->in, handle)
                             : inputs->node_of[writer];
}

/* Return the arrival of all data made for one vertex alone. `bytes` replaces the size of edges
 * without one. */
static double arrival_of_edges(const request *r, uint32_t vertex, double bytes)
{
    const hs_graph *g = r->inputs->pb->graph;
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
                                    transfer_end(r, r->inputs->node_of[before[i]], part));
    }
    return last;
}

static double *edge_arrival_slot(const hsi_inputs *inputs, uint32_t task, uint32_t node)
{
    return inputs->own_arrival ? &inputs->own_arrival[task * inputs->nodes + node] : NULL;
}

static const ledger_handle *handle_of(const request *r, const hs_access *access)
{
    return &r->inputs->ledger->handle[access->data];
}

/* Return true if the ledger has the version that a task reads. */
static bool is_recorded(const request *r, const hs_access *access)
{
    return handle_of(r, access)->newest == access->writer;
}

/* Return the node from which a transfer of the version takes it. */
static uint32_t source_of(const request *r, const hs_access *access)
{
    return is_recorded(r, access) ? handle_of(r, access)->source
                                  : node_of_version(r->inputs, access->data, access->writer);
}

/* Return when a transfer that starts now, or with is_prefetch at the end of the writer, is over. */
static double transfer_arrival(const request *r, const hs_access *access)
{
    return production_time(r, access->writer) +
           transfer_end(r, source_of(r, access), handle_of(r, access)->bytes);
}

/* Return true if the node has, or will have, the version that a task reads. */
static bool has_replica(const request *r, const hs_access *access)
{
    return is_recorded(r, access) &&
           replica_of(r->inputs->ledger, access->data, r->to)->version == access->writer;
}

static double replica_arrival(const request *r, const hs_access *access)
{
    double there = transfer_arrival(r, access), kept;

    if (!has_replica(r, access))
        return there;
    kept = replica_of(r->inputs->ledger, access->data, r->to)->arrival;
    return kept < there ? kept : there;
}

static double edge_arrival(const request *r, uint32_t task)
{
    const double *slot = edge_arrival_slot(r->inputs, task, r->to);

    if (!slot)
        return r->now;
    return *slot > 0 ? *slot : arrival_of_edges(r, task, 0);
}

static double arrival_of_inputs(const request *r, uint32_t task)
{
    size_t           count;
    const hs_access *access = hsi_accesses(r->inputs->pb->graph, task, &count);
    double           last = larger(r->now, edge_arrival(r, task));

    for (size_t i = 0; i < count; i++)
        if (access[i].mode & HS_READ)
            last = larger(last, replica_arrival(r, &access[i]));
    return last;
}

double hsi_inputs_arrival(const hsi_inputs *inputs, uint32_t task, unsigned worker, double now)
{
    request r = {inputs, 0, false, now};

    if (!hsi_inputs_are_tracked(inputs))
        return now;
    r.to = hsi_node_of_worker(inputs->pb, worker);
    return arrival_of_inputs(&r, task);
}

static size_t count_transfers(const hsi_inputs *inputs)
{
    return inputs->transfers.size / sizeof(hs_transfer);
}

static void merge_transfer(hs_transfer *transfer, const hs_transfer *other)
{
    transfer->start = other->start < transfer->start ? other->start : transfer->start;
    transfer->end = larger(transfer->end, other->end);
    transfer->bytes += other->bytes;
}

/* Record a transfer of the data of `writer` that starts on node `from`; merge it into an entry at
 * index >= first with the same source. */
static void record_transfer(hsi_inputs *inputs, const request *r, uint32_t writer, uint32_t from,
                            double bytes, uint32_t data, size_t first)
{
    hs_transfer  t = {.bytes = bytes, .data = data, .from = from, .to = r->to};
    hs_transfer *list = inputs->transfers.data;

    if (t.from == t.to || !(bytes > 0))
        return;
    t.start = production_time(r, writer);
    t.end = t.start + transfer_end(r, t.from, bytes);
    for (; first < count_transfers(inputs); first++)
        if (list[first].from == t.from) {
            merge_transfer(&list[first], &t);
            return;
        }
    inputs->has_lost_transfers |= hsi_vector_append(&inputs->transfers, &t, sizeof t) != 0;
}

/* Record the transfers of the data that arrival_of_edges() waits for, part by part. */
static void record_edge_transfers(hsi_inputs *inputs, const request *r, uint32_t vertex,
                                  double bytes, size_t first)
{
    const hs_graph *g = inputs->pb->graph;
    size_t          count;
    const uint32_t *before = hsi_predecessors(g, vertex, &count);
    const double   *of_edge = hsi_predecessor_bytes(g, vertex);

    for (size_t i = 0; i < count; i++) {
        double part = of_edge && of_edge[i] > 0 ? of_edge[i] : bytes;

        if (!hsi_is_barrier(g, vertex))
            first = count_transfers(inputs);
        if (hsi_is_barrier(g, before[i]))
            record_edge_transfers(inputs, r, before[i], part, first);
        else
            record_transfer(inputs, r, before[i], inputs->node_of[before[i]], part, HS_NONE, first);
    }
}

static void keep_edge_arrival(hsi_inputs *inputs, const request *r, uint32_t task)
{
    double *slot = edge_arrival_slot(inputs, task, r->to);

    if (!slot)
        return;
    if (inputs->records && !(*slot > 0))
        record_edge_transfers(inputs, r, task, 0, 0);
    *slot = edge_arrival(r, task);
}

static void keep_replica(hsi_inputs *inputs, const request *r, const hs_access *access)
{
    if (!is_recorded(r, access))
        hsi_ledger_write(inputs->ledger, access->data, source_of(r, access), access->writer, 0);
    if (hsi_ledger_request(inputs->ledger, access->data, r->to, transfer_arrival(r, access)) &&
        inputs->records)
        record_transfer(
            inputs, r, access->writer, node_of_version(inputs, access->data, access->writer),
            hsi_ledger_bytes(inputs->ledger, access->data), access->data, count_transfers(inputs));
}

static void keep_arrivals(hsi_inputs *inputs, const request *r, uint32_t task)
{
    size_t           count;
    const hs_access *access = hsi_accesses(inputs->pb->graph, task, &count);

    keep_edge_arrival(inputs, r, task);
    for (size_t i = 0; i < count; i++)
        if (access[i].mode & HS_READ)
            keep_replica(inputs, r, &access[i]);
}

double hsi_inputs_start_transfers(hsi_inputs *inputs, uint32_t task, unsigned worker, double now)
{
    request r = {inputs, 0, false, now};

    if (!hsi_inputs_are_tracked(inputs))
        return now;
    r.to = hsi_node_of_worker(inputs->pb, worker);
    keep_arrivals(inputs, &r, task);
    return arrival_of_inputs(&r, task);
}

void hsi_inputs_prefetch(hsi_inputs *inputs, uint32_t task, unsigned worker)
{
    request r = {inputs, 0, true, 0};

    if (!hsi_inputs_are_tracked(inputs))
        return;
    r.to = hsi_node_of_worker(inputs->pb, worker);
    keep_arrivals(inputs, &r, task);
}

double hsi_inputs_longest_transfer(const hsi_inputs *inputs, uint32_t task, unsigned worker)
{
    request          r = {inputs, 0, false, 0}; /* all transfers start at 0 */
    double           longest = 0;
    size_t           count;
    const hs_access *access;

    if (!hsi_inputs_are_tracked(inputs))
        return 0;
    r.to = hsi_node_of_worker(inputs->pb, worker);
    if (edge_arrival_slot(inputs, task, r.to) && !(*edge_arrival_slot(inputs, task, r.to) > 0))
        longest = arrival_of_edges(&r, task, 0);
    access = hsi_accesses(inputs->pb->graph, task, &count);
    for (size_t i = 0; i < count; i++)
        if (access[i].mode & HS_READ && !has_replica(&r, &access[i]))
            longest = larger(longest, transfer_arrival(&r, &access[i]));
    return longest;
}

/* Return the bytes of edges to `vertex` from tasks that ran on other nodes; see
 * arrival_of_edges(). */
static double missing_edge_bytes(const request *r, uint32_t vertex, double bytes)
{
    const hs_graph *g = r->inputs->pb->graph;
    size_t          count;
    const uint32_t *before = hsi_predecessors(g, vertex, &count);
    const double   *of_edge = hsi_predecessor_bytes(g, vertex);
    double          sum = 0;

    for (size_t i = 0; i < count; i++) {
        double part = of_edge && of_edge[i] > 0 ? of_edge[i] : bytes;

        if (hsi_is_barrier(g, before[i]))
            sum += missing_edge_bytes(r, before[i], part);
        else if (r->inputs->node_of[before[i]] != r->to)
            sum += part;
    }
    return sum;
}

double hsi_inputs_missing_bytes(const hsi_inputs *inputs, uint32_t task, unsigned worker)
{
    request          r = {inputs, 0, false, 0};
    double           sum = 0;
    size_t           count;
    const hs_access *access;

    if (!hsi_inputs_are_tracked(inputs))
        return 0;
    r.to = hsi_node_of_worker(inputs->pb, worker);
    if (edge_arrival_slot(inputs, task, r.to) && !(*edge_arrival_slot(inputs, task, r.to) > 0))
        sum = missing_edge_bytes(&r, task, 0);
    access = hsi_accesses(inputs->pb->graph, task, &count);
    for (size_t i = 0; i < count; i++)
        if (access[i].mode & HS_READ && !has_replica(&r, &access[i]))
            sum += handle_of(&r, &access[i])->bytes;
    return sum;
}

double hsi_inputs_awaited_bytes(const hsi_inputs *inputs, uint32_t task, unsigned worker,
                                double now)
{
    request          r = {inputs, 0, false, now};
    double           sum = 0;
    size_t           count;
    const hs_access *access;

    if (!hsi_inputs_are_tracked(inputs))
        return 0;
    r.to = hsi_node_of_worker(inputs->pb, worker);
    if (edge_arrival(&r, task) > now)
        sum = missing_edge_bytes(&r, task, 0);
    access = hsi_accesses(inputs->pb->graph, task, &count);
    for (size_t i = 0; i < count; i++)
        if (access[i].mode & HS_READ && replica_arrival(&r, &access[i]) > now)
            sum += handle_of(&r, &access[i])->bytes;
    return sum;
}

bool hsi_inputs_have_replica(const hsi_inputs *inputs, uint32_t handle, uint32_t node)
{
    if (!hsi_inputs_are_tracked(inputs))
        return true;
    if (!inputs->ledger)
        return node == hs_instance_handle_memory_node(inputs->pb->in, handle);
    return handle < inputs->ledger->size.handles && node < inputs->nodes &&
           is_valid(inputs->ledger, handle, node);
}

static void drop_replicas(hsi_ledger *ledger, uint32_t handle)
{
    for (uint32_t node = 0; node < ledger->size.nodes; node++)
        replica_of(ledger, handle, node)->version = NO_VERSION;
}

/* Return the number of the version that the task writes, which no replica has. */
static uint32_t next_version(hsi_inputs *inputs, uint32_t handle, uint32_t task)
{
    uint32_t version = hsi_ledger_newest(inputs->ledger, handle) + 1;

    if (!inputs->is_recycled)
        return task;
    if (version < NO_VERSION)
        return version; /* 0 after the initial version */
    drop_replicas(inputs->ledger, handle);
    return 0;
}

void hsi_inputs_record_end(hsi_inputs *inputs, uint32_t task, unsigned worker, double now)
{
    size_t           count;
    const hs_access *access;
    uint32_t         node;

    if (!hsi_inputs_are_tracked(inputs))
        return;
    node = hsi_node_of_worker(inputs->pb, worker);
    inputs->node_of[task] = node;
    inputs->end_of[task] = now;
    access = hsi_accesses(inputs->pb->graph, task, &count);
    for (size_t i = 0; i < count; i++)
        if (access[i].mode & HS_WRITE)
            hsi_ledger_write(inputs->ledger, access[i].data, node,
                             next_version(inputs, access[i].data, task), now);
}

void hsi_inputs_mark_done(hsi_inputs *inputs, uint32_t task, unsigned worker)
{
    size_t           count;
    const hs_access *access;

    if (!hsi_inputs_are_tracked(inputs))
        return;
    inputs->node_of[task] = worker == HS_NONE ? 0 : hsi_node_of_worker(inputs->pb, worker);
    access = hsi_accesses(inputs->pb->graph, task, &count);
    for (size_t i = 0; i < count; i++) {
        uint32_t newest = hsi_ledger_newest(inputs->ledger, access[i].data);

        /* tasks write a handle in the order of their numbers */
        if (access[i].mode & HS_WRITE && (newest == HS_NONE || newest < task))
            hsi_ledger_write(inputs->ledger, access[i].data, inputs->node_of[task], task, 0);
    }
}

static size_t count_handles(const hs_instance *in)
{
    size_t count = 0;

    while (hs_instance_handle_name(in, count))
        count++;
    return count;
}

/* Set the size of a handle, and the node that has its initial version. */
static void place_handle(hsi_ledger *ledger, const hs_instance *in, uint32_t handle)
{
    uint32_t node = hs_instance_handle_memory_node(in, handle);

    hsi_ledger_place(ledger, handle, hs_instance_handle_bytes(in, handle), NULL, 0);
    if (node == HSI_LEDGER_HOST)
        return;
    replica_of(ledger, handle, HSI_LEDGER_HOST)->version = NO_VERSION;
    hsi_ledger_write(ledger, handle, node, HS_NONE, 0);
}

/* Create the ledger of an instance with handles. */
static hs_status open_ledger(hsi_inputs *inputs, size_t handles)
{
    const hsi_ledger_size size = {
        .handles = handles, .nodes = (uint32_t)inputs->nodes, .is_model = true};

    if (!inputs->pb->graph->access || size.handles == 0)
        return HS_OK;
    return hsi_ledger_create(&size, &inputs->ledger);
}

static hs_status open_inputs(hsi_inputs *inputs, const hsi_problem *pb, size_t handles)
{
    inputs->pb = pb;
    inputs->nodes = hsi_memory_node_count(pb);
    inputs->node_of = calloc(pb->n + 1, sizeof *inputs->node_of);
    inputs->end_of = calloc(pb->n + 1, sizeof *inputs->end_of);
    if (pb->graph->bytes)
        inputs->own_arrival = calloc(pb->n + 1, inputs->nodes * sizeof *inputs->own_arrival);
    if (inputs->node_of && inputs->end_of && (inputs->own_arrival || !pb->graph->bytes) &&
        open_ledger(inputs, handles) == HS_OK)
        return HS_OK;
    hsi_inputs_close(inputs);
    return HS_ENOMEM;
}

hs_status hsi_inputs_open(hsi_inputs *inputs, const hs_instance *in, const hsi_problem *pb)
{
    hs_status st;

    *inputs = (hsi_inputs){0};
    if (!pb->graph || !pb->links->has[HS_H2D])
        return HS_OK;
    st = open_inputs(inputs, pb, count_handles(in));
    for (uint32_t h = 0; inputs->ledger && h < inputs->ledger->size.handles; h++)
        place_handle(inputs->ledger, in, h);
    return st;
}

hs_status hsi_inputs_open_arriving(hsi_inputs *inputs, const hsi_problem *pb, uint32_t handles)
{
    *inputs = (hsi_inputs){0};
    if (!pb->links->has[HS_H2D])
        return HS_OK;
    inputs->is_recycled = true;
    return open_inputs(inputs, pb, handles);
}

void hsi_inputs_add_handle(hsi_inputs *inputs, uint32_t handle, double bytes, uint32_t node)
{
    if (!inputs->ledger)
        return;
    drop_replicas(inputs->ledger, handle);
    hsi_ledger_place(inputs->ledger, handle, bytes, NULL, 0);
    hsi_ledger_write(inputs->ledger, handle, node, HS_NONE, 0);
}

hs_status hsi_inputs_move_transfers(hsi_inputs *inputs, hs_schedule *s)
{
    if (inputs->has_lost_transfers)
        return HS_ENOMEM;
    hsi_schedule_move_transfers(s, &inputs->transfers);
    return HS_OK;
}

void hsi_inputs_close(hsi_inputs *inputs)
{
    hsi_vector_free(&inputs->transfers);
    free(inputs->node_of);
    free(inputs->end_of);
    free(inputs->own_arrival);
    hsi_ledger_free(inputs->ledger);
    *inputs = (hsi_inputs){0};
}
