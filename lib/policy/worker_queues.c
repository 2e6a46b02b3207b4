/* SPDX-License-Identifier: BSD-3-Clause */
#include "policy/worker_queues.h"

#include <stdlib.h>

hs_status hsi_worker_queues_open(hsi_worker_queues *queues, const hsi_problem *pb,
                                 hsi_before before, const void *context)
{
    size_t workers = (size_t)pb->m + pb->k;

    *queues = (hsi_worker_queues){.before = before, .context = context};
    queues->first = malloc(workers * sizeof *queues->first);
    queues->last = malloc(workers * sizeof *queues->last);
    queues->count = calloc(workers, sizeof *queues->count);
    queues->left = malloc((pb->n + 1) * sizeof *queues->left);
    queues->right = malloc((pb->n + 1) * sizeof *queues->right);
    if (!queues->first || !queues->last || !queues->count || !queues->left || !queues->right) {
        hsi_worker_queues_close(queues);
        return HS_ENOMEM;
    }
    for (size_t w = 0; w < workers; w++)
        queues->first[w] = queues->last[w] = HS_NONE;
    return HS_OK;
}

void hsi_worker_queues_close(hsi_worker_queues *queues)
{
    free(queues->first);
    free(queues->last);
    free(queues->count);
    free(queues->left);
    free(queues->right);
    *queues = (hsi_worker_queues){0};
}

static uint32_t merge_heaps(hsi_worker_queues *queues, uint32_t heap, uint32_t other)
{
    uint32_t root, *link = &root;

    while (heap != HS_NONE && other != HS_NONE) {
        uint32_t rest;

        if (queues->before(queues->context, other, heap)) {
            rest = heap;
            heap = other;
            other = rest;
        }
        *link = heap;
        rest = queues->right[heap];
        queues->right[heap] = queues->left[heap];
        link = &queues->left[heap];
        heap = rest;
    }
    *link = heap != HS_NONE ? heap : other;
    return root;
}

void hsi_worker_queues_push(hsi_worker_queues *queues, unsigned worker, uint32_t task)
{
    queues->left[task] = queues->right[task] = HS_NONE;
    if (queues->before)
        queues->first[worker] = merge_heaps(queues, queues->first[worker], task);
    else if (queues->count[worker] == 0)
        queues->first[worker] = queues->last[worker] = task;
    else
        queues->last[worker] = queues->left[queues->last[worker]] = task;
    queues->count[worker]++;
    queues->total++;
}

uint32_t hsi_worker_queues_pop(hsi_worker_queues *queues, unsigned worker)
{
    uint32_t task = queues->first[worker];

    queues->first[worker] = queues->before
                                ? merge_heaps(queues, queues->left[task], queues->right[task])
                                : queues->left[task];
    queues->count[worker]--;
    queues->total--;
    return task;
}
