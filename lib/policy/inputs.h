/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_INPUTS_H
#define HSI_POLICY_INPUTS_H

#include <hybridsched/schedule.h>

#include "core/problem.h"
#include "data/ledger.h"
#include "support/vector.h"

/*
 * Inputs of tasks and their transfers as a policy sees them: a ledger of the replicas of handles
 * with the times of their arrival, and for each task the node on which it ran. A transfer starts
 * when a task is assigned to a worker, from the node of the last writer. A replica stays until a
 * newer version replaces it. Data made for one task alone has one arrival time per node, since its
 * parts are always fetched together. Without links all data is everywhere at once, and nothing is
 * stored.
 *
 * O(inputs) per call; reading all copies of a row with a count costs O(1) per copy.
 *
 * With `records` set, each transfer is recorded. Parts that one task reads from all copies of
 * another row are one transfer per node, from the start of the first part to the end of the last:
 * so there are at most (edges + accesses) x nodes transfers.
 */
typedef struct hsi_inputs {
    const hsi_problem *pb; /* links of the instance; NULL: transfers take no time, and nothing is
                              stored */
    size_t    nodes;
    uint32_t *node_of;     /* indexed by task: node on which the finished task ran */
    double   *end_of;      /* indexed by task: end of the finished task */
    double   *own_arrival; /* indexed by task and node: arrival of data made for this task alone; 0:
                              not started */
    hsi_ledger *ledger;    /* replicas of handles; NULL: no task accesses a handle */
    bool        is_recycled; /* whether tasks arrive: numbers of tasks are reused, so versions of
                                handles have numbers of their own */
    int         records;   /* 1: record transfers */
    bool        has_lost_transfers; /* whether an allocation failed, so that recorded
                                       transfers are incomplete */
    hsi_vector transfers;           /* started transfers, hs_transfer each */
} hsi_inputs;

/* Start a run in which each handle is only in the memory node that the instance names. `in` and
 * `pb` must outlive `inputs`. HS_ENOMEM. */
hs_status hsi_inputs_open(hsi_inputs *inputs, const hs_instance *in, const hsi_problem *pb);
void      hsi_inputs_close(hsi_inputs *inputs);

/* Start a run of tasks that arrive, with room for handles. HS_ENOMEM. */
hs_status hsi_inputs_open_arriving(hsi_inputs *inputs, const hsi_problem *pb, uint32_t handles);

/* With tasks that arrive: add a handle whose content is in memory node `node`. */
void hsi_inputs_add_handle(hsi_inputs *inputs, uint32_t handle, double bytes, uint32_t node);

/* Return true if transfers take time, so that inputs are kept. */
static inline bool hsi_inputs_are_tracked(const hsi_inputs *inputs)
{
    return inputs->pb != NULL;
}

/* Return the newest version of a handle. */
static inline uint32_t hsi_inputs_version(const hsi_inputs *inputs, uint32_t handle)
{
    return inputs->ledger ? hsi_ledger_newest(inputs->ledger, handle) : HS_NONE;
}

/* Record the end of a task: the worker's memory node has the new version of the written handles. */
void hsi_inputs_record_end(hsi_inputs *inputs, uint32_t task, unsigned worker, double now);

/* Record a task that was done before the start, in any order: the memory node of the worker, or the
 * first host for HS_NONE, has its results from 0 on. */
void hsi_inputs_mark_done(hsi_inputs *inputs, uint32_t task, unsigned worker);

/* Return when the last input of the task would arrive, >= now, if the task were assigned to the
 * worker now. Starts no transfer. */
double hsi_inputs_arrival(const hsi_inputs *inputs, uint32_t task, unsigned worker, double now);

/* Return the duration of the longest transfer that assigning the task to the worker would start. */
double hsi_inputs_longest_transfer(const hsi_inputs *inputs, uint32_t task, unsigned worker);

/* Return the bytes of the task's inputs that are neither on the worker's memory node nor on their
 * way to it. */
double hsi_inputs_missing_bytes(const hsi_inputs *inputs, uint32_t task, unsigned worker);

/* Return the bytes of the task's inputs that will not have arrived on the worker's memory node by
 * `now`. */
double hsi_inputs_awaited_bytes(const hsi_inputs *inputs, uint32_t task, unsigned worker,
                                double now);

/* Return true if the node has, or will have, the newest version of the handle. */
bool hsi_inputs_have_replica(const hsi_inputs *inputs, uint32_t handle, uint32_t node);

/* Start the transfers of a task assigned to the worker, and return the arrival of the last input,
 * >= now. */
double hsi_inputs_start_transfers(hsi_inputs *inputs, uint32_t task, unsigned worker, double now);

/* Record the transfers of a task that was planned for this worker from the start: each transfer
 * began when its data was written. All predecessors of the task are done. */
void hsi_inputs_prefetch(hsi_inputs *inputs, uint32_t task, unsigned worker);

/* Move the recorded transfers into the schedule. HS_ENOMEM: some were not recorded. */
hs_status hsi_inputs_move_transfers(hsi_inputs *inputs, hs_schedule *s);

#endif
