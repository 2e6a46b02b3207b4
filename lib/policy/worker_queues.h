/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_WORKER_QUEUES_H
#define HSI_POLICY_WORKER_QUEUES_H

#include "core/problem.h"
#include "support/sort.h"

/*
 * What waits for each worker: a list in the order of coming, or where `before` is given a skew
 * heap, the first by that order at its root. Each task is in one queue at most: two links a task
 * are all the memory. A heap is merged along its right edge, whose children change sides: O(log n)
 * amortised.
 */
#define HSI_NO_TASK UINT32_MAX

typedef struct hsi_worker_queues {
    hsi_before  before; /* NULL: first come, first served */
    const void *context;
    uint32_t   *first, *last; /* of workers */
    uint32_t   *left, *right; /* of tasks; of a list, left is the next one */
    size_t     *count;        /* of workers */
    size_t      all;
} hsi_worker_queues;

hs_status hsi_worker_queues_open(hsi_worker_queues *queues, const hsi_problem *pb,
                                 hsi_before before, const void *context);
void      hsi_worker_queues_close(hsi_worker_queues *queues);

void hsi_worker_queues_push(hsi_worker_queues *queues, unsigned worker, uint32_t task);

/* There is one. */
uint32_t hsi_worker_queues_pop(hsi_worker_queues *queues, unsigned worker);

#endif
