/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_TASK_ORDER_H
#define TOOLS_CHECK_TASK_ORDER_H

#include <hybridsched/hybridsched.h>

/** The order of tasks: the graph of an instance, or a graph with additional edges. */
typedef struct task_order {
    size_t          tasks, vertices;
    const hs_graph *g; /* NULL: the lists below are used */
    size_t         *before_at, *after_at;
    uint32_t       *before, *after; /* neighbours of each vertex, ascending */
} task_order;

static inline const uint32_t *order_predecessors(const task_order *w, size_t vertex, size_t *count)
{
    if (w->g)
        return hs_graph_predecessors(w->g, vertex, count, NULL);
    *count = w->before_at[vertex + 1] - w->before_at[vertex];
    return w->before + w->before_at[vertex];
}

static inline const uint32_t *order_successors(const task_order *w, size_t vertex, size_t *count)
{
    if (w->g)
        return hs_graph_successors(w->g, vertex, count);
    *count = w->after_at[vertex + 1] - w->after_at[vertex];
    return w->after + w->after_at[vertex];
}

#endif
