/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Build the arcs between tasks in two passes over the tasks in topological order: count the arcs
 * out of each task, then store them. The predecessors of a task are found by backward search
 * through barriers.
 */
#include "core/graph/arcs.h"

#include <string.h>

enum { MOST_ARCS = 1 << 22 };

typedef struct builder {
    hsi_arcs       *arcs;
    const hs_graph *g;
    uint32_t       *seen;  /* per task: the last successor for which its arc was recorded, plus 1 */
    size_t         *at;    /* per task: index of its next arc; in the first pass: its number of
                              arcs */
    size_t          count; /* number of arcs */
    size_t          moves; /* number of transfers */
    double         *bytes; /* bytes of each arc; NULL in the first pass, which only counts */
    bool            fills;
} builder;

static int has_links(const hsi_arcs *arcs)
{
    return arcs->pb->links->has[HS_H2D];
}

static void note_arc(builder *b, uint32_t from, uint32_t to, double bytes)
{
    hsi_arcs *arcs = b->arcs;
    size_t    at;

    if (b->seen[from] != to + 1) {
        b->seen[from] = to + 1;
        b->count++;
        arcs->waits[to]++;
        b->at[from]++;
        if (b->fills) {
            at = b->at[from] - 1;
            arcs->after[at] = (hsi_arc){to, 0};
            b->bytes[at] = bytes;
        }
        return;
    }
    at = b->at[from] - 1;
    if (b->fills && bytes > b->bytes[at])
        b->bytes[at] = bytes;
}

/*
 * Record an arc from each task that reaches `to` through barriers only, with the largest piece of
 * bytes on the path.
 */
static void follow_barriers(builder *b, size_t vertex, uint32_t to, double bytes)
{
    size_t          count;
    const uint32_t *before = hsi_predecessors(b->g, vertex, &count);
    const double   *piece = hsi_predecessor_bytes(b->g, vertex);

    for (size_t i = 0; i < count && b->count <= MOST_ARCS; i++) {
        double most = piece && piece[i] > bytes ? piece[i] : bytes;

        if (hsi_is_barrier(b->g, before[i]))
            follow_barriers(b, before[i], to, most);
        else
            note_arc(b, before[i], to, most);
    }
}

/* Return true if the instance has data elsewhere than on the first host at the start. */
static bool has_data_elsewhere(const hs_instance *in)
{
    for (size_t i = 0; hs_instance_handle_name(in, i); i++)
        if (hs_instance_handle_memory_node(in, i) != 0)
            return true;
    return false;
}

static void add_initial_data(hsi_arcs *arcs, uint32_t task, uint32_t from, double bytes)
{
    const hsi_problem *pb = arcs->pb;

    for (uint32_t place = 0; arcs->initial && place < arcs->places; place++) {
        double *at = &arcs->initial[(size_t)task * arcs->places + place];

        *at = fmax(*at, hsi_link_time_between(pb->links, pb->nodes, from, place, bytes));
    }
    arcs->fetch[task] = fmax(arcs->fetch[task], hsi_transfer_time(arcs->pb->links, 0, 1, bytes));
    if (arcs->nodes)
        arcs->fetch_bytes[task] = fmax(arcs->fetch_bytes[task], bytes);
}

static void follow_data(builder *b, uint32_t task)
{
    hsi_arcs        *arcs = b->arcs;
    size_t           count;
    const hs_access *access = hsi_accesses(b->g, task, &count);

    for (size_t i = 0; i < count; i++) {
        double bytes = hs_instance_handle_bytes(arcs->pb->in, access[i].data);

        if (!(access[i].mode & HS_READ))
            continue;
        if (access[i].writer != HS_NONE)
            note_arc(b, access[i].writer, task, bytes);
        else
            add_initial_data(arcs, task,
                             hs_instance_handle_memory_node(arcs->pb->in, access[i].data), bytes);
    }
}

/* Run one pass. */
static hs_status walk_graph(builder *b)
{
    const hsi_arcs *arcs = b->arcs;
    size_t          n = arcs->pb->n, before = 0;

    b->count = 0;
    memset(b->seen, 0, n * sizeof *b->seen);
    memset(arcs->waits, 0, n * sizeof *arcs->waits);
    for (size_t i = 0; i < n && b->count <= MOST_ARCS; i++) {
        if (hsi_poll_after_work(arcs->pb->token, 16 * (1 + b->count - before)))
            return HS_ECANCELED;
        before = b->count;
        follow_barriers(b, arcs->order[i], arcs->order[i], 0);
        follow_data(b, arcs->order[i]);
    }
    return HS_OK;
}

static void sort_tasks(hsi_arcs *arcs)
{
    const hs_graph *g = arcs->pb->graph;
    size_t          count = 0;

    for (size_t i = 0; i < g->vertices; i++)
        if (!hsi_is_barrier(g, hsi_vertex_at_position(g, i)))
            arcs->order[count++] = hsi_vertex_at_position(g, i);
}

/*
 * Compute the transfer times of each arc by link; arcs without bytes share the first times.
 */
static hs_status find_transfers(builder *b)
{
    hsi_arcs        *arcs = b->arcs;
    const hsi_links *links = arcs->pb->links;
    size_t           moves = 1;

    for (size_t i = 0; i < b->count; i++)
        if (has_links(arcs) && b->bytes[i] > 0)
            arcs->after[i].move = (uint32_t)moves++;
    arcs->move = hsi_arena_alloc_zeroed(&arcs->arena, HS_LINKS * moves, sizeof *arcs->move);
    if (!arcs->move)
        return HS_ENOMEM;
    for (size_t i = 0; i < b->count; i++) {
        double *move = arcs->move + (size_t)HS_LINKS * arcs->after[i].move;

        if (arcs->after[i].move == 0)
            continue;
        move[HS_H2D] = hsi_transfer_time(links, 0, 1, b->bytes[i]);
        move[HS_D2H] = hsi_transfer_time(links, 1, 0, b->bytes[i]);
        move[HS_D2D] = hsi_transfer_time(links, 1, 2, b->bytes[i]);
        if (arcs->nodes)
            move[HS_N2N] = hsi_link_time(links, HS_N2N, b->bytes[i]);
    }
    return HS_OK;
}

