/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_WORKER_H
#define HSI_EXEC_RUN_WORKER_H

#include <pthread.h>

#include "exec/machine/core_time.h"
#include "exec/run/progress.h"
#include "exec/run/results.h"

typedef enum hsi_phase {
    HSI_OWN,  /* runs what is its own */
    HSI_RUN,  /* has a task from hs_policy_next() */
    HSI_WAIT, /* asleep, or about to be */
    HSI_LEAVE /* has nothing more to do in this run */
} hsi_phase;

typedef enum hsi_cause { HSI_NOT_CANCELLED, HSI_TAKEN, HSI_TIMED_OUT } hsi_cause;

/*
 * Where a worker stands with the policy and with its present attempt. The lock guards all fields;
 * `waits` is atomic as well. The worker's own thread reads `phase`, `task` and `there` without the
 * lock while the phase is HSI_OWN or HSI_RUN: other threads change them in HSI_WAIT only.
 */
typedef struct hsi_turn {
    hsi_phase          phase;
    uint32_t           task;          /* HSI_RUN: what to run */
    int                waits;         /* HSI_WAIT; shared without the lock */
    int64_t            there;         /* HSI_RUN: until then it waits for inputs; 0: no more */
    uint32_t           ahead;         /* what it runs next, unless that is taken; HSI_NOTHING */
    uint32_t           shown;         /* task whose inputs its GPU is to fetch; HSI_NOTHING */
    int64_t            until;         /* HSI_WAIT: when to ask again */
    int                woken;         /* HSI_WAIT: it is about to be asked */
    int64_t            waiting_since; /* HSI_WAIT, HSI_LEAVE; HSI_RUN: since when it has that */
    struct hsi_worker *victim;        /* HSI_WAIT: that its task is handed over */
    int64_t            asked;         /* since when it waits for a victim; or did, until when */
    struct hsi_worker *thief;         /* who waits for it to abort */
    hsi_retry          retry;         /* tries_again: that is the task that it runs */
    int                tries_again;
    hsi_cause          cause;
    int64_t            deadline; /* of the present attempt */
    double             limit;    /* seconds that it has */
    pthread_cond_t     wake;
} hsi_turn;

/* Failures in a row: is it the tasks, or is it the worker? The lock guards all fields; `length`,
 * which the worker's own thread alone writes, that thread reads without it. */
typedef struct hsi_row {
    unsigned length;
    int      belied;      /* another worker did one of these tasks */
    uint64_t others_done; /* tasks, when it began */
} hsi_row;

/*
 * A thread, and its data. The fields above `attempt` stay as they are once the gate is open, but
 * for own_next and planned, which are the thread's own.
 */
typedef struct hsi_worker {
    hs_exec            *exec;
    unsigned            number;
    hs_type             type;
    int                 wake_fd;
    pthread_t           thread;
    hs_backend_worker **states; /* by slot */
    const uint32_t     *own;    /* what the policy gives it for its own; NULL: that is not known */
    size_t              own_count, own_next;
    size_t              planned;       /* entries of the plan behind it: see ahead.c */
    int                 has_stretches; /* in its part of the plan: see stretch.c */

    /* The thread's own, and any thread's once it has ended; others read `now` with the lock held
     * while the worker waits: who sets it takes the lock before the worker waits, or holds it. */
    hs_attempt  attempt;
    hsi_records records;
    int64_t     now;          /* when its last attempt ended */
    char       *log, *errors; /* files of the attempt; NULL: none */
    size_t      log_room;     /* of each */
    char        why[HS_WHY];
    uint64_t    checks[HS_CHECK_MADE + 1]; /* tasks done in this run, by what was verified */
    unsigned    under_way; /* in-flight tasks, without the attempt that has just ended */

    hsi_core_time core; /* of its thread and of its tasks' processes, since the start */

    /* guarded by the lock */
    hsi_waits waits;
    int64_t   idle_ns; /* waited, and then was given something */
    hsi_row   row;
    hsi_turn  turn;

    /* atomic: see support/atomic.h */
    _Alignas(64) int cancel;
    _Alignas(64) hsi_gauge gauge;
} hsi_worker;

/* workers.c */
hs_status hsi_workers_make(hs_exec *exec, char why[HS_WHY]);
void      hsi_workers_free(hs_exec *exec);

