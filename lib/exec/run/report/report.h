/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_REPORT_H
#define HSI_EXEC_RUN_REPORT_H

#include "exec/machine/core_time.h"
#include "exec/machine/gpu_energy.h"
#include "exec/run/run.h"

/*
 * The account of a worker: its attempts, waits, core time and number of done tasks in this run.
 * Functions that name no lock are called in the worker's thread without the lock. Records are read
 * after the end of all threads.
 */
hs_status hsi_account_create(hsi_worker *worker); /* HS_OK or HS_ENOMEM; the worker owns it */
void      hsi_account_reset(hsi_worker *worker);  /* before a run */
void      hsi_account_free(hsi_worker *worker);   /* a worker without account is allowed */

/* Allocate room for `count` attempts, near the core of the calling thread. Return false if memory
 * is short. */
bool hsi_account_allocate(hsi_worker *worker, size_t count);

/* Make room for the next attempt, or for the next wait. Return false if memory is short. For waits,
 * hold the lock. */
bool hsi_account_make_room(hsi_worker *worker);
bool hsi_account_make_wait_room(hsi_worker *worker);

/* Add an attempt from `start` to `end`, in seconds from the start, and return its record. Make room
 * first. */
const hs_exec_record *hsi_account_add_attempt(hsi_worker *worker, const hs_exec_record *attempt);

/* Add a done task. */
void hsi_account_add_done(hsi_worker *worker, uint32_t task, hs_verification verification);

/* Return the number of done tasks. Atomic, callable from any thread. */
uint64_t hsi_account_done_tasks(const hsi_worker *worker);

/* Show the task as running since `since`, in ns; or show that no task runs. */
void hsi_account_show_task(hsi_worker *worker, uint32_t task, int64_t since);
void hsi_account_show_no_task(hsi_worker *worker);

/* Add a wait from `since` until `until`, in ns: for a victim, or for inputs if the victim is the
 * worker itself. Without memory the wait is not recorded. Hold the lock. */
void hsi_account_add_wait(hsi_worker *worker, const hsi_worker *victim, uint32_t task,
                          int64_t since, int64_t until);

/* Add time in ns during which the policy had no task for the worker. Hold the lock. */
void hsi_account_add_idle(hsi_worker *worker, int64_t ns);

/* Set the time in ns since which the worker has no task, at the end of its run. Hold the lock. */
void hsi_account_set_idle_since(hsi_worker *worker, int64_t since);

/* Add core time of the worker's thread or of a process of its tasks. */
void hsi_account_add_core_time(hsi_worker *worker, hsi_core_time time);

/* The report of a run: callbacks of the settings, and results for the caller. */
hs_status hsi_report_create(hsi_report **out);  /* HS_OK or HS_ENOMEM; the caller owns *out */
void      hsi_report_reset(hsi_report *report); /* before a run */
void      hsi_report_free(hsi_report *report);  /* NULL is allowed */

/* Predict the length of the run, for reports of progress. Call after the journal was read. HS_OK or
 * a status of the bound. */
hs_status hsi_report_predict_end(hs_exec *exec);

/* Call settings.report.attempt or settings.report.line, one at a time over all workers. The
 * callback must be set. Do not hold the lock. */
void hsi_report_call_attempt(hs_exec *exec, const hs_exec_attempt *attempt);
void hsi_report_call_line(hs_exec *exec, const hs_exec_line *line);

/*
 * Add a failed attempt of the task, for settings.report.failure and hs_exec_failure_at(). `retired`
 * is a field of hs_exec_failure. `why` is copied; NULL: take the reason and the log file of the
 * last attempt. Return false if memory is short. Hold the lock.
 */
bool hsi_report_add_failure(hsi_worker *worker, uint32_t task, bool final, unsigned retired,
                            const char *why);

/* Add the note in worker->why of an attempt that succeeded. Return false if memory is short. Hold
 * the lock. */
bool hsi_report_add_note(hsi_worker *worker, uint32_t task, uint32_t number);

/* Pass new failures to settings.report.failure, or the progress to settings.report.progress, in the
 * caller's thread. Do not hold the lock. */
void hsi_report_failures(hs_exec *exec);
void hsi_report_progress(hs_exec *exec);

/* After the end of all threads: collect the transfers of the run, and keep the energy. */
void hsi_report_collect_transfers(hs_exec *exec);
void hsi_report_set_energy(hsi_report *report, hsi_gpu_energy_use energy);

/* Fill the caller's report after a run; `lost` done tasks are missing in the journal. */
void hsi_report_fill(const hs_exec *exec, uint64_t lost, hs_exec_report *out);

#endif
