/* SPDX-License-Identifier: BSD-3-Clause */
#include "policy/memory.h"

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
    const hsi_memory *memory;
    uint32_t          to;
    int               is_prefetch;
    double            now;
} request;

static double move(const request *r, uint32_t from, double bytes)
{
    return hsi_transfer(r->memory->pb->links, from, r->to, bytes);
}

static double made_at(const request *r, uint32_t writer)
{
    if (!r->is_prefetch)
        return r->now;
    return writer == HS_NOBODY ? 0 : r->memory->done[writer];
}

static uint32_t node_of(const hsi_memory *memory, uint32_t writer)
{
    return writer == HS_NOBODY ? 0 : memory->node[writer];
}

/* Return the arrival of all data made for one vertex alone. `bytes` replaces the size of edges
 * without one. */
static double own_of_vertex(const request *r, uint32_t vertex, double bytes)
{
    const hs_graph *g = r->memory->pb->graph;
    size_t          count;
    const uint32_t *before = hsi_predecessors(g, vertex, &count);
    const double   *of_edge = hsi_predecessor_bytes(g, vertex);
    double          last = r->now;

    for (size_t i = 0; i < count; i++) {
        double piece = of_edge && of_edge[i] > 0 ? of_edge[i] : bytes;

        if (hsi_is_barrier(g, before[i]))
            last = larger(last, own_of_vertex(r, before[i], piece));
        else if (piece > 0)
            last = larger(last, made_at(r, before[i]) + move(r, r->memory->node[before[i]], piece));
    }
    return last;
}

static double *own_slot(const hsi_memory *memory, uint32_t task, uint32_t node)
{
    return memory->own ? &memory->own[task * memory->nodes + node] : NULL;
}

static hsi_copy *copy_slot(const hsi_memory *memory, uint32_t data, uint32_t node)
{
    return &memory->copies[data * memory->nodes + node];
}

static uint64_t version_of(const hs_access *access)
{
    return access->writer == HS_NOBODY ? 1 : (uint64_t)access->writer + 2;
}

static double copy_arrival(const request *r, const hs_access *access)
{
    const hsi_copy *copy = copy_slot(r->memory, access->data, r->to);
    double          bytes = hs_instance_data_bytes(r->memory->in, access->data);
    double there = made_at(r, access->writer) + move(r, node_of(r->memory, access->writer), bytes);

    return copy->writer == version_of(access) && copy->there < there ? copy->there : there;
}

static double own_arrival(const request *r, uint32_t task)
{
    const double *slot = own_slot(r->memory, task, r->to);

    if (!slot)
        return r->now;
    return *slot > 0 ? *slot : own_of_vertex(r, task, 0);
}

static double arrival(const request *r, uint32_t task)
{
    size_t           count;
    const hs_access *access = hsi_accesses(r->memory->pb->graph, task, &count);
    double           last = larger(r->now, own_arrival(r, task));

    for (size_t i = 0; i < count; i++)
        if (access[i].mode & HS_READ)
            last = larger(last, copy_arrival(r, &access[i]));
    return last;
}

double hsi_memory_arrival(const hsi_memory *memory, uint32_t task, unsigned worker, double now)
{
    request r = {memory, 0, 0, now};

    if (!hsi_memory_counts(memory))
        return now;
    r.to = hsi_memory_node(memory->pb->m, worker);
    return arrival(&r, task);
}

static size_t count_transfers(const hsi_memory *memory)
{
    return memory->transfers.size / sizeof(hs_transfer);
}

static void extend(hs_transfer *t, const hs_transfer *by)
{
    t->start = by->start < t->start ? by->start : t->start;
    t->end = larger(t->end, by->end);
    t->bytes += by->bytes;
}

/* Record a transfer that starts; merge it into an entry at index >= first with the same source. */
static void record(hsi_memory *memory, const request *r, uint32_t writer, double bytes,
                   uint32_t data, size_t first)
{
    hs_transfer  t = {.bytes = bytes, .data = data, .from = node_of(memory, writer), .to = r->to};
    hs_transfer *list = memory->transfers.data;

    if (t.from == t.to || !(bytes > 0))
        return;
    t.start = made_at(r, writer);
    t.end = t.start + move(r, t.from, bytes);
    for (; first < count_transfers(memory); first++)
        if (list[first].from == t.from) {
            extend(&list[first], &t);
            return;
        }
    memory->is_short |= hsi_vector_append(&memory->transfers, &t, sizeof t) != 0;
}

/* Record the transfers of the data that own_of_vertex() waits for, part by part. */
static void record_own(hsi_memory *memory, const request *r, uint32_t vertex, double bytes,
                       size_t first)
{
    const hs_graph *g = memory->pb->graph;
    size_t          count;
    const uint32_t *before = hsi_predecessors(g, vertex, &count);
    const double   *of_edge = hsi_predecessor_bytes(g, vertex);

    for (size_t i = 0; i < count; i++) {
        double piece = of_edge && of_edge[i] > 0 ? of_edge[i] : bytes;

        if (!hsi_is_barrier(g, vertex))
            first = count_transfers(memory);
        if (hsi_is_barrier(g, before[i]))
            record_own(memory, r, before[i], piece, first);
        else
            record(memory, r, before[i], piece, UINT32_MAX, first);
    }
}

