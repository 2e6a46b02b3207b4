/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/run/blocked.h"

#include <stdlib.h>

#include "exec/run/dispatcher.h"
#include "exec/vertex_order.h"

/* Return the lowest of the failed tasks before a vertex, or HS_NONE. */
static uint32_t first_before(const hsi_results *results, const hsi_vertex_order *order,
                             uint32_t vertex)
{
    size_t          count;
    const uint32_t *before = hs_graph_predecessors(order->graph, vertex, &count, NULL);
    uint32_t        first = HS_NONE;

    for (; count > 0; count--, before++)
        if (results->blocker[*before] < first)
            first = results->blocker[*before];
    return first;
}

/* Fill `blocker` in topological order. A failed task is its own blocker. */
static void follow(hsi_results *results, const hsi_vertex_order *order, size_t tasks)
{
    for (size_t i = 0; i < order->count; i++) {
        uint32_t v = order->vertex[i];

        results->blocker[v] = first_before(results, order, v);
        if (v >= tasks)
            continue;
        if (results->state[v] == HSI_TASK_FAILED)
            results->blocker[v] = v;
        else if (hsi_is_left_out(results, v))
            results->blocker[v] = HS_NONE;
        else
            results->blocked += results->blocker[v] != HS_NONE;
    }
}

hs_status hsi_blocked_find(hsi_results *results, const hsi_work *work)
{
    hsi_vertex_order order;
    hs_status st;

    if (!results->failed || !hs_instance_has_graph(work->in))
        return HS_OK;
    st = hsi_vertex_order_find(&order, work->in);
    if (st != HS_OK)
        return st;
    results->blocker = malloc((order.count + 1) * sizeof *results->blocker);
    if (results->blocker)
        follow(results, &order, hs_instance_tasks(work->in));
    hsi_vertex_order_free(&order);
    return results->blocker ? HS_OK : HS_ENOMEM;
}

int hs_exec_is_blocked(const hs_exec *exec, uint32_t task, uint32_t *failed)
{
    uint32_t blocker = HS_NONE;

    if (exec && exec->results.blocker && task < hs_instance_tasks(exec->work.in))
        blocker = exec->results.blocker[task];
    if (blocker == HS_NONE || blocker == task)
        return 0;
    if (failed)
        *failed = blocker;
    return 1;
}