/* Store the arcs, whose number is known from the counting pass. */
static hs_status fill_arcs(builder *b)
{
    hsi_arcs *arcs = b->arcs;
    size_t    n = arcs->pb->n, count = b->count, begin = 0;

    arcs->after = hsi_arena_alloc(&arcs->arena, count + 1, sizeof *arcs->after);
    b->bytes = hsi_arena_alloc(&arcs->arena, count + 1, sizeof *b->bytes);
    if (!arcs->after || !b->bytes)
        return HS_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        size_t leave = b->at[i];

        arcs->after_at[i] = b->at[i] = begin;
        begin += leave;
    }
    arcs->after_at[n] = begin;
    b->fills = true;
    return walk_graph(b) == HS_OK ? find_transfers(b) : HS_ECANCELED;
}

hs_status hsi_arcs_open(const hsi_problem *pb, hsi_arcs *arcs)
{
    size_t  n = pb->n;
    builder b = {.arcs = arcs, .g = pb->graph};

    *arcs = (hsi_arcs){.pb = pb, .places = 2, .hosts = 1};
    if (has_links(arcs)) {
        arcs->nodes = pb->nodes;
        arcs->places = pb->nodes ? (uint32_t)hsi_memory_node_count(pb) : 1 + (pb->k > 1 ? pb->k : 1);
        arcs->hosts = pb->nodes ? pb->nodes->count : 1;
    }
    arcs->after_at = hsi_arena_alloc(&arcs->arena, n + 1, sizeof *arcs->after_at);
    arcs->waits = hsi_arena_alloc(&arcs->arena, n, sizeof *arcs->waits);
    arcs->fetch = hsi_arena_alloc_zeroed(&arcs->arena, n, sizeof *arcs->fetch);
    if (arcs->nodes)
        arcs->fetch_bytes = hsi_arena_alloc_zeroed(&arcs->arena, n, sizeof *arcs->fetch_bytes);
    arcs->order = hsi_arena_alloc(&arcs->arena, n, sizeof *arcs->order);
    b.seen = hsi_arena_alloc(&arcs->arena, n, sizeof *b.seen);
    b.at = hsi_arena_alloc_zeroed(&arcs->arena, n, sizeof *b.at);
    if (has_links(arcs) && has_data_elsewhere(pb->in)) {
        arcs->initial =
            hsi_arena_alloc_zeroed(&arcs->arena, n * arcs->places, sizeof *arcs->initial);
        if (!arcs->initial)
            return HS_ENOMEM;
    }
    if (!arcs->after_at || !arcs->waits || !arcs->fetch || (arcs->nodes && !arcs->fetch_bytes) || !arcs->order || !b.seen || !b.at)
        return HS_ENOMEM;
    sort_tasks(arcs);
    if (walk_graph(&b) != HS_OK)
        return HS_ECANCELED;
    return b.count > MOST_ARCS ? HS_ETOOBIG : fill_arcs(&b);
}

/* Count the arcs into at[target + 2], then fill from at[target + 1], which thereby becomes the end
 * of the target's arcs. */
static void sort_by_target(const hsi_arcs *arcs, size_t *at, hsi_arc *before)
{
    size_t n = arcs->pb->n;

    for (size_t i = 0; i < arcs->after_at[n]; i++)
        at[arcs->after[i].task + 2]++;
    for (size_t task = 2; task <= n; task++)
        at[task + 1] += at[task];
    for (uint32_t from = 0; from < n; from++)
        for (size_t i = arcs->after_at[from]; i < arcs->after_at[from + 1]; i++)
            before[at[arcs->after[i].task + 1]++] = (hsi_arc){from, arcs->after[i].move};
}

hs_status hsi_arcs_reverse(const hsi_arcs *arcs, hsi_arena *arena, size_t **before_at,
                           hsi_arc **before)
{
    size_t n = arcs->pb->n;

    *before_at = hsi_arena_alloc_zeroed(arena, n + 2, sizeof **before_at);
    *before = hsi_arena_alloc(arena, arcs->after_at[n] + 1, sizeof **before);
    if (!*before_at || !*before)
        return HS_ENOMEM;
    sort_by_target(arcs, *before_at, *before);
    return HS_OK;
}

double hsi_earliest_initial_data(const hsi_arcs *arcs, uint32_t task, hs_type type)
{
    uint32_t first = type == HS_CPU ? 0 : arcs->hosts;
    uint32_t last = type == HS_CPU ? arcs->hosts : arcs->places;
    double   earliest = INFINITY;

    if (!arcs->initial)
        return type == HS_CPU ? 0 : arcs->fetch[task];
    for (uint32_t place = first; place < last; place++)
        earliest = fmin(earliest, hsi_initial_data_arrival(arcs, task, place));
    return earliest;
}

double hsi_latest_initial_data(const hsi_arcs *arcs, uint32_t task)
{
    double latest = 0;

    for (uint32_t place = 0; place < arcs->places; place++)
        latest = fmax(latest, hsi_initial_data_arrival(arcs, task, place));
    return latest;
}

void hsi_arcs_close(hsi_arcs *arcs)
{
    hsi_arena_close(&arcs->arena);
}
