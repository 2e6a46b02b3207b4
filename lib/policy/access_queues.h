/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_ACCESS_QUEUES_H
#define HSI_POLICY_ACCESS_QUEUES_H

#include <hybridsched/instance.h>

/*
 * For each handle the queue of the accesses of live tasks, in the order of their addition. An
 * access is granted once no earlier access excludes it: a read excludes later writes, a write all
 * later accesses. Access i of task t has the index t * per_task + i; the links of the queues are by
 * index, so each access costs O(1) and no memory is allocated.
 */
typedef struct hsi_access_link {
    uint32_t previous, next; /* neighbours in the queue; HS_NONE */
} hsi_access_link;

typedef struct hsi_access_queue {
    uint32_t first, last; /* HS_NONE: the queue is empty */
    uint32_t waiting;     /* first access that is not granted; HS_NONE. Of a free handle: the next
                             free one */
    bool is_open;         /* whether tasks may access the handle */
} hsi_access_queue;

typedef struct hsi_access_queues {
    hs_access        *access;  /* by index; mode 0: unused */
    hsi_access_link  *link;    /* by index */
    bool             *granted; /* by index */
    hsi_access_queue *queue;   /* by handle */
    uint32_t          handles; /* room for handles */
    uint32_t          unused;  /* number of the first handle that was never used */
    uint32_t          free;    /* first free handle that was used; HS_NONE */
} hsi_access_queues;

/* Create room for the accesses of `tasks` tasks. HS_ENOMEM. */
hs_status hsi_access_queues_open(hsi_access_queues *queues, uint32_t tasks, uint32_t per_task,
                                 uint32_t handles);
void      hsi_access_queues_close(hsi_access_queues *queues);

/* Return a new handle with an empty queue; HS_NONE: there is no room. */
uint32_t hsi_access_queues_add_handle(hsi_access_queues *queues);

/* Close a handle, which becomes free with its last access. Return false if it is not open. */
bool hsi_access_queues_remove_handle(hsi_access_queues *queues, uint32_t handle);

static inline bool hsi_access_queues_have(const hsi_access_queues *queues, uint32_t handle)
{
    return handle < queues->unused && queues->queue[handle].is_open;
}

/* Append the access of this index, with its handle and mode. Return true if it is granted. */
bool hsi_access_queues_append(hsi_access_queues *queues, uint32_t index);

/* Remove an access from its queue, and pass each access that is granted by that to `grant`. */
typedef void hsi_grant(void *data, uint32_t index);
void         hsi_access_queues_remove(hsi_access_queues *queues, uint32_t index, hsi_grant *grant,
                                      void *data);

#endif
