/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_WORKER_H
#define HSI_EXEC_RUN_WORKER_H

#include <pthread.h>

#include "exec/machine/core_time.h"
#include "exec/run/progress.h"
#include "exec/run/results.h"
#include "exec/run/retry.h"

typedef enum hsi_phase {
    HSI_OWN,  /* runs tasks of the policy's list for this worker */
    HSI_RUN,  /* runs a task from hs_policy_next() */
    HSI_WAIT, /* sleeps, or is about to sleep */
    HSI_LEAVE /* runs no more tasks in this run */
} hsi_phase;

typedef enum hsi_cause { HSI_NOT_CANCELLED, HSI_SPOLIATED, HSI_TIMED_OUT } hsi_cause;

/*
 * The worker's state towards the policy, and its present attempt. The lock guards all fields;
 * `waits` is atomic as well. The worker's own thread reads `phase`, `task` and `inputs_at` without
 * the lock while the phase is HSI_OWN or HSI_RUN: other threads change these fields in HSI_WAIT
 * only.
 */
typedef struct hsi_turn {
    hsi_phase phase;
    uint32_t  task;            /* HSI_RUN: the task to run */
    int       waits;           /* phase == HSI_WAIT; read without the lock */
    int64_t   inputs_at;       /* HSI_RUN: ns, when the inputs of an emulated task arrive; 0: no
                                  wait */
    uint32_t chosen;           /* task chosen to run next, which another worker may still take;
                                  HS_NONE */
    uint32_t prefetched;       /* task whose inputs the GPU is to prefetch; HS_NONE */
    int64_t  until;            /* HSI_WAIT: ns, when to ask the policy again */
    bool     woken;            /* HSI_WAIT: marked to be asked again */
    int64_t  waiting_since;    /* ns: in HSI_WAIT and HSI_LEAVE, since when; in HSI_RUN, since the
                                  task was given */
    struct hsi_worker *victim; /* HSI_WAIT: the worker that must abort its task */
    int64_t victim_since;      /* ns: start of the wait for a victim, or end of the last such
                                  wait */
    struct hsi_worker *thief;  /* the worker that waits until this worker aborts */
    hsi_retry          retry;  /* the running retry, if is_retry */
    bool               is_retry;
    hsi_cause          cause;
    int64_t            deadline; /* ns: end of the present attempt's time */
    double             limit;    /* time allowed for the attempt, in seconds */
    pthread_cond_t     wake;
} hsi_turn;

/* Failures in a row, to tell a broken worker from broken tasks. The lock guards all fields; the
 * worker's own thread, which alone writes `length`, reads `length` without the lock. */
typedef struct hsi_failure_row {
    unsigned length;
    bool     done_elsewhere; /* another worker did one of the failed tasks */
    uint64_t others_done;    /* tasks done by other workers before the first failure */
} hsi_failure_row;

/* A worker's thread and its data. The fields above `attempt` are constant once the gate is open,
 * except own_next and planned, which only the thread uses. */
typedef struct hsi_worker {
    hs_exec            *exec;
    unsigned            number;
    hs_type             type;
    int                 wake_fd;
    pthread_t           thread;
    hs_backend_worker **states; /* open backends, by slot */
    const uint32_t     *own;    /* the policy's list for this worker; NULL: not known before the
                                   start */
    size_t own_count, own_next;
    size_t planned;   /* index of the present task in the worker's part of the plan: see
                         plan_prefetch.c */
    bool has_segments; /* the worker's part of the plan has segments: see segments.c */

    /*
     * Used by the thread, and by any thread after its end. Other threads read `now` with the lock
     * held while the worker waits: a writer of `now` holds the lock, or takes the lock before the
     * worker waits.
     */
    hs_attempt  attempt;
    hsi_records records;
    int64_t     now;          /* ns, when the last attempt ended */
    char       *log, *errors; /* log files of the attempt; NULL: none */
    size_t      log_room;     /* bytes of each of the two paths */
    char        why[HS_WHY];
    uint64_t    checks[HS_VERIFICATION_PASSED + 1]; /* tasks done in this run, by hs_verification */
    unsigned    under_way; /* number of in-flight tasks, without the attempt that has just ended */

    hsi_core_time core; /* core time of the thread and of its tasks' processes, since the start */

    /* The lock guards the fields from here on. */
    hsi_waits       waits;
    int64_t         idle_ns; /* total of waits that ended with a task */
    hsi_failure_row row;
    hsi_turn        turn;

    /* The fields from here on are atomic: see support/atomic.h. */
    _Alignas(64) int cancel;
    _Alignas(64) hsi_gauge gauge;
} hsi_worker;

/* Create the array exec->worker, which exists as long as the handle. The workers in it are closed,
 * with empty records. Return HS_OK or HS_ENOMEM. */
hs_status hsi_workers_create(hs_exec *exec);

/* Open all workers for a run. After a failure hsi_workers_close() releases what was made. */
hs_status hsi_workers_open(hs_exec *exec, hs_error *error);
void      hsi_workers_close(hs_exec *exec);

