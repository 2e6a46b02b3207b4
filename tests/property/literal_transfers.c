/* SPDX-License-Identifier: BSD-3-Clause */
#include "literal_transfers.h"

#include <math.h>
#include <stdlib.h>

void literal_add_transfer(const graph_sample *s, literal_transfers *moves, hs_transfer t)
{
    if (t.from == t.to || t.bytes == 0 || !s->links)
        return;
    GRAPH_REQUIRE(s, moves->count < sizeof moves->list / sizeof *moves->list, "too many moves");
    t.end = t.start + hs_instance_transfer_time(s->in, t.from, t.to, t.bytes);
    moves->list[moves->count++] = t;
}

/* Return the node on which a task ran and set *end. For task -1, the writer of initial data, `home`
 * and 0. */
static uint32_t node_of(const graph_sample *s, const hs_schedule *known, int task, uint32_t home,
                        double *end)
{
    *end = 0;
    for (unsigned w = 0; task >= 0 && w < s->m + s->k; w++) {
        size_t          count;
        const hs_entry *e = hs_schedule_entries(known, w, &count);

        for (size_t i = 0; i < count; i++)
            if (e[i].task == (uint32_t)task && e[i].state == HS_RUN) {
                *end = e[i].end;
                return hs_instance_memory_node(s->in, w);
            }
    }
    return home;
}

/* Tell whether an earlier task reads the same version of the handle on the same node. */
static bool is_replica_there(const graph_sample *s, const hs_schedule *known, size_t task,
                             size_t handle)
{
    double unread;

    for (size_t t = 0; t < task; t++)
        if (s->mode[t][handle] & HS_READ && s->writer[t][handle] == s->writer[task][handle] &&
            node_of(s, known, (int)t, 0, &unread) == node_of(s, known, (int)task, 0, &unread))
            return true;
    return false;
}

void literal_add_planned_transfers(const graph_sample *s, const hs_schedule *known,
                                   literal_transfers *moves)
{
    for (size_t t = 0; t < s->n; t++) {
        hs_transfer move;
        double      unread;
        uint32_t    to = node_of(s, known, (int)t, 0, &unread);

        for (size_t f = 0; f < s->n; f++) {
            move = (hs_transfer){.bytes = s->bytes[f][t], .data = UINT32_MAX, .to = to};
            move.from = node_of(s, known, (int)f, 0, &move.start);
            if (s->edge[f][t])
                literal_add_transfer(s, moves, move);
        }
        for (size_t d = 0; d < s->data; d++) {
            move = (hs_transfer){.bytes = s->size[d], .data = (uint32_t)d, .to = to};
            move.from = node_of(s, known, s->writer[t][d], s->home[d], &move.start);
            if (s->mode[t][d] & HS_READ && !is_replica_there(s, known, t, d))
                literal_add_transfer(s, moves, move);
        }
    }
}

static int compare_transfers(const void *a, const void *b)
{
    const hs_transfer *x = a, *y = b;

    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->data != y->data)
        return x->data < y->data ? -1 : 1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

static void require_equal(const graph_sample *s, const char *name, const hs_transfer *expected,
                          size_t count, const hs_transfer *found, size_t found_count)
{
    for (size_t i = 0; i < count && i < found_count; i++)
        GRAPH_REQUIRE(s, compare_transfers(&expected[i], &found[i]) == 0,
                      "%s: %u to %u from %.17g to %.17g: %g bytes of %u, not %u to %u, %.17g, "
                      "%.17g: %g of %u",
                      name, found[i].from, found[i].to, found[i].start, found[i].end,
                      found[i].bytes, found[i].data, expected[i].from, expected[i].to,
                      expected[i].start, expected[i].end, expected[i].bytes, expected[i].data);
    GRAPH_REQUIRE(s, count == found_count, "%s: %zu transfers, not %zu", name, found_count, count);
}

/* First start and last end of the edge transfers between two nodes. */
typedef struct extent {
    double first, last;
    size_t count;
} extent;

static extent extent_of(const hs_transfer *list, size_t count, uint32_t from, uint32_t to)
{
    extent e = {INFINITY, 0, 0};

    for (size_t i = 0; i < count; i++)
        if (list[i].data == UINT32_MAX && list[i].from == from && list[i].to == to) {
            e.first = fmin(e.first, list[i].start);
            e.last = fmax(e.last, list[i].end);
            e.count++;
        }
    return e;
}

static void require_extents(const graph_sample *s, const char *name, const literal_transfers *moves,
                            const hs_transfer *found, size_t count)
{
    for (uint32_t from = 0; from < s->nodes; from++)
        for (uint32_t to = 0; to < s->nodes; to++) {
            extent expected = extent_of(moves->list, moves->count, from, to),
                   here = extent_of(found, count, from, to);

            GRAPH_REQUIRE(s, here.first == expected.first && here.last == expected.last,
                          "%s: pieces go from %u to %u between %.17g and %.17g, not %.17g, %.17g",
                          name, from, to, here.first, here.last, expected.first, expected.last);
        }
}

/* Remove edge transfers in place; return the number of transfers of handles. */
static size_t drop_edge_transfers(hs_transfer *list, size_t count)
{
    size_t left = 0;

    for (size_t i = 0; i < count; i++)
        if (list[i].data != UINT32_MAX)
            list[left++] = list[i];
    return left;
}

size_t literal_require_transfers(const graph_sample *s, const char *name, literal_transfers *moves,
                                 const hs_schedule *found)
{
    size_t             count, all = moves->count;
    const hs_transfer *there = hs_schedule_transfers(found, &count);
    hs_transfer       *copy = calloc(count + 1, sizeof *copy);

    for (size_t i = 0; i < count; i++) {
        copy[i] = there[i];
        GRAPH_REQUIRE(s, i == 0 || compare_transfers(&there[i - 1], &there[i]) <= 0, "%s: no order",
                      name);
    }
    if (hs_instance_rows(s->in) != s->n) {
        require_extents(s, name, moves, copy, count);
        moves->count = drop_edge_transfers(moves->list, moves->count);
        count = drop_edge_transfers(copy, count);
    }
    qsort(moves->list, moves->count, sizeof *moves->list, compare_transfers);
    require_equal(s, name, moves->list, moves->count, copy, count);
    free(copy);
    return all;
}
