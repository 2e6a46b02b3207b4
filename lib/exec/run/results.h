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
    unsigned retired; /* as in hs_exec_failure */
    char    *why, *log;
} hsi_failure;

/* What a policy may still do with a task: each starts when nobody has it, and is done once. */
typedef enum hsi_task_state {
    HSI_TASK_FREE,
    HSI_TASK_RUNS, /* a worker has it, or it is to be tried again; what was a worker's own
                      stays so */
    HSI_TASK_OVER,
    HSI_TASK_FAILED /* for good */
} hsi_task_state;

#define HSI_NOTHING UINT32_MAX

/*
 * What has come of the tasks, now and in runs before. While a run lasts, the lock guards failures,
 * the counts below them, retries and the table of failures. `state` is atomic. The attempts of a
 * task are counted by the thread that has the task, which passes from worker to worker under the
 * lock. The journal has a lock of its own. No thread changes the other fields.
 */
typedef struct hsi_results {
    hsi_journal     *journal;
    hsi_journal_past past;
    uint64_t         left_out; /* tasks that are not done and not to be run */
    unsigned char   *is_out;   /* by task; NULL: nothing is left out */
    pthread_mutex_t  telling;  /* held for calls of settings.attempt and settings.line */
    unsigned char   *state;    /* by task: an hsi_task_state; atomic: see support/atomic.h */
    uint16_t        *attempts; /* by task: made, in runs before too */
    uint16_t        *failures; /* by task */
    uint64_t         aborted, retried, failed;
    uint64_t         unrecorded; /* tasks that the journal would not take */
    unsigned         lost_workers;
    hsi_retries      retries;
    uint32_t        *blocker; /* after the run, by vertex of the graph: what has failed before it,
                                 or HSI_NOTHING; NULL: nothing has */
    uint64_t         blocked;
    hsi_failure     *failure;
    size_t           failure_count, failure_capacity;
    size_t           failures_told; /* the caller's thread's own */
} hsi_results;

/* The attempts of one worker, by time. */
typedef struct hsi_records {
    hs_exec_record *list;
    size_t          count, capacity;
} hsi_records;

/* Its waits for others to abort, by time, in seconds from the start. */
typedef struct hsi_waits {
    hs_wait *list;
    size_t   count, capacity;
} hsi_waits;

hs_status hsi_results_open(hsi_results *results, const hsi_work *work);
void      hsi_results_close(hsi_results *results);

/* Last of all that is opened, as it makes a file. */
hs_status hsi_results_open_journal(hsi_results *results, const hsi_work *work, char why[HS_WHY]);

/* 0: no memory. */
int hsi_records_prepare(hsi_records *records); /* room for `capacity` of them */
int hsi_records_room(hsi_records *records);    /* for one more */
int hsi_waits_room(hsi_waits *waits);          /* likewise */

static inline int hsi_is_done_before(const hsi_results *results, uint32_t task)
{
    return results->past.state && results->past.state[task] == HSI_PAST_DONE;
}

/* Neither done nor to be run. */
static inline int hsi_is_left_out(const hsi_results *results, uint32_t task)
{
    return results->is_out && results->is_out[task];
}

#endif
