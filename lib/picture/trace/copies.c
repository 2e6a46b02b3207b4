/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of data, in a process of their own: a thread per destination memory, and more threads for
 * simultaneous copies, because viewers lose overlapping bars of a thread.
 */
#include <stdio.h>
#include <stdlib.h>

#include "picture/trace/trace.h"
#include "support/vector.h"

typedef struct lane {
    uint32_t node;
    unsigned number; /* index among the threads of the memory node */
    double   end;    /* end of the last copy, in nanoseconds */
} lane;

typedef struct copies {
    hsi_trace         *trace;
    const hs_transfer *list;
    size_t             count;
    hsi_vector         lanes;
    unsigned          *lane_of; /* per copy: index of its thread in the trace */
} copies;

static unsigned count_lanes(const copies *c)
{
    return (unsigned)(c->lanes.size / sizeof(lane));
}

static lane *lane_at(const copies *c, unsigned i)
{
    return (lane *)c->lanes.data + i;
}

/*
 * Choose the first of the node's lanes, from `first` on, that is free at the start; or add a lane.
 */
static hs_status choose_lane(copies *c, unsigned first, const hs_transfer *t, unsigned *chosen)
{
    lane     made = {.node = t->to, .number = count_lanes(c) - first};
    double   start = hsi_trace_ns(c->trace, t->start);
    unsigned i = first;

    while (i < count_lanes(c) && lane_at(c, i)->end > start)
        i++;
    if (i == count_lanes(c) && hsi_vector_append(&c->lanes, &made, sizeof made))
        return HS_ENOMEM;
    lane_at(c, i)->end = hsi_trace_ns(c->trace, t->end);
    *chosen = i;
    return HS_OK;
}

static hs_status choose_lanes(copies *c)
{
    unsigned  first = 0;
    hs_status st = HS_OK;

    for (size_t i = 0; i < c->count && st == HS_OK; i++) {
        if (i > 0 && c->list[i].to != c->list[i - 1].to)
            first = count_lanes(c);
        st = choose_lane(c, first, &c->list[i], &c->lane_of[i]);
    }
    return st;
}

static void name_lanes(const copies *c, unsigned first)
{
    char name[64], node[16];

    hsi_trace_name_process(c->trace, (hsi_track){first, first},
                           c->trace->predicted ? "predicted copies" : "copies",
                           2u * (unsigned)c->trace->predicted + 1);
    for (unsigned i = 0; i < count_lanes(c); i++) {
        const lane *l = lane_at(c, i);
        int used = snprintf(name, sizeof name, "to %s", hsi_memory_node_name(c->trace->in, l->node, node));

        if (l->number > 0)
            snprintf(name + used, sizeof name - (size_t)used, " (%u)", l->number + 1);
        hsi_trace_name_thread(c->trace, (hsi_track){first, first + i}, name, NULL, i);
    }
}

static void put_copy(hsi_trace *t, const hs_transfer *copy, hsi_track track)
{
    const char *data = hs_instance_handle_name(t->in, copy->data);
    char        node[16];

    hsi_trace_begin_bar(t, copy->start, copy->end, track);
    hsi_trace_put_string(t, ",\"cat\":\"copy\",\"name\":", data ? data : "data");
    hsi_trace_put_string(t, ",\"args\":{\"from\":", hsi_memory_node_name(t->in, copy->from, node));
    hsi_trace_put_string(t, ",\"to\":", hsi_memory_node_name(t->in, copy->to, node));
    hsi_trace_put_number(t, ",\"bytes\":", copy->bytes);
    hsi_trace_put_number(t, ",\"start\":", copy->start);
    hsi_trace_put_number(t, ",\"end\":", copy->end);
    hsi_output_text(&t->out, "}}");
}

hs_status hsi_trace_write_copies(hsi_trace *t, const hs_transfer *list, size_t count)
{
    copies    c = {.trace = t, .list = list, .count = count};
    unsigned  first = t->next;
    hs_status st;

    if (count == 0)
        return HS_OK;
    c.lane_of = malloc(count * sizeof *c.lane_of);
    st = c.lane_of ? choose_lanes(&c) : HS_ENOMEM;
    if (st == HS_OK)
        name_lanes(&c, first);
    for (size_t i = 0; st == HS_OK && i < count && !hsi_output_failed(&t->out); i++)
        put_copy(t, &list[i], (hsi_track){first, first + c.lane_of[i]});
    t->next += count_lanes(&c);
    free(c.lane_of);
    hsi_vector_free(&c.lanes);
    return st;
}
