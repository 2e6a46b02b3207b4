/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_DISPATCHER_H
#define HSI_EXEC_RUN_DISPATCHER_H

#include <pthread.h>

#include <hybridsched/exec.h>

#include "exec/journal/journal.h"
#include "exec/machine/locality.h"
#include "exec/machine/module.h"
#include "exec/machine/topology.h"

/*
 * One thread a worker, and the caller's, which watches. What a policy gives a worker
 * for its own runs without a lock; everything else that is decided is decided under
 * hs_exec.lock, by whichever thread brings the news: it asks the policy for itself
 * and for each worker that waits, and wakes those that have got something to do.
 */

#define HSI_FAR INT64_MAX /* a time that never comes */

typedef enum hsi_phase {
    HSI_OWN,  /* runs what is its own */
    HSI_RUN,  /* has a task from hs_policy_next() */
    HSI_WAIT, /* asleep, or about to be */
    HSI_LEAVE /* has nothing more to do in this run */
} hsi_phase;

typedef enum hsi_cause { HSI_NOT_CANCELLED, HSI_TAKEN, HSI_TIMED_OUT } hsi_cause;

/* What runs the tasks of a row on a type. */
typedef struct hsi_body {
    hs_body *body; /* NULL: they cannot run there */
    unsigned slot; /* of its backend among hs_exec.backends */
} hsi_body;

typedef struct hsi_failure {
    uint32_t task, number;
    unsigned worker;
    int      final;
    char    *why, *log;
} hsi_failure;

typedef struct hsi_worker {
    hs_exec            *exec;
    unsigned            number;
    hs_type             type;
    int                 os_cpu; /* -1: not bound */
    int                 wake_fd;
    pthread_t           thread;
    hs_backend_worker **states; /* by slot */

    /* its own thread's, and anybody's once it has ended */
    hs_attempt      attempt;
    hs_exec_record *records;
    size_t          count, capacity;
    int64_t         now;     /* when its last attempt ended */
    int64_t         idle_ns; /* waited, and then was given something */
    char           *log;
    char            why[HS_WHY];

    /* under the lock */
    hsi_phase          phase;
    uint32_t           task;          /* HSI_RUN: what to run */
    int64_t            until;         /* HSI_WAIT: when to ask again */
    int64_t            waiting_since; /* HSI_WAIT, HSI_LEAVE */
    struct hsi_worker *victim;        /* HSI_WAIT: that its task is handed over */
    struct hsi_worker *thief;         /* who waits for it to abort */
    hsi_cause          cause;
    int64_t            deadline;      /* of the present attempt */
    double             limit;         /* seconds that it has */
    pthread_cond_t     wake;

    /* shared without the lock: see atomic.h */
    _Alignas(64) int cancel;
    _Alignas(64) uint64_t done;
    uint64_t running_since; /* ns; 0: nothing runs */
    int      running;       /* the task */
    uint64_t weight;        /* of what it has done: a double; see progress.c */
} hsi_worker;

struct hs_exec {
    const hs_instance    *in;
    const hs_schedule    *plan;
    hs_exec_settings      settings; /* resolved */
    hs_backend_options    options;
    double                seconds_per_unit;
    unsigned              cpus, gpus, workers;

    const hs_backend    **backends; /* by slot: all there are */
    unsigned              backend_count;
    unsigned char        *used;     /* by slot and type: it has bodies */
    hsi_body             *bodies;   /* by row and type */
    hs_instance          *reduced;  /* the estimates, where a body is missing; or NULL */
    hs_policy            *policy;
    hsi_topology         *topology;
    int                  *places;   /* by worker: its core; -1: not bound */
    hsi_module            module;   /* for GPUs that are not emulated */
    hs_backend_device    *devices;  /* all there are; the first are used */
    unsigned              device_count;
    hsi_journal          *journal;
    unsigned char        *skip;     /* by task: done already */
    uint64_t              resumed;
    char                 *logs;
    double                predicted;    /* seconds; for progress */
    double                total_weight, resumed_weight;

    hsi_worker           *worker;
    uint16_t             *attempts; /* by task: made and not done */
    uint16_t             *failures; /* by task */

