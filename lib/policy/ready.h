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
#define HSI_NEVER_READY (UINT32_C(1) << 31) /* a counter at or above this bit never reaches 0 */

typedef struct hsi_ready {
    const hs_graph *graph;      /* NULL: independent tasks */
    uint32_t       *unfinished; /* indexed by vertex: unfinished predecessors; at least
                                   HSI_NEVER_READY: done before the start, excluded, or successor of
                                   a dropped task */
    uint32_t *news;             /* ready tasks not yet returned; room for all tasks */
    size_t    news_count;
    uint32_t *scratch; /* stack of vertices whose successors must be visited; room for all
                          vertices */
    hsi_token *token;  /* cancel token; may be NULL */
} hsi_ready;

/* Count the predecessors of all vertices, and collect the tasks without predecessors. The graph of
 * `pb` must outlive `ready`. HS_ENOMEM. */
hs_status hsi_ready_open(hsi_ready *ready, const hsi_problem *pb);
void      hsi_ready_close(hsi_ready *ready);

/* Record that a task is done: lower the counters of its successors. */
void hsi_ready_record_done(hsi_ready *ready, uint32_t task);

/* Mark all successors of a dropped task, direct and indirect, as never ready. O(edges) in
 * total over all calls. */
void hsi_ready_record_dropped(hsi_ready *ready, uint32_t task);

/* Mark a task as done before the start: never returned, and counted as a finished predecessor. */
void hsi_ready_mark_done_before_start(hsi_ready *ready, uint32_t task);

/* Exclude a task before the start: never returned. hsi_ready_record_done() may report its end. */
void hsi_ready_exclude(hsi_ready *ready, uint32_t task);

/*
 * hsi_ready_record_done() for concurrent calls, after the first hsi_ready_collect(): a task that
 * becomes ready is not collected, but passed to `release` by the thread that ended its last
 * predecessor. A thread that finds the task ready sees all writes of its predecessors.
 */
typedef void hsi_release(void *data, uint32_t task);
void hsi_ready_record_done_concurrently(hsi_ready *ready, uint32_t task, hsi_release *release,
                                        void *data);

/* Return the number of unfinished predecessors of a task; at least HSI_NEVER_READY if the task
 * never becomes ready. */
static inline uint32_t hsi_ready_unfinished_predecessors(const hsi_ready *ready, uint32_t task)
{
    return __atomic_load_n(&ready->unfinished[task], __ATOMIC_SEQ_CST);
}

/* Return true if all predecessors are done. */
static inline bool hsi_is_ready(const hsi_ready *ready, uint32_t task)
{
    return hsi_ready_unfinished_predecessors(ready, task) == 0;
}

/* Return true if the task never becomes ready: done before the start, or successor of a dropped
 * task. */
static inline bool hsi_is_never_ready(const hsi_ready *ready, uint32_t task)
{
    return hsi_ready_unfinished_predecessors(ready, task) >= HSI_NEVER_READY;
}

/* Return the number of tasks that became ready since the last call, and set *tasks to them, in
 * topological order; the array is owned by `ready` and valid until the next call. Return 0 after
 * the cancel token was cancelled; *tasks is useless then. */
size_t hsi_ready_collect(hsi_ready *ready, const uint32_t **tasks);

#endif
