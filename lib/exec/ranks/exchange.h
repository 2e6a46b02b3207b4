/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RANKS_EXCHANGE_H
#define HSI_EXEC_RANKS_EXCHANGE_H

#include "exec/ranks/ranks.h"

/*
 * The messages of a run over MPI: the client of the data says which rank runs each task, and which
 * data a task's rank sends to which others when the task is done. A task of another rank is over
 * for this rank when all its messages have arrived. The caller's thread of the run talks to MPI;
 * workers only announce tasks that are done.
 */
typedef struct hsi_exchange hsi_exchange;

/* Data that a task has written, on its way from the task's rank to another. */
typedef struct hsi_parcel {
    uint32_t task;
    uint32_t after;     /* to this rank: the last task of this rank that uses older content of the
                           memory; HS_NONE: none */
    unsigned     other; /* the other rank */
    int          tag;
    size_t       bytes;
    void *const *at; /* address of the data's place when the message begins */
} hsi_parcel;

/* What the client decides. The arrays pass to the exchange. */
typedef struct hsi_exchange_plan {
    bool       *elsewhere; /* by task: another rank runs the task */
    hsi_parcel *from, *to; /* from and to this rank, sorted by task */
    size_t      from_count, to_count;
    uint64_t    digest; /* of all that the ranks must agree on beside instance and plan */
} hsi_exchange_plan;

/* Create the exchange for a number of tasks. HS_OK: the caller owns *out. HS_ENOMEM: the arrays are
 * still the caller's. */
hs_status hsi_exchange_create(const hs_mpi *mpi, size_t tasks, const hsi_exchange_plan *plan,
                              hsi_exchange **out);
void      hsi_exchange_free(hsi_exchange *exchange); /* NULL is allowed */

const hs_mpi *hsi_exchange_mpi(const hsi_exchange *exchange);
bool          hsi_exchange_is_elsewhere(const hsi_exchange *exchange, uint32_t task);
size_t        hsi_exchange_own_tasks(const hsi_exchange *exchange);

/* Begin a run: compare the digests of all ranks, and post the messages to this rank. Collective.
 * HS_EINVAL: the ranks differ. HS_EIO. HS_ENOMEM. */
hs_status hsi_exchange_begin(hsi_exchange *exchange, uint64_t digest, hs_error *error);

/* Announce a task of this rank that is done, from any thread. Return true if hsi_exchange_poll()
 * has something to do for it. */
bool hsi_exchange_task_done(hsi_exchange *exchange, uint32_t task);

/* Send, receive, and set *tasks to the tasks of other ranks that are over now, *count; valid until
 * the next call. In the caller's thread. HS_EIO. */
hs_status hsi_exchange_poll(hsi_exchange *exchange, const uint32_t **tasks, size_t *count,
                            hs_error *error);

/* Return true while messages to this rank are missing. In the thread that polls, or while that
 * thread holds the lock under which it reports the tasks. */
bool hsi_exchange_is_awaited(const hsi_exchange *exchange);

/* Count tasks of other ranks that were reported. Hold the lock of the run. */
void hsi_exchange_count_reported(hsi_exchange *exchange, size_t count);

/* After all tasks of this rank are done: send what is left, and share the facts of all ranks. *mine
 * has this rank's tasks, seconds and busy time. Collective. HS_EIO. */
hs_status hsi_exchange_finish(hsi_exchange *exchange, const hs_exec_rank *mine, hs_error *error);

/* Move parcels besides those of tasks, between runs. Returns when all are complete. HS_EIO. */
hs_status hsi_exchange_move(hsi_exchange *exchange, const hsi_parcel *from, size_t from_count,
                            const hsi_parcel *to, size_t to_count, hs_error *error);

/* Return the facts of a rank after hsi_exchange_finish(); NULL: there are none. */
const hs_exec_rank *hsi_exchange_rank(const hsi_exchange *exchange, unsigned rank);

#endif
