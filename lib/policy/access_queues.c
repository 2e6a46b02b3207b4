/* SPDX-License-Identifier: BSD-3-Clause */
#include "policy/access_queues.h"

#include <stdlib.h>

hs_status hsi_access_queues_open(hsi_access_queues *queues, uint32_t tasks, uint32_t per_task,
                                 uint32_t handles)
{
    size_t accesses = (size_t)tasks * per_task + 1;

    *queues = (hsi_access_queues){.handles = handles, .free = HS_NONE};
    queues->access = calloc(accesses, sizeof *queues->access);
    queues->link = calloc(accesses, sizeof *queues->link);
    queues->granted = calloc(accesses, sizeof *queues->granted);
    queues->queue = calloc((size_t)handles + 1, sizeof *queues->queue);
    if (queues->access && queues->link && queues->granted && queues->queue)
        return HS_OK;
    hsi_access_queues_close(queues);
    return HS_ENOMEM;
}

void hsi_access_queues_close(hsi_access_queues *queues)
{
    free(queues->access);
    free(queues->link);
    free(queues->granted);
    free(queues->queue);
    *queues = (hsi_access_queues){0};
}

uint32_t hsi_access_queues_add_handle(hsi_access_queues *queues)
{
    uint32_t handle = queues->free;

    if (handle != HS_NONE)
        queues->free = queues->queue[handle].waiting;
    else if (queues->unused < queues->handles)
        handle = queues->unused++;
    else
        return HS_NONE;
    queues->queue[handle] = (hsi_access_queue){HS_NONE, HS_NONE, HS_NONE, true};
    return handle;
}

static void release_if_unused(hsi_access_queues *queues, uint32_t handle)
{
    hsi_access_queue *queue = &queues->queue[handle];

    if (queue->is_open || queue->first != HS_NONE)
        return;
    queue->waiting = queues->free;
    queues->free = handle;
}

bool hsi_access_queues_remove_handle(hsi_access_queues *queues, uint32_t handle)
{
    if (!hsi_access_queues_have(queues, handle))
        return false;
    queues->queue[handle].is_open = false;
    release_if_unused(queues, handle);
    return true;
}

/* Return true if no access before this one excludes it; all accesses before it are granted. */
static bool may_be_granted(const hsi_access_queues *queues, uint32_t index)
{
    uint32_t before = queues->link[index].previous;

    return before == HS_NONE ||
           !((queues->access[before].mode | queues->access[index].mode) & HS_WRITE);
}

bool hsi_access_queues_append(hsi_access_queues *queues, uint32_t index)
{
    hsi_access_queue *queue = &queues->queue[queues->access[index].data];

    queues->link[index] = (hsi_access_link){queue->last, HS_NONE};
    if (queue->last == HS_NONE)
        queue->first = index;
    else
        queues->link[queue->last].next = index;
    queue->last = index;
    queues->granted[index] = queue->waiting == HS_NONE && may_be_granted(queues, index);
    if (!queues->granted[index] && queue->waiting == HS_NONE)
        queue->waiting = index;
    return queues->granted[index];
}

static void unlink_access(hsi_access_queues *queues, hsi_access_queue *queue, uint32_t index)
{
    hsi_access_link link = queues->link[index];

    if (link.previous == HS_NONE)
        queue->first = link.next;
    else
        queues->link[link.previous].next = link.next;
    if (link.next == HS_NONE)
        queue->last = link.previous;
    else
        queues->link[link.next].previous = link.previous;
    if (queue->waiting == index)
        queue->waiting = link.next;
}

void hsi_access_queues_remove(hsi_access_queues *queues, uint32_t index, hsi_grant *grant,
                              void *data)
{
    uint32_t          handle = queues->access[index].data;
    hsi_access_queue *queue = &queues->queue[handle];

    unlink_access(queues, queue, index);
    while (queue->waiting != HS_NONE && may_be_granted(queues, queue->waiting)) {
        uint32_t next = queue->waiting;

        queue->waiting = queues->link[next].next;
        queues->granted[next] = true;
        grant(data, next);
    }
    release_if_unused(queues, handle);
}
