/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_WORKER_QUEUES_H
#define HSI_POLICY_WORKER_QUEUES_H

#include "core/problem.h"
#include "support/sort.h"

/*
 * A queue of waiting tasks for each worker: a linked list in arrival order, or with `before` a skew
 * heap that has the first task by that order at its root. A task is in at most one queue, so two
 * links per task are the whole memory. Merging follows right edges and swaps children: O(log n)
 * amortised.
 */
typedef struct hsi_worker_queues {
    hsi_before  before; /* order of the heaps; NULL: first come, first served */
    const void *context;
    uint32_t *first; /* indexed by worker: first task; HS_NONE or any value if the queue is empty */
    uint32_t *last;  /* indexed by worker: last task of a list */
    uint32_t *left;  /* indexed by task: left child in a heap, next task in a list */
    uint32_t *right; /* indexed by task: right child in a heap */
    size_t   *count; /* indexed by worker: length of the queue */
    size_t    total; /* length of all queues */
} hsi_worker_queues;

/* Create an empty queue for each worker of `pb`. `before` is as in the struct; `context` is passed
 * to `before` and must outlive `queues`. HS_ENOMEM. */
hs_status hsi_worker_queues_open(hsi_worker_queues *queues, const hsi_problem *pb,
                                 hsi_before before, const void *context);
void      hsi_worker_queues_close(hsi_worker_queues *queues);

/* Add a task, which must be in no queue, to a worker's queue. */
void hsi_worker_queues_push(hsi_worker_queues *queues, unsigned worker, uint32_t task);

/* Remove and return the first task of a worker's queue, which must not be empty. */
uint32_t hsi_worker_queues_pop(hsi_worker_queues *queues, unsigned worker);

#endif
