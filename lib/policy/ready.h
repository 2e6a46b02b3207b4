/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_READY_H
#define HSI_POLICY_READY_H

#include "core/problem.h"

/*
 * Tasks whose predecessors are all done. Each vertex has a counter of unfinished predecessors; a
 * barrier is done when its counter is 0. Newly ready tasks are returned once, all together, in
 * topological order. O(1) per edge, plus O(log) per task when many tasks become ready at one time.
 * Without a graph all tasks are ready from the start.
 */
#define HSI_NEVER (UINT32_C(1) << 31) /* a counter at or above this bit never reaches 0 */

typedef struct hsi_ready {
    const hs_graph    *graph; /* the graph of `pb`; NULL: independent tasks */
    const hsi_problem *pb;
    uint32_t  *left;        /* indexed by vertex: unfinished predecessors; at least HSI_NEVER:
                               skipped, or successor of a dropped task */
    uint32_t  *news;        /* ready tasks not yet returned; room for all tasks */
    uint32_t  *scratch;     /* room for all vertices */
    size_t     count;
    uint32_t   expected[2]; /* the two latest tasks given to hsi_ready_prefetch_counts(), latest
                               first */
    hsi_token *token;       /* cancel token of `pb` */
} hsi_ready;

/* Count the predecessors of all vertices and collect the tasks without any. `pb` must outlive
 * `ready`. */
hs_status hsi_ready_open(hsi_ready *ready, const hsi_problem *pb);
void      hsi_ready_close(hsi_ready *ready);

void hsi_ready_done(hsi_ready *ready, uint32_t task);

/* Prefetch the counters of a started task's successors into the cache. Successor lists and counters
 * are scattered in memory, so each call does one step for each of the last three tasks. */
void hsi_ready_prefetch_counts(hsi_ready *ready, uint32_t task);

/* Mark all successors of a dropped task, direct and indirect, as never ready. O(edges) in
 * total over all calls. */
void hsi_ready_dropped(hsi_ready *ready, uint32_t task);

/* Mark a task as done before the start: never returned, and counted as a finished predecessor. */
void hsi_ready_skip(hsi_ready *ready, uint32_t task);

/*
 * hsi_ready_done() for concurrent calls, after the first hsi_ready_news(): a task that becomes
 * ready is not collected, but passed to `release` by the thread that ended its last predecessor. A
 * thread that finds the task ready sees all writes of its predecessors.
 */
typedef void hsi_release(void *data, uint32_t task);
void hsi_ready_done_shared(hsi_ready *ready, uint32_t task, hsi_release *release, void *data);

static inline uint32_t hsi_ready_left(const hsi_ready *ready, uint32_t task)
{
    return __atomic_load_n(&ready->left[task], __ATOMIC_SEQ_CST);
}

/* Return 1 if all predecessors are done. */
static inline int hsi_is_ready(const hsi_ready *ready, uint32_t task)
{
    return hsi_ready_left(ready, task) == 0;
}

/* Return 1 if the task is skipped or comes after a dropped task, and thus never becomes ready. */
static inline int hsi_is_never(const hsi_ready *ready, uint32_t task)
{
    return hsi_ready_left(ready, task) >= HSI_NEVER;
}

/* Return the number of tasks that became ready since the last call, and the tasks in *tasks, valid
 * until the next call. 0 after the cancel token was cancelled; *tasks is useless then. */
size_t hsi_ready_news(hsi_ready *ready, const uint32_t **tasks);

#endif
