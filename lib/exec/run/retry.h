/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_RETRY_H
#define HSI_EXEC_RUN_RETRY_H

#include <stddef.h>
#include <stdint.h>

#include <hybridsched/exec.h>

/*
 * Tasks that failed and are to be tried again, in the order in which they failed. The
 * dispatcher keeps them from the policy: it lets each wait for its time, then gives it to a
 * worker for which it is meant, before that worker asks the policy, which hears of it again
 * when it is done or dropped. So nobody takes it over, and it does not go back to who failed
 * it: the next attempt is for another worker of the type, after two in a row that failed on
 * a type for one of the other type, and for the same worker only if no other in service can
 * run it. While those for which it is meant are busy, any other worker that has nothing else to
 * do and whose last attempt did not fail takes it: it is not broken, or not known to be.
 * A question looks at each retry, and at all workers for it; seldom are there any.
 */
typedef struct hsi_retry {
    int64_t  due;
    uint32_t task;
    unsigned last;   /* worker that failed it */
    unsigned streak; /* attempts in a row that failed on that worker's type */
} hsi_retry;

typedef struct hsi_retries {
    hsi_retry *list;
    size_t     count, capacity;
} hsi_retries;

struct hsi_worker;

/* With the lock held. hsi_retry_keep(): worker->attempt.task failed, and is to be run again;
 * 0: no memory. */
int hsi_retry_keep(struct hsi_worker *worker, uint32_t task, int64_t due);

/* 1 and worker->turn.retry, which is due, and meant for this worker, or it is idle. */
int hsi_retry_take(struct hsi_worker *worker, int idle, int64_t now);

/* When the first is due that this worker, idle, may take; INT64_MAX: there is none. */
int64_t hsi_retry_due(const struct hsi_worker *worker);

/* 1 and one that no worker in service can run (each is given once), else 0. */
int hsi_retry_stranded(hs_exec *exec, uint32_t *task);

#endif
