/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_WORKER_PRIVATE_H
#define HSI_EXEC_RUN_WORKER_PRIVATE_H

#include <pthread.h>

#include "exec/run/worker/worker.h"

/* The thread of a worker, and its present attempt. Only the thread uses it during a run. */
struct hsi_thread {
    _Alignas(64) hsi_worker *worker;
    pthread_t  id;
    hs_attempt attempt;
    char      *errors;     /* path of the log file of standard error; NULL: none */
    size_t     path_bytes; /* size of worker->log and of `errors` */
};

/* thread.c: run a task of the worker's list and settle its outcome. */
void hsi_run_own_task(hsi_worker *worker, uint32_t task);

/* thread.c: return true if the worker may start another task of its list. Makes room for a record;
 * breaks the run off if memory is short. */
bool hsi_may_start_own_task(hsi_worker *worker);

/* pipeline.c: prepare the backends for the worker's tasks, with all backends open. */
hs_status hsi_worker_prepare_backends(hsi_worker *worker, hs_error *error);

/* pipeline.c: return the slot of a backend that runs the worker's list with several in-flight
 * tasks; HS_NONE: there is none, or no list. */
unsigned hsi_pipeline_slot(const hsi_worker *worker);
void     hsi_pipeline_run(hsi_worker *worker, unsigned slot); /* run the whole list */

/*
 * attempt.c: execute the task once. Keep a record, unless the wait for inputs was cancelled or the
 * journal failed. Room for a record must exist. Return the outcome to be settled.
 */
hs_outcome hsi_execute_attempt(hsi_worker *worker, uint32_t task);

/* attempt.c: revoke in the journal an outdated record that the task is done. Return false if the
 * journal failed: the run is broken off, and the task must not start. */
bool hsi_attempt_revoke_record(hsi_worker *worker, uint32_t task);

/* attempt.c: fill *attempt for the next attempt of the task. */
void hsi_attempt_describe(const hsi_worker *worker, uint32_t task, hs_attempt *attempt);

/* attempt.c: record the attempt in worker->thread, from `start` to `end` in ns of the clock, and
 * return the outcome to be settled. The journal gets the record before another worker may try the
 * task. */
hs_outcome hsi_attempt_record_end(hsi_worker *worker, int64_t start, int64_t end,
                                  hs_outcome outcome);

/* attempt.c: add the core time of the processes of the attempt in worker->thread, which lasted `wall`
 * seconds. */
void hsi_attempt_add_core_time(hsi_worker *worker, double wall);

/* attempt_log.c: pass a printed line to settings.report.line. */
void hsi_attempt_report_line(hs_exec *exec, const hs_attempt *attempt, int error, const char *line,
                             size_t length);

/* attempt_log.c: allocate the paths of the worker's log files, if the settings keep logs. */
hs_status hsi_attempt_log_create(hsi_worker *worker);

/* attempt_log.c: choose the log files of the present attempt and delete old ones; remove them. The
 * settings keep logs. */
void hsi_log_begin(hsi_worker *worker);
void hsi_attempt_log_remove(const hsi_worker *worker);

#endif
