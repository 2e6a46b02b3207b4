/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_DISPATCHER_PRIVATE_H
#define HSI_EXEC_RUN_DISPATCHER_PRIVATE_H

#include <pthread.h>

#include "core/impossible_decision.h"
#include "exec/run/control.h"
#include "exec/run/dispatcher/dispatcher.h"
#include "exec/run/dispatcher/retry.h"
#include "exec/run/results.h"

typedef enum hsi_phase {
    HSI_OWN,  /* the worker runs tasks of its list */
    HSI_RUN,  /* the worker runs a task from hs_policy_next() */
    HSI_WAIT, /* the worker sleeps, or is about to sleep */
    HSI_LEAVE /* the worker runs no more tasks in this run */
} hsi_phase;

typedef enum hsi_cause { HSI_NOT_CANCELLED, HSI_SPOLIATED, HSI_TIMED_OUT } hsi_cause;

/* Failures in a row, to tell a broken worker from broken tasks. The lock guards all fields; the
 * worker's own thread, which alone writes `length`, reads `length` without the lock. */
typedef struct hsi_failure_row {
    unsigned length;
    bool     done_elsewhere; /* another worker did one of the failed tasks */
    uint64_t others_done;    /* tasks done by other workers before the first failure */
} hsi_failure_row;

/*
 * The state of a worker towards the policy, and of its present attempt. The lock guards all fields;
 * `waits` and `cancel` are atomic as well. The worker's own thread reads `phase`, `task` and
 * `inputs_at` without the lock while the phase is HSI_OWN or HSI_RUN: other threads change these
 * fields in HSI_WAIT only. Only the worker's own thread uses the list until the phase is HSI_LEAVE.
 */
struct hsi_dispatch_state {
    hsi_phase phase;
    uint32_t  task;      /* HSI_RUN: the task to run */
    int       waits;     /* phase == HSI_WAIT */
    int64_t   inputs_at; /* HSI_RUN: ns, arrival of the inputs of an emulated task; 0: no wait */
    uint32_t  chosen;    /* task chosen to run next, which another worker may take; HS_NONE */
    int64_t   until;     /* HSI_WAIT: ns, time of the next question to the policy */
    bool      woken;     /* HSI_WAIT: marked for the next question to the policy */
    int64_t   waiting_since; /* ns; HSI_WAIT and HSI_LEAVE: start of the phase; HSI_RUN: time of the
                                decision */
    hsi_worker *victim;      /* in phase HSI_WAIT: the worker that must abort its task first */
    int64_t     victim_since; /* ns: start of the wait for a victim, or end of the last such wait */
    hsi_worker *thief;        /* worker that waits for the abort of this worker's task */
    hsi_retry   retry;        /* the running retry, if is_retry */
    bool        is_retry;
    hsi_cause   cause;
    int64_t     deadline; /* ns: end of the time of the present attempt */
    double      limit;    /* time allowed for the attempt, in seconds */

    hsi_failure_row row;

    const uint32_t *own; /* the policy's list for this worker; NULL: not known before the start */
    size_t          own_count, own_next;

    pthread_cond_t wake;
    int            wake_fd; /* readable while the present attempt is cancelled */

    _Alignas(64) int cancel; /* an hs_cancel for the present attempt */
};

/* The state of the dispatcher; the lock guards all fields, except that the flags are constant
 * during a run. */
struct hsi_dispatcher {
    _Alignas(64) hs_wake wake; /* waiting workers that must be asked again */
    unsigned     active;       /* workers in HSI_OWN or HSI_RUN */
    unsigned     waiting;      /* workers in HSI_WAIT */
    int64_t      latest;       /* ns: latest time of the policy's clock, which never goes back */
    int64_t      next_look;    /* ns: time at which the caller's thread enforces deadlines next */
    hsi_retries *retries;
    bool         own_list_may_resume; /* the policy may give a worker tasks of its list again after
                                         hs_policy_next() */
    bool gpus_prefetch;               /* GPUs share data and prefetch it */
    bool gpus_choose_next; /* GPUs may choose their next task before the present task ends */
};

/* decisions.c: return the time since the start of the run, in units of the instance. No lock. */
double hsi_time_since_start(const hs_exec *exec, int64_t now);

/* decisions.c: return the time of the policy's clock for an event at `now`, in ns: it never goes
 * back. */
double hsi_policy_time(hs_exec *exec, int64_t now);

/* decisions.c: claim the task for the worker. Return NULL, or why the worker cannot have it: the
 * worker has no body for it, or it is not free. No lock. */
const char *hsi_claim_task(hsi_worker *worker, uint32_t task);

/* decisions.c: fail the run, because a decision of the policy for the worker is impossible. */
void hsi_fail_decision(hsi_worker *worker, const hs_decision *d, int64_t now, const char *reason);

/* decisions.c: decide what an idle worker does next. */
void hsi_decide_for_idle(hsi_worker *worker, int64_t now);

/* decisions.c: ask the policy for a thief whose victim has aborted. The policy has kept the task
 * for the thief, so this comes before retries. */
void hsi_decide_for_thief(hsi_worker *worker, int64_t now);

/* gpu_next_task.c: let busy GPUs choose their next tasks. Return true if a choice concerns waiting
 * workers. */
bool hsi_choose_next_gpu_tasks(hs_exec *exec, int64_t now);

/* gpu_next_task.c: prefetch for each GPU the inputs of the task that waits for it. The GPUs share
 * data. */
void hsi_prefetch_waiting(hs_exec *exec);

/* gpu_next_task.c: give up the chosen task of a worker, if there is one, and report it to the
 * policy as ended in the way of `how`. */
void hsi_drop_chosen_task(hsi_worker *worker, hs_ending how, int64_t now);

/* phase.c: change the phase of a worker and wake its thread. `now` in ns. */
void hsi_set_phase(hsi_worker *worker, hsi_phase phase, int64_t now);

/* phase.c: let the worker sleep until `until` in ns, or until another decision. */
void hsi_sleep_until(hsi_worker *worker, int64_t until, int64_t now);

/* phase.c: cancel the worker's task, started or not, until hsi_clear_cancel(). */
void hsi_cancel_attempt(hsi_worker *worker, hsi_cause cause);
void hsi_clear_cancel(hsi_worker *worker);

/* outcome.c: fail the tasks that no worker in service can run; `worker` reports their failures. */
void hsi_fail_stranded(hsi_worker *worker);

/* retirement.c: count a failed attempt of the worker. Return the number of failures in a row if the
 * worker must be retired, else 0. */
unsigned hsi_count_consecutive_failure(hsi_worker *worker);

#endif
