/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_DATA_LOCATIONS_H
#define HSI_POLICY_DATA_LOCATIONS_H

#include <hybridsched/schedule.h>

#include "core/problem.h"
#include "support/vector.h"

/*
 * Replicas and transfers as a policy sees them: the node on which each task ran, the replicas of
 * each data handle, and those on their way. A transfer starts when a task is assigned to a worker,
 * from the node of the last writer. A replica has one version, that of its writer, and stays until
 * a newer version replaces it. Data made for one task alone has one arrival time per node, since
 * its parts are always fetched together. Without links all data is everywhere at once, and nothing
 * is stored.
 *
 * O(inputs) per call; reading all copies of a row with a count costs O(1) per copy.
 *
 * With `records` set, each transfer is recorded. Parts that one task reads from all copies of
 * another row are one transfer per node, from the start of the first part to the end of the last:
 * so there are at most (edges + accesses) x nodes transfers.
 */
typedef struct hsi_data_location {
    double   arrival; /* time at which the replica is complete */
    uint64_t writer;  /* number of the task that wrote the version, plus 2; 1: the host's initial
                         version; 0: no replica */
} hsi_data_location;

typedef struct hsi_data_locations {
    const hs_instance *in;
    const hsi_problem *pb; /* links of the instance; NULL: transfers take no time, and nothing is
                              stored */
    size_t             nodes;
    uint32_t          *node_of; /* indexed by task: node on which the finished task ran */
    double            *end_of;  /* indexed by task: end of the finished task */
    double *own_arrival; /* indexed by task and node: arrival of data made for this task alone; 0:
                            not started */
    hsi_data_location *replicas; /* indexed by handle and node; NULL: the instance has no handles */
    int                records;  /* 1: record transfers */
    bool               has_lost_transfers; /* whether an allocation failed, so that recorded
                                              transfers are incomplete */
    hsi_vector         transfers;          /* started transfers, hs_transfer each */
} hsi_data_locations;

/* Start a run in which only the host has replicas. `in` and `pb` must outlive `locations`.
 * HS_ENOMEM. */
hs_status hsi_locations_open(hsi_data_locations *locations, const hs_instance *in,
                             const hsi_problem *pb);
void      hsi_locations_close(hsi_data_locations *locations);

/* Return true if transfers take time, so that locations are kept. */
static inline bool hsi_locations_are_tracked(const hsi_data_locations *locations)
{
    return locations->pb != NULL;
}

/* Record the end of a task: the worker's memory node has the new version of the written handles. */
void hsi_locations_record_end(hsi_data_locations *locations, uint32_t task, unsigned worker,
                              double now);

/* Return when the last input of the task would arrive, >= now, if the task were assigned to the
 * worker now. Starts no transfer. */
double hsi_locations_arrival(const hsi_data_locations *locations, uint32_t task, unsigned worker,
                             double now);

/* Return the duration of the longest transfer that assigning the task to the worker would start. */
double hsi_locations_longest_transfer(const hsi_data_locations *locations, uint32_t task,
                                      unsigned worker);

/* Start the transfers of a task assigned to the worker, and return the arrival of the last input,
 * >= now. */
double hsi_locations_start_transfers(hsi_data_locations *locations, uint32_t task, unsigned worker,
                                     double now);

/* Record the transfers of a task that was planned for this worker from the start: each transfer
 * began when its data was written. All predecessors of the task are done. */
void hsi_locations_prefetch(hsi_data_locations *locations, uint32_t task, unsigned worker);

/* Move the recorded transfers into the schedule. HS_ENOMEM: some were not recorded. */
hs_status hsi_locations_move_transfers(hsi_data_locations *locations, hs_schedule *s);

#endif
