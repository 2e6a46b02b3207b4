/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_RESULTS_H
#define HSI_EXEC_RUN_RESULTS_H

#include <pthread.h>

#include "exec/journal/journal.h"
#include "exec/run/retry.h"
#include "exec/work.h"

typedef struct hsi_failure {
    uint32_t task, number;
    unsigned worker;
    int      final, done;
    unsigned retired; /* hs_exec_failure.retired */
    char    *why, *log;
} hsi_failure;

/* The states of a task: a worker claims a free task, and each task is done once. */
typedef enum hsi_task_state {
    HSI_TASK_FREE,
    HSI_TASK_RUNS, /* claimed by a worker, or kept for a retry; without resumption of lists, a
                      list's task that is done stays in this state */
    HSI_TASK_OVER,
    HSI_TASK_FAILED /* failed for good */
} hsi_task_state;

/*
 * The results for the tasks, of this run and of earlier runs in the journal. While a run lasts, the
 * lock guards failures, the counts below failures, retries and the table of failures. `state` is
 * atomic. The attempts of a task are counted by the thread that has claimed the task, and claims
 * pass from worker to worker under the lock. The journal has a lock of its own. No thread changes
 * the other fields.
 */
typedef struct hsi_results {
    hsi_journal     *journal;
    hsi_journal_past past;
    uint64_t         left_out; /* tasks that are neither done nor to be run in this run */
    unsigned char   *is_out;   /* indexed by task; NULL: no task is left out */
    pthread_mutex_t
        callbacks;         /* mutex for calls of settings.report.attempt and settings.report.line */
    unsigned char *state;  /* indexed by task: an hsi_task_state, atomic: see
                              support/atomic.h */
    uint16_t    *attempts; /* attempts of each task, earlier runs included */
    uint16_t    *failures; /* failed attempts of each task in this run */
    uint64_t    aborted, retried, failed;
    uint64_t    unrecorded; /* done tasks that the journal refused to record */
    unsigned    lost_workers;
    hsi_retries retries;
    uint32_t   *blocker; /* after the run, by vertex of the graph: a failed task before the vertex,
                            or HS_NONE; NULL: no task failed */
    uint64_t     blocked;
    hsi_failure *failure;
    size_t       failure_count, failure_capacity;
    size_t       failures_reported; /* failures passed on; used by the caller's thread only */
} hsi_results;

/* The attempts of one worker, in order of time. */
typedef struct hsi_records {
    hs_exec_record *list;
    size_t          count, capacity;
} hsi_records;

/* The waits of one worker for victims or inputs, in order of time, in seconds from the start. */
typedef struct hsi_waits {
    hs_wait *list;
    size_t   count, capacity;
} hsi_waits;

hs_status hsi_results_open(hsi_results *results, const hsi_work *work);
void      hsi_results_close(hsi_results *results);

/* Open the journal. Call after all else has been opened, since this call creates a file. */
hs_status hsi_results_open_journal(hsi_results *results, const hsi_work *work, hs_error *error);

/* The three functions return 0 if memory is short. */
int hsi_records_prepare(hsi_records *records); /* allocate `capacity` records */
int hsi_records_room(hsi_records *records);    /* make room for another record */
int hsi_waits_room(hsi_waits *waits);          /* make room for another wait */

static inline int hsi_is_done_before(const hsi_results *results, uint32_t task)
{
    return results->past.state && results->past.state[task] == HSI_PAST_DONE;
}

/* Return 1 if the task is neither done nor to be run in this run. */
static inline int hsi_is_left_out(const hsi_results *results, uint32_t task)
{
    return results->is_out && results->is_out[task];
}

#endif