/* worker.c */
void *hsi_worker_main(void *worker);
int   hsi_may_start(hsi_worker *worker);              /* what is its own */
void  hsi_run_one(hsi_worker *worker, uint32_t task); /* likewise */

/* pipeline.c: with a backend that can have several tasks on their way */
hs_status hsi_pipeline_prepare(hsi_worker *worker, char why[HS_WHY]);
int       hsi_pipeline_slot(const hsi_worker *worker); /* of that backend; -1: there is none */
void      hsi_pipeline_run(hsi_worker *worker, unsigned slot);

/* ahead.c: before an attempt, what may be put on its way already */
void hsi_look_ahead(hsi_worker *worker, uint32_t task);
int  hsi_goes_by_plan(const hs_exec *exec); /* and nothing is tried again */

/* stretch.c: before the start, when its backends are open */
hs_status hsi_stretches_prepare(hsi_worker *worker, char why[HS_WHY]);

/* choose.c: with the lock held. GPUs choose what they run next; 1: that concerns who waits. They
 * are told what to fetch. What one has chosen is another's, or anybody's, as `how` says. */
int  hsi_choose_ahead(hs_exec *exec, int64_t now);
void hsi_show_waiting(hs_exec *exec);
void hsi_lose_ahead(hsi_worker *worker, hs_ending how, int64_t now);

/*
 * attempt.c: one execution. A record is kept, unless its inputs were not there yet. Before it, the
 * journal takes back that the task was done earlier, if it was; 0: it cannot, the run is broken
 * off and the task must not start.
 */
hs_outcome hsi_attempt(hsi_worker *worker, uint32_t task);
int        hsi_attempt_undo(hsi_worker *worker, uint32_t task);
void       hsi_attempt_describe(const hsi_worker *worker, uint32_t task, hs_attempt *attempt);
hs_outcome hsi_attempt_close(hsi_worker *worker, int64_t start, int64_t end, hs_outcome outcome);

/* log.c: what the worker's attempts print, and where to */
hs_status hsi_log_make(hsi_worker *worker);
void      hsi_log_begin(hsi_worker *worker);
void      hsi_log_remove(const hsi_worker *worker);

/* turn.c: with the lock held */
void hsi_enter(hsi_worker *worker, hsi_phase phase, int64_t now);
void hsi_retreat(hsi_worker *worker);
void hsi_sleep_until(hsi_worker *worker, int64_t until, int64_t now);
void hsi_begin(hsi_worker *worker, uint32_t task);
void hsi_cancel(hsi_worker *worker, hsi_cause cause);
void hsi_forget_cancel(hsi_worker *worker);

/* decide.c: without the lock, what is its own is given; the others with it */
hs_status hsi_claim_own(hsi_worker *worker, char why[HS_WHY]);
int       hsi_next_own(hsi_worker *worker, uint32_t *task);
int       hsi_claim(hsi_worker *worker, uint32_t task); /* 1: it is the worker's from now on */
void      hsi_decide(hsi_worker *worker, int64_t now);
void      hsi_go_on(hsi_worker *worker); /* it has ended something, and what does it next? */
void      hsi_hand_over(hsi_worker *worker, int64_t now);

/* settle.c: without the lock, what is its own is done; the others with it */
void hsi_own_done(hsi_worker *worker, uint32_t task);
void hsi_settle(hsi_worker *worker, uint32_t task, hs_outcome outcome);
void hsi_strand(hsi_worker *worker);
void hsi_give_back(hsi_worker *worker, uint32_t task);

/* likewise with it: for the victim or, its own, for inputs; without memory for it nobody is told */
void hsi_note_wait(hsi_worker *worker, const hsi_worker *victim, uint32_t task, int64_t since,
                   int64_t until);

/* row.c: with the lock held, an attempt has failed. 0, or how many in a row, which is why the
 * worker is to go out of service. */
unsigned hsi_row_failed(hsi_worker *worker);

/* failure.c: with the lock held. `why` NULL: as its last attempt says. */
void hsi_failure_note(hsi_worker *worker, uint32_t task, int final, unsigned retired,
                      const char *why);

/* likewise without it: what is said of an attempt that ended well */
void hsi_done_note(hsi_worker *worker);

#endif
