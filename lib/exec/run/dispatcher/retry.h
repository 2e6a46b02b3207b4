/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_RETRY_H
#define HSI_EXEC_RUN_RETRY_H

#include "exec/run/run.h"

/*
 * Tasks that failed and are to be tried again, in the order of their failures. The dispatcher keeps
 * these tasks from the policy until they are done or dropped, so no worker spoliates them. When a
 * task is due, a worker for which it is meant gets it before that worker asks the policy. The next
 * attempt is meant for another worker of the type; after two failures in a row on a type, for a
 * worker of the other type; and for the same worker only if no other in service can run the task.
 * While all workers for which the retry is meant are busy, any other idle worker whose last attempt
 * did not fail takes it. Each question costs O(retries * workers); retries are rare.
 */
typedef struct hsi_retry {
    int64_t  due; /* ns */
    uint32_t task;
    unsigned last;   /* worker of the last attempt */
    unsigned streak; /* failed attempts in a row on that worker's type */
} hsi_retry;

/* The tasks that wait for a retry. */
typedef struct hsi_retries hsi_retries;

hs_status hsi_retries_create(hsi_retries **out);  /* HS_OK or HS_ENOMEM; the caller owns *out */
void      hsi_retries_free(hsi_retries *retries); /* NULL is allowed */
void      hsi_retries_clear(hsi_retries *retries);
size_t    hsi_retries_count(const hsi_retries *retries);

/* Keep the task of worker->attempt, which failed, until `due`, in ns. Return false if memory is
 * short. Hold the lock for all functions here. */
bool hsi_retry_keep(hsi_worker *worker, uint32_t task, int64_t due);

/* Move the first due retry that this worker may take to worker->turn->retry. `idle`: the policy has
 * no task for the worker. Return false if no retry fits. */
bool hsi_retry_take(hsi_worker *worker, bool idle, int64_t now);

/* Return when the first retry is due that this worker, idle, may take; HSI_FAR: none. */
int64_t hsi_retry_due(const hsi_worker *worker);

/* Remove a retry that no worker in service can run, and store its task in *task. Return false if
 * there is none. */
bool hsi_retry_stranded(hs_exec *exec, uint32_t *task);

#endif
