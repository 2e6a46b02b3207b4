/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_ARRIVALS_H
#define HSI_POLICY_ARRIVALS_H

#include <hybridsched/arrivals.h>

#include "core/instance_store.h"
#include "policy/access_queues.h"
#include "policy/inputs.h"
#include "policy/ready.h"

/*
 * The tasks of a policy that arrive while it runs: an instance with a fixed number of rows, which
 * policies read like any other, and which are reused. A row's successors in `after` are a list of
 * edges; its order after tasks that access the same handles is in the queues of accesses. The
 * counter of hsi_ready has the number of edges to a task plus its accesses that are not granted.
 * Dropped tasks form a list until they are returned by hs_policy_take_stranded(); their counters
 * have HSI_NEVER_READY set and still count edges, and a row is free once no edge leads to it.
 */
typedef enum hsi_arrival_state {
    HSI_ROW_FREE,
    HSI_ROW_WAITS,   /* a predecessor is not done, or no worker has the task */
    HSI_ROW_GIVEN,   /* a worker has the task */
    HSI_ROW_DROPPED, /* the task is in the list of dropped tasks */
    HSI_ROW_LEFT     /* the task is no longer live, but edges lead to it */
} hsi_arrival_state;

typedef struct hsi_arrival_edge {
    uint32_t task; /* successor */
    uint32_t next; /* next edge of the predecessor, or next free edge; HS_NONE */
} hsi_arrival_edge;

typedef struct hsi_arrivals {
    hs_room           room;
    hs_instance       in;
    hsi_store         store;
    hsi_relations     relations; /* the links of the machine */
    hsi_recycled_rows rows;
    hs_graph          graph; /* accesses and order of the rows; no edges */
    hsi_access_queues queues;
    unsigned char    *restartable, *kernel; /* by row */
    unsigned char    *state;                /* by row: an hsi_arrival_state */
    uint64_t         *number;               /* by row: number of the addition */
    uint32_t         *next;  /* by row: next free row, or next dropped task; HS_NONE */
    uint32_t         *edges; /* by row: first edge to a successor; HS_NONE */
    hsi_arrival_edge *edge;
    uint32_t          unused_row, free_row; /* first row that was never used; first free used row */
    uint32_t          unused_edge, free_edge;
    uint32_t          free_edges;
    uint32_t          live;
    uint32_t          dropped; /* first dropped task; HS_NONE */
    uint64_t          latest;  /* number of the last addition */
    hsi_ready        *ready;   /* of the policy */
    hsi_inputs       *inputs;
} hsi_arrivals;

/* Create the rows. HS_ETOOBIG, HS_ENOMEM. */
hs_status hsi_arrivals_create(const hs_instance *machine, const hs_room *room, hsi_arrivals **out);
void      hsi_arrivals_free(hsi_arrivals *arrivals);

/* Implement hs_policy_add_task(). On HS_OK *is_ready says whether the task is ready. */
hs_status hsi_arrivals_add(hsi_arrivals *arrivals, const hs_arrival *task, hs_task_id *id,
                           bool *is_ready);

/* Record that a worker has the task. */
static inline void hsi_arrivals_give(hsi_arrivals *arrivals, uint32_t task)
{
    arrivals->state[task] = HSI_ROW_GIVEN;
}

/* Record that the worker no longer has the task, which is not done. */
static inline void hsi_arrivals_take_back(hsi_arrivals *arrivals, uint32_t task)
{
    arrivals->state[task] = HSI_ROW_WAITS;
}

static inline bool hsi_arrivals_is_given(const hsi_arrivals *arrivals, uint32_t task)
{
    return arrivals->state[task] == HSI_ROW_GIVEN;
}

/* End a task that is done: release its successors, and free its row. */
void hsi_arrivals_retire(hsi_arrivals *arrivals, uint32_t task);

/* Drop a task and its successors, and free its row. O(live tasks) for each dropped task. */
void hsi_arrivals_drop(hsi_arrivals *arrivals, uint32_t task);

/* Remove a task from the list of dropped tasks; HS_NONE: the list is empty. */
uint32_t hsi_arrivals_take_dropped(hsi_arrivals *arrivals);

#endif