static void keep_own(hsi_memory *memory, const request *r, uint32_t task)
{
    double *slot = own_slot(memory, task, r->to);

    if (!slot)
        return;
    if (memory->records && !(*slot > 0))
        record_own(memory, r, task, 0, 0);
    *slot = own_arrival(r, task);
}

static void keep_copy(hsi_memory *memory, const request *r, const hs_access *access)
{
    hsi_copy *copy = copy_slot(memory, access->data, r->to);
    hsi_copy  kept = {copy_arrival(r, access), version_of(access)};

    if (memory->records && (copy->writer != kept.writer || kept.there < copy->there))
        record(memory, r, access->writer, hs_instance_data_bytes(memory->in, access->data),
               access->data, count_transfers(memory));
    *copy = kept;
}

static void keep(hsi_memory *memory, const request *r, uint32_t task)
{
    size_t           count;
    const hs_access *access = hsi_accesses(memory->pb->graph, task, &count);

    keep_own(memory, r, task);
    for (size_t i = 0; i < count; i++)
        if (access[i].mode & HS_READ)
            keep_copy(memory, r, &access[i]);
}

double hsi_memory_fetch(hsi_memory *memory, uint32_t task, unsigned worker, double now)
{
    request r = {memory, 0, 0, now};

    if (!hsi_memory_counts(memory))
        return now;
    r.to = hsi_memory_node(memory->pb->m, worker);
    keep(memory, &r, task);
    return arrival(&r, task);
}

void hsi_memory_prefetch(hsi_memory *memory, uint32_t task, unsigned worker)
{
    request r = {memory, 0, 1, 0};

    if (!hsi_memory_counts(memory))
        return;
    r.to = hsi_memory_node(memory->pb->m, worker);
    keep(memory, &r, task);
}

/* Return the longest transfer among the data that own_of_vertex() waits for. */
static double longest_own(const request *r, uint32_t vertex, double bytes)
{
    const hs_graph *g = r->memory->pb->graph;
    size_t          count;
    const uint32_t *before = hsi_predecessors(g, vertex, &count);
    const double   *of_edge = hsi_predecessor_bytes(g, vertex);
    double          longest = 0;

    for (size_t i = 0; i < count; i++) {
        double piece = of_edge && of_edge[i] > 0 ? of_edge[i] : bytes;

        if (hsi_is_barrier(g, before[i]))
            longest = larger(longest, longest_own(r, before[i], piece));
        else
            longest = larger(longest, move(r, r->memory->node[before[i]], piece));
    }
    return longest;
}

double hsi_memory_longest(const hsi_memory *memory, uint32_t task, unsigned worker)
{
    request          r = {memory, 0, 0, 0};
    double           longest = 0;
    size_t           count;
    const hs_access *access;

    if (!hsi_memory_counts(memory))
        return 0;
    r.to = hsi_memory_node(memory->pb->m, worker);
    if (own_slot(memory, task, r.to) && !(*own_slot(memory, task, r.to) > 0))
        longest = longest_own(&r, task, 0);
    access = hsi_accesses(memory->pb->graph, task, &count);
    for (size_t i = 0; i < count; i++)
        if (access[i].mode & HS_READ &&
            copy_slot(memory, access[i].data, r.to)->writer != version_of(&access[i]))
            longest = larger(longest, move(&r, node_of(memory, access[i].writer),
                                           hs_instance_data_bytes(memory->in, access[i].data)));
    return longest;
}

void hsi_memory_done(hsi_memory *memory, uint32_t task, unsigned worker, double now)
{
    if (!hsi_memory_counts(memory))
        return;
    memory->node[task] = hsi_memory_node(memory->pb->m, worker);
    memory->done[task] = now;
}

static size_t data_of(const hs_instance *in)
{
    size_t count = 0;

    while (hs_instance_data_name(in, count))
        count++;
    return count;
}

hs_status hsi_memory_open(hsi_memory *memory, const hs_instance *in, const hsi_problem *pb)
{
    size_t data;

    *memory = (hsi_memory){.in = in};
    if (!pb->graph || !pb->links->has[HS_H2D])
        return HS_OK;
    memory->pb = pb;
    memory->nodes = (size_t)pb->k + 1;
    memory->node = calloc(pb->n + 1, sizeof *memory->node);
    memory->done = calloc(pb->n + 1, sizeof *memory->done);
    data = pb->graph->access ? data_of(in) : 0;
    if (pb->graph->bytes)
        memory->own = calloc(pb->n + 1, memory->nodes * sizeof *memory->own);
    if (data)
        memory->copies = calloc(data, memory->nodes * sizeof *memory->copies);
    if (memory->node && memory->done && (memory->own || !pb->graph->bytes) &&
        (memory->copies || !data))
        return HS_OK;
    hsi_memory_close(memory);
    return HS_ENOMEM;
}

hs_status hsi_memory_tell(hsi_memory *memory, hs_schedule *s)
{
    if (memory->is_short)
        return HS_ENOMEM;
    hsi_schedule_take_transfers(s, &memory->transfers);
    return HS_OK;
}

void hsi_memory_close(hsi_memory *memory)
{
    hsi_vector_free(&memory->transfers);
    free(memory->node);
    free(memory->done);
    free(memory->own);
    free(memory->copies);
    *memory = (hsi_memory){0};
}
