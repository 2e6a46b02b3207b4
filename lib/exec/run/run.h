/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_RUN_H
#define HSI_EXEC_RUN_RUN_H

#include "exec/machine/machine.h"
#include "exec/machine/gpu_energy.h"
#include "exec/run/bodies.h"
#include "exec/run/control.h"
#include "exec/run/progress.h"
#include "exec/run/results.h"
#include "exec/work.h"
#include "exec/run/worker.h"

/*
 * The run of the tasks. Each worker has a thread, and the thread of hs_exec_run() waits for the
 * end. The policy's list for a worker runs without the lock. All other decisions are made under the
 * lock, by the thread that reports an event: the thread asks the policy for its own worker and for
 * the waiting workers that the policy names, and wakes the workers that got a task.
 *
 * The lock is control.lock. While a run lasts, the lock guards `wake` and all calls of the policy
 * except the calls that hs_policy_take_own() describes; control, results and worker say which of
 * their fields the lock guards. No thread changes the other fields meanwhile.
 *
 * Modules, from the lowest; each calls modules above it in this list:
 *   control      control.c: lock, gate, halt flag, wake-up of the caller's thread
 *   bodies       bodies.c, kernel_memory.c: backends, and bodies made from the rows
 *   results      results.c: states and counts of tasks, journal, failures (struct is private)
 *   retries      retry.c: failed tasks that are to be tried again (struct is private)
 *   window       gpu_next_task.c, plan_prefetch.c, segments.c: tasks chosen or prefetched early
 *   dispatcher   policy_decisions.c, attempt_outcome.c, worker_phase.c, retirement.c: decisions
 *   worker       worker_thread.c, attempt.c, attempt_log.c, pipeline.c: threads that run tasks
 *   report       report.c, progress.c, failure_list.c, transfers.c: results for the caller
 *   setup        handle.c, worker_setup.c: creation and release of a handle
 *   run          run_tasks.c, caller_thread.c: hs_exec_run() and its wait for the workers
 * Three calls go down the list: the window breaks a run off in the dispatcher, and the dispatcher
 * and the worker add failures to the list of the report.
 */
struct hs_exec {
    hsi_work           work;
    hsi_machine        machine;
    hsi_gpu_energy_use power; /* of the last run */
    hsi_bodies         bodies;
    hs_policy         *policy;
    hsi_results       *results;
    hsi_retries       *retries;
    size_t             failures_reported; /* passed on; used by the caller's thread only */
    pthread_mutex_t    callbacks;         /* held for calls of settings.report.attempt and .line */
    hsi_progress       progress;
    hsi_worker        *worker;
    unsigned           conds; /* workers with turn.wake initialised */
    hs_wake            wake;  /* waiting workers that must be asked again */
    hsi_control        control;
    const hs_transfer *transfers; /* of the last run */
    size_t             transfer_count;
    hs_transfer       *waited; /* `transfers` if they are copied from the policy's; NULL:
                                  `transfers` belong to the matrix */
    bool own_list_may_resume;   /* the policy may give a worker tasks of its list again after
                                  hs_policy_next() */
    bool gpus_choose_next;      /* GPUs may choose their next task before the present task ends */
};

/* Return how the worker runs the task. */
static inline const hsi_body *hsi_worker_body(const hsi_worker *worker, uint32_t task)
{
    return hsi_body_of(&worker->exec->bodies, worker->exec->work.in, task, worker->type);
}

/*
 * handle.c: reset a handle for a further run; bodies, devices and cores stay. Return HS_ENOMEM, or
 * a status with the reason in *error. After a failure hs_exec_free() or the next call frees what
 * was made.
 */
hs_status hsi_renew(hs_exec *exec, hs_error *error);

/* The reason for HS_ESCHEDULE when a policy, perhaps the application's own, makes an impossible
 * decision. */
#define HSI_IMPOSSIBLE "the policy decides what cannot be done"

/* policy_decisions.c: hold the lock, except for hsi_time_since_start() */
void hsi_decide_first(hs_exec *exec); /* asks for all workers before the start, if the policy
                                         settles */
void   hsi_reconsider(hs_exec *exec, int64_t now);
double hsi_policy_time(hs_exec *exec, int64_t now); /* time of the policy's clock; never goes
                                                       back */
double hsi_time_since_start(const hs_exec *exec, int64_t now);

/* worker_phase.c: hold the lock */
void hsi_halt(hs_exec *exec, hs_exec_stop_mode how);
void hsi_break_off(hs_exec *exec, hs_status status, const char *why);

/* failure_list.c: pass recorded failures to settings.failure. Do not hold the lock. */
void hsi_failures_report(hs_exec *exec);

/* caller_thread.c: serve the run in the caller's thread until all workers have left */
void hsi_wait_for_workers(hs_exec *exec);

/* transfers.c: return true if tasks of a backend on a type are emulated, and wait for the arrival
 * of inputs */
bool hsi_is_emulated(const hs_exec *exec, hs_type type, unsigned slot);

/* transfers.c: hsi_transfers_note() collects the transfers of a run after all threads have ended;
 * hsi_transfers_forget() frees them */
void hsi_transfers_note(hs_exec *exec);
void hsi_transfers_forget(hs_exec *exec);

/* report.c: fill the report of a run; `lost` tasks were done but are missing in the journal. */
void hsi_report_fill(const hs_exec *exec, uint64_t lost, hs_exec_report *report);

#endif
