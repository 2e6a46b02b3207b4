/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_RETRY_H
#define HSI_EXEC_RUN_RETRY_H

#include "exec/run/run.h"

/*
 * Failed tasks that wait for a retry, in the order of their failures. The policy does not see these
 * tasks until they are done or dropped, so no worker spoliates them. A due retry is meant for some
 * workers, which take the retry before they ask the policy: for another worker of the type of the
 * last attempt; after two failures in a row on this type, for a worker of the other type; for the
 * worker of the last attempt only if no other worker in service can run the task. While all workers
 * meant are busy, any idle worker takes the retry if its last attempt did not fail. Each search
 * costs O(retries * workers); retries are rare.
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

/* Keep the task of the worker's attempt, which failed, until `due`, in ns. Return false if memory
 * is short. Hold the lock of the run for this function and the functions below. */
bool hsi_retry_add(hsi_worker *worker, uint32_t task, int64_t due);

/* Move the first due retry that the worker may take to worker->dispatch->retry. `idle`: the policy
 * has no task for the worker. Return false if there is no such retry. */
bool hsi_retry_take_due(hsi_worker *worker, bool idle, int64_t now);

/* Return the due time in ns of the first retry that the idle worker may take; HSI_FAR: none. */
int64_t hsi_retry_due(const hsi_worker *worker);

/* Remove a retry that no worker in service can run, and store its task in *task. Return false if
 * there is none. */
bool hsi_retry_stranded(hs_exec *exec, uint32_t *task);

#endif
