/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_PLAN_SIMULATION_H
#define HSI_POLICY_PLAN_SIMULATION_H

#include "policy/inputs.h"
#include "policy/plan_lists.h"
#include "policy/ready.h"
#include "support/worker_tree.h"

/*
 * The start time of each task of a graph if the plan is followed and all tasks take their
 * estimates. Times equal those of the policy plan under the virtual clock bit for bit, plus one
 * millionth: without this margin, the rounding of a real clock would make punctual tasks late.
 */
typedef struct hsi_plan_simulation {
    const hsi_problem *pb;
    double            *due;   /* indexed by task: start; INFINITY: never started */
    uint32_t          *owner; /* indexed by task: worker of the list with the task */

    /* arrays that are used during the simulation only */
    hsi_ready       ready;
    hsi_inputs      inputs;
    hsi_worker_tree busy;    /* indexed by worker: end of the running task; INFINITY: idle */
    uint32_t       *running; /* indexed by worker: running task */
    hsi_plan_list  *left;    /* indexed by worker: rest of the list */
} hsi_plan_simulation;

/* Allocate the simulation of the plan in `lists`. `pb` must outlive `simulation`. HS_ENOMEM. */
hs_status hsi_plan_simulation_open(hsi_plan_simulation *simulation, const hs_instance *in,
                                   const hsi_problem *pb, const hsi_plan_lists *lists);
void      hsi_plan_simulation_close(hsi_plan_simulation *simulation);

/* Mark a task as done before the start. Call before hsi_plan_simulate(). */
void hsi_plan_simulation_mark_done_before_start(hsi_plan_simulation *simulation, uint32_t task);

/* Compute `due` from the lists of the plan. Call at most once. O(tasks log workers + edges). */
void hsi_plan_simulate(hsi_plan_simulation *simulation, const hsi_plan_lists *lists);

#endif
