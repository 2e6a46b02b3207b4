/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_TASKS_BETWEEN_H
#define TOOLS_CHECK_TASKS_BETWEEN_H

#include "check/limits.h"
#include "check/task_order.h"

/** Search for the tasks of a graph between two tasks. */
typedef struct tasks_between {
    const task_order *w;
    uint32_t         *task; /* tasks found by the last search */
    size_t            count;
    /*
     * per vertex: number of the last search that reached it from `first`, and backwards from
     * `second`
     */
    uint32_t         *after, *before;
    uint32_t         *stack, round;
} tasks_between;

#define GRAPH_ENDS UINT32_MAX /* in place of a task: the beginning or the end of the graph */

void tasks_between_open(tasks_between *b, const task_order *w);
void tasks_between_close(tasks_between *b);

/**
 * Set b->task to the tasks after `first` and before `second`. Return FAILS if `second` does not
 * depend on `first`, and TOO_MUCH beyond the limits.
 */
verdict tasks_between_find(tasks_between *b, uint32_t first, uint32_t second, limits *l);

#endif
