/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_DISPATCHER_H
#define HSI_EXEC_RUN_DISPATCHER_H

#include "exec/run/run.h"

/*
 * The dispatcher decides what each worker does: it asks the policy, settles the outcome of attempts
 * with the policy, keeps failed tasks for retries, retires broken workers, and halts the run. Hold
 * the lock of the run for all functions, except where the comment says otherwise. Functions for a
 * worker are called by its own thread.
 */
hs_status
     hsi_dispatcher_create(hsi_dispatcher **out);     /* HS_OK or HS_ENOMEM; the caller owns *out */
void hsi_dispatcher_free(hsi_dispatcher *dispatcher); /* NULL is allowed */

/* Before a run, without threads: reset the dispatcher and the turns of all workers to the policy of
 * the run, without the lock. */
void hsi_dispatcher_reset(hs_exec *exec);

/* Take the workers from number `first` on out of the run, because they have no threads. */
void hsi_dispatcher_remove_unstarted(hs_exec *exec, unsigned first);

/* Create the dispatch state of a worker: its state towards the policy. HS_OK: the worker owns it.
 * HS_ERESOURCE: no file descriptor is left. HS_ENOMEM. No lock. */
hs_status hsi_dispatch_state_create(hsi_worker *worker, hs_error *error);
void      hsi_dispatch_state_free(hsi_worker *worker); /* a worker without one is allowed */

/* Set attempt->cancel and attempt->wake_fd to those of the worker's dispatch state. No lock. */
void hsi_dispatch_state_connect(const hsi_worker *worker, hs_attempt *attempt);

/* Give tasks to all workers at the start, if the policy groups endings. */
void hsi_decide_for_all_at_start(hs_exec *exec);

/* React to an event: decide for the waiting workers that the policy's calls have named. Dismiss all
 * workers if no task runs and no retry is left. `now` in ns. */
void hsi_decide_for_woken_workers(hs_exec *exec, int64_t now);

/* Tasks of other ranks are over: let the policy release their successors. `now` in ns. */
void hsi_release_after_others(hs_exec *exec, const uint32_t *tasks, size_t count, int64_t now);

/* Halt the run: no task starts any more. HS_STOP_NOW cancels all attempts, too. */
void hsi_halt_run(hs_exec *exec, hs_exec_stop_mode how);

/* Set the fault of the run, unless there is one, and let running tasks end. */
void hsi_fail_run(hs_exec *exec, hs_status status, const char *why);

/* Take the lock and break the run off because memory is short. */
void hsi_fail_run_without_memory(hs_exec *exec);

/*
 * The list of a worker: tasks that the policy gave to the worker before the start. No lock.
 *
 * hsi_claim_own_list() claims all tasks of the list in the worker's thread before the start;
 * HS_ESCHEDULE: the policy gave a task twice. hsi_own_list() returns the list, which belongs to the
 * policy; NULL: the list is not known before the start. hsi_may_run_own() returns true if the
 * worker may start another task of its list. hsi_next_own_task() gets this task; false: none is
 * left, or the run was broken off. hsi_own_task_done() settles a task of the list that is done.
 */
hs_status       hsi_claim_own_list(hsi_worker *worker, hs_error *error);
const uint32_t *hsi_own_list(const hsi_worker *worker, size_t *count);
bool            hsi_may_run_own(const hsi_worker *worker);
bool            hsi_next_own_task(hsi_worker *worker, uint32_t *task);
void            hsi_own_task_done(hsi_worker *worker, uint32_t task);

/* End the first pass over the list, and decide what the worker does next. */
void hsi_end_own_list(hsi_worker *worker);

/* Return to the list after an attempt: true if the worker may run tasks of its list now, without
 * the lock. */
bool hsi_resume_own_list(hsi_worker *worker);

/* Wait until the worker has a task of the policy, and set *task. Return false if the worker leaves
 * the run. The lock is released during the wait. */
bool hsi_wait_for_task(hsi_worker *worker, uint32_t *task);

/* Set the deadline of the attempt that begins now. */
void hsi_set_deadline(hsi_worker *worker, uint32_t task);

/* Settle the outcome of the worker's attempt with the policy, and end retry, cancellation and
 * spoliation of the attempt. */
void hsi_settle_attempt(hsi_worker *worker, uint32_t task, hs_outcome outcome);

/* Give back a task that was lost together with the worker, before hsi_settle_attempt() for the task
 * that carries the reason. */
void hsi_return_lost_task(hsi_worker *worker, uint32_t task);

/* After an attempt, decide what the worker and the workers woken by its end do next. */
void hsi_decide_next_for_workers(hsi_worker *worker);

/* Let the worker leave the run. */
void hsi_leave_run(hsi_worker *worker);

/* Return when the inputs of the worker's emulated task arrive, in ns; 0: no wait. No lock. */
int64_t hsi_inputs_arrival_ns(const hsi_worker *worker);

/* End the wait for inputs that began at `since`, in ns: the task has started. Return true if the
 * attempt is cancelled and must not begin. No lock. */
bool hsi_end_wait_for_inputs(hsi_worker *worker, uint32_t task, int64_t since, bool cancelled);

/* Return the outcome of an aborted attempt for the caller: HS_OUTCOME_FAILED unless a spoliation or
 * a halt caused it. *timed_out: the deadline has passed. No lock. */
hs_outcome hsi_outcome_of_abort(const hsi_worker *worker, bool *timed_out);

/* Return true if the worker may be retired after its next failure. No lock. */
bool hsi_is_near_retirement(const hsi_worker *worker);

/* Cancel attempts past their deadlines, and return the next deadline in ns; HSI_FAR: none. */
int64_t hsi_enforce_deadlines(hs_exec *exec);

#endif
