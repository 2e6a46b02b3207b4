/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_RESULTS_H
#define HSI_EXEC_RUN_RESULTS_H

#include "exec/journal/journal.h"
#include "exec/run_spec.h"

/* A failed attempt, or a note about a successful attempt. */
typedef struct hsi_failure {
    uint32_t task, number; /* number of the attempt, from 1 */
    unsigned worker;
    bool     final, done; /* fields of hs_exec_failure */
    unsigned retired;     /* hs_exec_failure.retired */
    char    *why, *log;   /* owned by the table of failures */
} hsi_failure;

/* The states of a task. A worker claims a free task, and each task is done once. */
typedef enum hsi_task_state {
    HSI_TASK_FREE,
    HSI_TASK_RUNS, /* claimed by a worker, or kept for a retry; without resumption of lists, a
                      list's task that is done stays in this state */
    HSI_TASK_OVER,
    HSI_TASK_FAILED /* failed for good */
} hsi_task_state;

/* Events that the results count, in attempts, tasks or workers. */
typedef enum hsi_event {
    HSI_COUNT_ABORTED,      /* attempts aborted by a spoliation */
    HSI_COUNT_RETRIED,      /* attempts after which the task is tried again */
    HSI_COUNT_FAILED,       /* tasks that failed for good */
    HSI_COUNT_UNRECORDED,   /* done tasks that the journal refused to record */
    HSI_COUNT_LOST_WORKERS, /* lost and retired workers */
    HSI_COUNTS
} hsi_event;

/*
 * The results for the tasks, of this run and of earlier runs in the journal. The states of tasks
 * are atomic. The attempts of a task are counted by the thread that has claimed the task, and
 * claims pass from worker to worker under the lock. The journal has a lock of its own. While a run
 * lasts, hold the lock of the run for the other functions.
 */
typedef struct hsi_results hsi_results;

/* Create empty results for the tasks of `work`; the caller owns *out. HS_OK or HS_ENOMEM. */
hs_status hsi_results_create(hsi_results **out, const hsi_run_spec *spec);
void      hsi_results_free(hsi_results *results); /* also closes the journal; NULL is allowed */

/* Open the journal of the settings, if there is one. Call after all else has been opened, since
 * this call creates a file. */
hs_status hsi_results_open_journal(hsi_results *results, const hsi_run_spec *spec, hs_error *error);

/* Close the journal, if one is open. *lost: number of done tasks that are missing in the file. */
hs_status hsi_results_close_journal(hsi_results *results, uint64_t *lost, hs_error *error);

bool      hsi_results_have_journal(const hsi_results *results);
hs_status hsi_results_record(hsi_results *results, const hsi_journal_record *record);

/* Before an attempt: revoke in the journal an outdated record that the task is done. */
hs_status hsi_results_revoke(hsi_results *results, uint32_t task);

/* Return the state of the tasks in earlier runs, as the journal has it; owned by the results. */
const hsi_journal_past *hsi_results_past(const hsi_results *results);

bool hsi_is_done_by_earlier_run(const hsi_results *results, uint32_t task); /* in an earlier run */
bool hsi_is_unselected(const hsi_results *results, uint32_t task); /* by HS_RESUME_FAILED */

/* Return the number of tasks that HS_RESUME_FAILED leaves out. */
uint64_t hsi_results_unselected_tasks(const hsi_results *results);

/* Change the task from `from` to `to`; return false if its state is not `from`. */
bool           hsi_results_change_state(hsi_results *results, uint32_t task, hsi_task_state from,
                                        hsi_task_state to);
void           hsi_results_set_state(hsi_results *results, uint32_t task, hsi_task_state state);
hsi_task_state hsi_results_state(const hsi_results *results, uint32_t task);

/* Return the number of attempts of the task, earlier runs included. */
unsigned hsi_results_attempts(const hsi_results *results, uint32_t task);

/* Count an attempt of the task; return false if the count has reached its maximum. */
bool hsi_results_count_attempt(hsi_results *results, uint32_t task);

/* Return the number of failed attempts of the task in this run, and add an attempt. */
unsigned hsi_results_failures(const hsi_results *results, uint32_t task);
void     hsi_results_count_failure(hsi_results *results, uint32_t task);

void     hsi_results_count_event(hsi_results *results, hsi_event what, uint64_t number);
uint64_t hsi_results_event_count(const hsi_results *results, hsi_event what);

/* Append a failure and take ownership of its strings. Return false if memory is short. */
bool hsi_results_add_failure(hsi_results *results, const hsi_failure *failure);

/* Return the failure of that index, in order of time; NULL: past the last. The table moves when a
 * failure is added; strings stay. */
const hsi_failure *hsi_results_failure(const hsi_results *results, size_t index);

/*
 * After the run: find the tasks that were not run because a predecessor failed. HS_OK or HS_ENOMEM.
 * O(tasks + edges) if a task of a graph failed, else O(1).
 */
hs_status hsi_results_find_blocked(hsi_results *results, const hsi_run_spec *spec);
uint64_t  hsi_results_blocked_tasks(const hsi_results *results); /* number of such tasks */

/* Return the failed predecessor of smallest number that blocked the task; HS_NONE: none. */
uint32_t hsi_results_blocking_task(const hsi_results *results, uint32_t task);

#endif
