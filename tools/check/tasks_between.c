/* SPDX-License-Identifier: BSD-3-Clause */
#include "check/tasks_between.h"

#include <stdlib.h>

#include "common/checked_memory.h"

enum { LOOK = 16 }; /* steps counted for each vertex, edge or task visited */

void tasks_between_open(tasks_between *b, const task_order *w)
{
    *b = (tasks_between){.w = w};
    b->task = checked_calloc(w->tasks + 1, sizeof *b->task);
    b->after = checked_calloc(w->vertices + 1, sizeof *b->after);
    b->before = checked_calloc(w->vertices + 1, sizeof *b->before);
    b->stack = checked_calloc(w->vertices + 1, sizeof *b->stack);
}

void tasks_between_close(tasks_between *b)
{
    free(b->task);
    free(b->after);
    free(b->before);
    free(b->stack);
}

static const uint32_t *next_of(const tasks_between *b, uint32_t vertex, bool forwards,
                               size_t *count)
{
    return forwards ? order_successors(b->w, vertex, count)
                    : order_predecessors(b->w, vertex, count);
}

/* Mark the vertices reachable from `vertex`; return false beyond the limit. */
static bool walk(tasks_between *b, uint32_t vertex, bool forwards, limits *l)
{
    uint32_t *met = forwards ? b->after : b->before;
    size_t    size = 0;

    b->stack[size++] = vertex;
    while (size > 0) {
        size_t          count;
        const uint32_t *next = next_of(b, b->stack[--size], forwards, &count);

        if (!limits_allow(l, LOOK * (1 + (uint64_t)count)))
            return false;
        for (size_t i = 0; i < count; i++)
            if (met[next[i]] != b->round) {
                met[next[i]] = b->round;
                b->stack[size++] = next[i];
            }
    }
    return true;
}

verdict tasks_between_find(tasks_between *b, uint32_t first, uint32_t second, limits *l)
{
    b->count = 0;
    b->round++;
    if (!limits_allow(l, LOOK * (uint64_t)b->w->tasks) ||
        (first != GRAPH_ENDS && !walk(b, first, true, l)) ||
        (second != GRAPH_ENDS && !walk(b, second, false, l)))
        return TOO_MUCH;
    if (first != GRAPH_ENDS && second != GRAPH_ENDS && b->after[second] != b->round)
        return FAILS;
    for (uint32_t i = 0; i < b->w->tasks; i++)
        if ((first == GRAPH_ENDS || b->after[i] == b->round) &&
            (second == GRAPH_ENDS || b->before[i] == b->round))
            b->task[b->count++] = i;
    return HOLDS;
}
