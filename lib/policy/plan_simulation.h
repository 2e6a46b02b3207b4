/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_PLAN_SIMULATION_H
#define HSI_POLICY_PLAN_SIMULATION_H

#include "policy/lists.h"
#include "policy/memory.h"
#include "policy/ready.h"
#include "support/worker_tree.h"

/*
 * When each task of a graph starts if its plan is followed and all takes what it is estimated to:
 * the very times that the policy of that name comes to under the virtual clock, bit for bit, and a
 * millionth more: else what starts on time is late by what a real clock rounds off.
 */
typedef struct hsi_plan_simulation {
    const hsi_problem *pb;
    double            *due;   /* of tasks: when it starts; INFINITY: never */
    uint32_t          *owner; /* of tasks: in whose list it is */

    /* for the time of the rehearsal */
    hsi_ready       ready;
    hsi_memory      memory;
    hsi_worker_tree busy;    /* until when each worker runs something; INFINITY: it does not */
    uint32_t       *running; /* of workers */
    hsi_list       *left;    /* of workers: what is left of its list */
} hsi_plan_simulation;

/* `pb` must outlive it. */
hs_status hsi_plan_simulation_open(hsi_plan_simulation *simulation, const hs_instance *in,
                                   const hsi_problem *pb, const hsi_lists *lists);
void      hsi_plan_simulation_close(hsi_plan_simulation *simulation);

/* Before it: the task is done already. */
void hsi_plan_simulation_skip(hsi_plan_simulation *simulation, uint32_t task);

/* Of what is in the lists now. Once. O(tasks log workers + edges). */
void hsi_plan_simulate(hsi_plan_simulation *simulation, const hsi_lists *lists);

#endif
