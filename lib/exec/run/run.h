/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_RUN_H
#define HSI_EXEC_RUN_RUN_H

#include "exec/machine/machine.h"
#include "exec/run/bodies/bodies.h"
#include "exec/run_spec.h"

/*
 * The run of the tasks. Each worker has a thread, and the thread of hs_exec_run() waits for the end
 * of all workers. A worker runs the tasks of its own list in the policy without the lock. All other
 * decisions are made under the lock, by the thread that reports an event: the thread asks the
 * policy for its own worker and for the waiting workers that the policy names, and wakes the
 * workers that got a task.
 *
 * The lock is that of `control`. While a run lasts, the lock guards all calls of the policy except
 * the calls that hs_policy_take_own() describes. The struct of each module is private to its
 * folder or file; NAME_private.h is for the files of its folder only.
 *
 * Modules, from the lowest; each calls the modules above it in this list:
 *   control      control.c: lock, gate, halt flag, wake-up of the caller's thread
 *   bodies       bodies/: backends, and bodies made from the rows
 *   results      results.c: states and counts of tasks, journal, failures
 *   window       window/: prefetch of the tasks that a worker runs next
 *   report       report/: attempts, progress, failures and transfers for the caller
 *   dispatcher   dispatcher/: what each worker does next, and what happens after an attempt
 *   worker       worker/: the threads that run tasks
 *   setup        setup.c: creation, renewal and release of a handle
 *   run          run.c, caller_thread.c: hs_exec_run() and its wait for the workers
 * One call goes down the list: the report halts the run if it has no memory for a failure.
 */
typedef struct hsi_control    hsi_control;
typedef struct hsi_bodies     hsi_bodies;
typedef struct hsi_results    hsi_results;
typedef struct hsi_report     hsi_report;
typedef struct hsi_dispatcher hsi_dispatcher;

typedef struct hsi_window  hsi_window;
typedef struct hsi_account hsi_account;
typedef struct hsi_dispatch_state hsi_dispatch_state;
typedef struct hsi_thread  hsi_thread;

/*
 * A worker: the facts that several modules need, and the data of each module. Only the worker's own
 * thread writes the facts about attempts. Other threads read them with the lock held while the
 * worker waits: a writer of `now` holds the lock, or takes the lock before the worker waits.
 */
typedef struct hsi_worker {
    hs_exec *exec;
    unsigned number;
    hs_type  type;

    hsi_window  *window;
    hsi_account *account; /* of the report */
    hsi_dispatch_state *dispatch; /* of the dispatcher */
    hsi_thread  *thread;  /* of the worker's thread */

    hs_backend_worker **states; /* open backends, by slot; constant once the gate is open */

    /* Other threads often read the fields above: do not share their cache line. */
    _Alignas(64) int64_t now; /* end of the last attempt, in ns */
    unsigned in_flight;       /* number of in-flight tasks, without the attempt that ended last */
    char    *log;             /* path of the last attempt's log file; NULL: no logs are kept */
    char     why[HS_WHY];     /* reason or note of the last attempt; empty: none */
} hsi_worker;

struct hs_exec {
    hsi_run_spec    spec;
    hsi_machine     machine;
    hs_policy      *policy;
    hsi_control    *control;
    hsi_bodies     *bodies;
    hsi_exchange   *exchange; /* of the bodies' data: messages of the ranks; NULL: no ranks */
    hsi_results    *results;
    hsi_report     *report;
    hsi_dispatcher *dispatcher;
    hsi_worker     *worker; /* array of spec.workers elements; lives as long as the handle */
    bool            ran;    /* hs_exec_run() was called; used by the caller's thread only */
};

/* Return how the worker runs the task. O(1). */
static inline const hsi_body *hsi_worker_body(const hsi_worker *worker, uint32_t task)
{
    return hsi_body_of(worker->exec->bodies, worker->exec->spec.in, task, worker->type);
}

/* Return the number of the run's tasks in this process. */
static inline size_t hsi_run_task_count(const hs_exec *exec)
{
    return exec->exchange ? hsi_exchange_own_tasks(exec->exchange)
                          : hs_instance_tasks(exec->spec.in);
}

/*
 * setup.c: prepare a handle for a further run: results and policy are new, and the other modules
 * are reset. On HS_ENOMEM, and on HS_EINVAL of the policy, the handle keeps the state after the
 * previous run.
 */
hs_status hsi_exec_prepare_next_run(hs_exec *exec);

/* ranks.c: in the caller's thread, send and receive data, and release tasks. Return when to call
 * again, in ns; HSI_FAR: there are no ranks. */
int64_t hsi_run_serve_ranks(hs_exec *exec);

/* ranks.c: the collective begin and end of a run on several ranks; nothing without ranks. */
hs_status hsi_run_begin_ranks(hs_exec *exec, hs_error *error);
hs_status hsi_run_end_ranks(hs_exec *exec, const hs_exec_report *report, hs_error *error);

/* caller_thread.c: serve the run in the caller's thread until all workers have left: halt on
 * hs_exec_stop(), enforce deadlines, and report failures and progress. */
void hsi_run_caller_thread(hs_exec *exec);

#endif
