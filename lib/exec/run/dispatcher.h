/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_DISPATCHER_H
#define HSI_EXEC_RUN_DISPATCHER_H

#include "exec/machine/machine.h"
#include "exec/machine/power.h"
#include "exec/run/bodies.h"
#include "exec/run/control.h"
#include "exec/run/progress.h"
#include "exec/run/results.h"
#include "exec/work.h"
#include "exec/run/worker.h"

/*
 * One thread a worker, and the caller's, which waits for the end. What a policy gives a worker
 * for its own runs without a lock; everything else that is decided is decided under
 * the lock, by whichever thread brings the news: it asks the policy for itself and
 * for those that wait and that the policy says it concerns, and wakes who has got something to do.
 *
 * The lock is control.lock. While a run lasts, it guards `wake` and all calls of the policy but
 * those that hs_policy_own() describes; control, results and worker say which of their fields it
 * guards. No thread changes the other fields meanwhile.
 */
struct hs_exec {
    hsi_work      work;
    hsi_machine   machine;
    hsi_power_use power; /* of the last run */
    hsi_bodies    bodies;
    hs_policy    *policy;
    hsi_results   results;
    hsi_progress  progress;
    hsi_worker   *worker;
    unsigned      conds; /* workers whose turn.wake is there */
    hs_wake       wake;  /* waiting workers that must be asked again */
    hsi_control   control;
    const hs_transfer *transfers; /* of the last run */
    size_t             transfer_count;
    hs_transfer       *waited; /* these, if they are no GPU's */
    int           comes_back; /* workers may have more of their own after they were asked */
    int           chooses_ahead; /* GPUs may choose before they have ended what they run */
};

/* What runs a task on this worker. */
static inline const hsi_body *hsi_worker_body(const hsi_worker *worker, uint32_t task)
{
    return hsi_body_of(&worker->exec->bodies, worker->exec->work.in, task, worker->type);
}

/* exec.c: a handle that has run is made ready to run again */
hs_status hsi_renew(hs_exec *exec, char why[HS_WHY]);

/* Why a run is broken off with HS_ESCHEDULE: a policy may be anybody's. */
#define HSI_IMPOSSIBLE "the policy decides what cannot be done"

/* decide.c: with the lock held, but for hsi_time_since_start() */
void   hsi_ask_all(hs_exec *exec); /* before anybody has begun, where the policy settles */
void   hsi_reconsider(hs_exec *exec, int64_t now);
double hsi_policy_time(hs_exec *exec, int64_t now); /* is never set back */
double hsi_time_since_start(const hs_exec *exec, int64_t now);

/* turn.c: with the lock held */
void hsi_halt(hs_exec *exec, hs_exec_stop_how how);
void hsi_break_off(hs_exec *exec, hs_status status, const char *why);

/* failure.c: without the lock */
void hsi_failures_tell(hs_exec *exec);

/* watch.c: what the caller's thread does until all have left */
void hsi_wait_for_workers(hs_exec *exec);

/* transfers.c: what runs tasks of that slot waits until their inputs would be there */
int hsi_stands_in(const hs_exec *exec, hs_type type, unsigned slot);

/* likewise: when all threads have ended; and before there is another run */
void hsi_transfers_note(hs_exec *exec);
void hsi_transfers_forget(hs_exec *exec);

/* report.c: `lost` of the tasks that seemed done are not on record. */
void hsi_report_fill(const hs_exec *exec, uint64_t lost, hs_exec_report *report);

#endif