/* worker_thread.c. hsi_worker_main() is the body of a worker's thread. */
void *hsi_worker_main(void *worker);
bool  hsi_may_start(hsi_worker *worker);             /* 1: the worker may start another task of its
                                                        list, and has room for a record */
void hsi_run_one(hsi_worker *worker, uint32_t task); /* runs a task of its list and settles the
                                                        outcome */

/* pipeline.c: lists run through a backend that accepts several in-flight tasks */
hs_status hsi_pipeline_prepare(hsi_worker *worker, hs_error *error);
int       hsi_pipeline_slot(const hsi_worker *worker); /* slot of the backend for the list; -1:
                                                          none */
void      hsi_pipeline_run(hsi_worker *worker, unsigned slot);

/* plan_prefetch.c: before an attempt, pass the worker's next tasks to the backend of tiles */
void hsi_announce_next(hsi_worker *worker, uint32_t task);
bool hsi_follows_plan(const hs_exec *exec); /* 1: the plan alone decides: no retry, deadline or
                                               spoliation */

/* segments.c: before the start, with the backends open: prepare the segments of the plan */
hs_status hsi_segments_prepare(hsi_worker *worker, hs_error *error);

/*
 * gpu_next_task.c: hold the lock. hsi_choose_next() lets busy GPUs choose their next tasks; 1: a
 * choice concerns waiting workers. hsi_prefetch_waiting() tells each GPU which inputs to prefetch.
 * hsi_drop_chosen() reports the chosen task of a worker to the policy as ended in the way of `how`,
 * if there is one.
 */
bool hsi_choose_next(hs_exec *exec, int64_t now);
void hsi_prefetch_waiting(hs_exec *exec);
void hsi_drop_chosen(hsi_worker *worker, hs_ending how, int64_t now);

/*
 * attempt.c. hsi_attempt() executes a task once, and keeps a record unless the wait for inputs was
 * cancelled. hsi_attempt_undo() revokes in the journal an earlier record that the task was done, if
 * there is one; 0: the journal failed, the run is broken off, and the task must not start.
 * hsi_attempt_describe() fills the fields of `attempt` for the next attempt of the task.
 * hsi_attempt_close() records worker->attempt, from `start` to `end` in ns, and returns the
 * outcome.
 */
hs_outcome hsi_attempt(hsi_worker *worker, uint32_t task);
bool       hsi_attempt_undo(hsi_worker *worker, uint32_t task);
void       hsi_attempt_describe(const hsi_worker *worker, uint32_t task, hs_attempt *attempt);
hs_outcome hsi_attempt_close(hsi_worker *worker, int64_t start, int64_t end, hs_outcome outcome);

/* attempt_log.c: files for the output of attempts */
hs_status hsi_recorder_make(hsi_worker *worker);
void      hsi_recorder_begin(hsi_worker *worker);
void      hsi_recorder_remove(const hsi_worker *worker);

/* worker_phase.c: hold the lock */
void hsi_enter(hsi_worker *worker, hsi_phase phase, int64_t now);
void hsi_retreat(hsi_worker *worker);
void hsi_sleep_until(hsi_worker *worker, int64_t until, int64_t now);
void hsi_begin(hsi_worker *worker, uint32_t task);
void hsi_cancel(hsi_worker *worker, hsi_cause cause);
void hsi_forget_cancel(hsi_worker *worker);

/* policy_decisions.c: hsi_claim_own() and hsi_next_own() need no lock; the caller of the others
 * holds the lock */
hs_status hsi_claim_own(hsi_worker *worker, hs_error *error);
bool      hsi_next_own(hsi_worker *worker, uint32_t *task);
bool      hsi_claim(hsi_worker *worker, uint32_t task); /* 1: the task was free and is now the
                                                           worker's */
void      hsi_decide(hsi_worker *worker, int64_t now);
void      hsi_go_on(hsi_worker *worker); /* decides after an attempt what the worker does next */
void      hsi_hand_over(hsi_worker *worker, int64_t now);

/* attempt_outcome.c: hsi_own_done() needs no lock; the caller of the others holds the lock */
void hsi_own_done(hsi_worker *worker, uint32_t task);
void hsi_settle(hsi_worker *worker, uint32_t task, hs_outcome outcome);
void hsi_fail_stranded(hsi_worker *worker);
void hsi_return_lost(hsi_worker *worker, uint32_t task);

/* Record a wait from `since` until `until`, in ns: for a victim, or with victim == worker for
 * inputs. Hold the lock. Without memory the wait is not recorded. */
void hsi_note_wait(hsi_worker *worker, const hsi_worker *victim, uint32_t task, int64_t since,
                   int64_t until);

/* retirement.c: count a failed attempt; hold the lock. Return the length of the row if the worker
 * is to be retired, else 0. */
unsigned hsi_failure_row_add(hsi_worker *worker);

/* failure_list.c: record a failed attempt; hold the lock. `why` NULL: take the reason from the last
 * attempt. */
void hsi_failure_note(hsi_worker *worker, uint32_t task, bool final, unsigned retired,
                      const char *why);

/* Record the note in worker->why of an attempt that succeeded. Do not hold the lock. */
void hsi_done_note(hsi_worker *worker);

#endif
