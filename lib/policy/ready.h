/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_READY_H
#define HSI_POLICY_READY_H

#include "core/problem.h"

/*
 * Who is ready: all of whose predecessors are done. Each vertex has the number of those that are
 * not; a barrier is done as soon as there is none left. What has become ready is told once, all of
 * it together, in topological order. O(1) an edge, and O(log) a task where many become ready at
 * a time. Without a graph everything is ready from the start.
 */
#define HSI_NEVER (UINT32_C(1) << 31) /* more than there can be predecessors */

typedef struct hsi_ready {
    const hs_graph    *graph; /* the problem's */
    const hsi_problem *pb;
    uint32_t  *left;        /* of vertices: predecessors that are not done; HSI_NEVER and more: it
                               is skipped, or comes after what is dropped */
    uint32_t  *news;        /* what is ready and was not told; room for all tasks */
    uint32_t  *scratch;     /* room for all vertices */
    size_t     count;
    uint32_t   expected[2]; /* what hsi_ready_prefetch_counts() was told last, and before that */
    hsi_asker *asker;       /* the problem's */
} hsi_ready;

/* `pb` must outlive it. */
hs_status hsi_ready_open(hsi_ready *ready, const hsi_problem *pb);
void      hsi_ready_close(hsi_ready *ready);

void hsi_ready_done(hsi_ready *ready, uint32_t task);

/* It was started, and is done later: where its successors stand, and what is left of them, lies
 * anywhere in memory, and is asked for in time, one step at each call. */
void hsi_ready_prefetch_counts(hsi_ready *ready, uint32_t task);

/* It will never be done: nothing that comes after it is ever ready. O(what does), once. */
void hsi_ready_dropped(hsi_ready *ready, uint32_t task);

/* It was done before the start, and is never told. */
void hsi_ready_skip(hsi_ready *ready, uint32_t task);

/*
 * The same by several threads at once, for what is done after hsi_ready_news() was asked for the
 * first time: what becomes ready is no news, but told to `release` by the thread that has done
 * the last of its predecessors. Who finds it ready finds all that they have written.
 */
typedef void hsi_release(void *data, uint32_t task);
void hsi_ready_done_shared(hsi_ready *ready, uint32_t task, hsi_release *release, void *data);

static inline uint32_t hsi_ready_left(const hsi_ready *ready, uint32_t task)
{
    return __atomic_load_n(&ready->left[task], __ATOMIC_SEQ_CST);
}

/* 1: nothing keeps the task from running. */
static inline int hsi_is_ready(const hsi_ready *ready, uint32_t task)
{
    return hsi_ready_left(ready, task) == 0;
}

/* 1: nothing will ever let it run. */
static inline int hsi_is_never(const hsi_ready *ready, uint32_t task)
{
    return hsi_ready_left(ready, task) >= HSI_NEVER;
}

/*
 * What has become ready since it was asked last; it lies there until it is asked again. 0, and
 * nothing of use any more, where the asker wants no more.
 */
size_t hsi_ready_news(hsi_ready *ready, const uint32_t **tasks);

#endif