    pthread_mutex_t lock;
    pthread_cond_t  gate;      /* all are ready; the run starts */
    unsigned        conds;     /* workers whose `wake` is there */
    int             locks;     /* `lock` and `gate` are there */
    unsigned        ready;
    int             open;      /* the gate */
    unsigned        present;   /* threads that have not left */
    unsigned        active;    /* workers that neither wait nor have left */
    unsigned        waiting;
    int64_t         start_ns;
    int64_t         latest;    /* the policy's clock is never set back */
    int64_t         watch;     /* when the watching thread looks again */
    int             timed;     /* attempts have deadlines */
    int             ran;
    uint64_t        aborted, retried, failed;
    unsigned        lost;
    hs_status       status;    /* what stopped the run */
    char            why[HS_WHY];
    hsi_failure    *failure;
    size_t          failure_count, failure_capacity;
    size_t          failures_told; /* the watching thread's own */
    uint64_t        unrecorded;    /* tasks that the journal would not take */

    _Alignas(64) int event_fd; /* for the watching thread */
    int halt;     /* shared: an hs_exec_stop_how, 0: go on */
    int stop;     /* shared: what hs_exec_stop() was told */
};

/* settings.c */
hs_status hsi_exec_settings_resolve(hs_exec_settings *full, const hs_exec_settings *given,
                                    const hs_schedule *plan, char why[HS_WHY]);

/* bodies.c */
hs_status hsi_bodies_make(hs_exec *exec, char why[HS_WHY]);
void      hsi_bodies_free(hs_exec *exec);
const hs_instance *hsi_estimates(const hs_exec *exec);

static inline const hsi_body *hsi_body_of(const hs_exec *exec, uint32_t task, hs_type type)
{
    return &exec->bodies[2 * hs_instance_row_of(exec->in, task) + type];
}

/* devices.c */
hs_status                hsi_devices_find(hs_exec *exec, char why[HS_WHY]);
void                     hsi_devices_free(hs_exec *exec);
const hs_backend_device *hsi_device_of(const hs_exec *exec, unsigned worker); /* NULL: none */

/* cores.c */
hs_status hsi_cores_assign(hs_exec *exec, char why[HS_WHY]);

/* crew.c */
hs_status hsi_crew_make(hs_exec *exec, char why[HS_WHY]);
void      hsi_crew_free(hs_exec *exec);

/* worker.c */
void *hsi_worker_main(void *worker);

int   hsi_may_start(hsi_worker *worker); /* what is its own */
int   hsi_run_one(hsi_worker *worker, uint32_t task); /* likewise; 1: once more */

/* pipeline.c: with a backend that can have several tasks on their way */
hs_status hsi_pipeline_prepare(hsi_worker *worker, char why[HS_WHY]);
int       hsi_pipeline_slot(const hsi_worker *worker); /* of that backend; -1: there is none */
void      hsi_pipeline_run(hsi_worker *worker, unsigned slot);

/* attempt.c: one execution, of which a record is kept */
hs_outcome hsi_attempt(hsi_worker *worker, uint32_t task);
void       hsi_attempt_describe(const hsi_worker *worker, uint32_t task, hs_attempt *attempt);
hs_outcome hsi_attempt_close(hsi_worker *worker, int64_t start, int64_t end, hs_outcome outcome);
void       hsi_show(hsi_worker *worker, uint32_t task, int64_t since);
int        hsi_records_prepare(hsi_worker *worker);
int        hsi_records_room(hsi_worker *worker); /* for one more; 0: no memory */

/* decide.c: all with the lock held. */
void hsi_lock(hs_exec *exec);
void hsi_unlock(hs_exec *exec);
void hsi_begin(hsi_worker *worker, uint32_t task);
int  hsi_settle(hsi_worker *worker, uint32_t task, hs_outcome outcome);
void hsi_give_back(hsi_worker *worker, uint32_t task);
void hsi_decide(hsi_worker *worker, int64_t now);
void hsi_retreat(hsi_worker *worker);
void hsi_reconsider(hs_exec *exec, int64_t now);
void hsi_cancel(hsi_worker *worker, hsi_cause cause);
void hsi_halt(hs_exec *exec, hs_exec_stop_how how);
void hsi_break_off(hs_exec *exec, hs_status status, const char *why);

/* failure.c: the first with the lock held, the second without. */
void hsi_failure_note(hsi_worker *worker, uint32_t task, int final, const char *why);
void hsi_failures_tell(hs_exec *exec);

/* progress.c */
hs_status hsi_progress_prepare(hs_exec *exec);
void      hsi_progress_add(hsi_worker *worker, uint32_t task);
void      hsi_progress_tell(hs_exec *exec);

/* watch.c: until all have left. */
void hsi_watch(hs_exec *exec);
void hsi_nudge(const hs_exec *exec);

/* report.c: `lost` of the tasks that seemed done are not on record. */
void hsi_report_fill(const hs_exec *exec, uint64_t lost, hs_exec_report *report);

#endif
