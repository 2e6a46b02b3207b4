/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/journal/outdated.h"

#include <stdlib.h>

#include "exec/vertex_order.h"

static uint64_t latest_before(const hsi_vertex_order *order, const uint64_t *done, uint32_t vertex)
{
    size_t          count;
    const uint32_t *before = hs_graph_predecessors(order->graph, vertex, &count, NULL);
    uint64_t        latest = 0;

    for (; count > 0; count--, before++)
        if (done[*before] > latest)
            latest = done[*before];
    return latest;
}

/* Compare in topological order. done[vertex]: the line of the task's record, or for a barrier of
 * the last record before it; UINT64_MAX: not done. */
static void compare_all(const hsi_vertex_order *order, size_t tasks, const uint64_t *line,
                        const hsi_journal_past *past, uint64_t *done)
{
    for (size_t i = 0; i < order->count; i++) {
        uint32_t v = order->vertex[i];
        uint64_t before = latest_before(order, done, v);

        done[v] = before;
        if (v >= tasks)
            continue;
        if (past->state[v] == HSI_PAST_DONE && before > line[v])
            past->state[v] = HSI_PAST_CHANGED;
        done[v] = past->state[v] == HSI_PAST_DONE ? line[v] : UINT64_MAX;
    }
}

hs_status hsi_journal_mark_outdated(const hs_instance *in, const uint64_t *line,
                                    const hsi_journal_past *past)
{
    hsi_vertex_order order;
    hs_status        st = hsi_vertex_order_find(&order, in);
    uint64_t        *done = NULL;

    if (st == HS_OK && order.count > 0) {
        done = malloc(order.count * sizeof *done);
        if (done)
            compare_all(&order, hs_instance_tasks(in), line, past, done);
        else
            st = HS_ENOMEM;
    }
    free(done);
    hsi_vertex_order_free(&order);
    return st;
}
