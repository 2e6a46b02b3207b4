/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_LOG_H
#define HSI_CORE_LOG_H

#include <hybridsched/schedule.h>

#include "core/problem.h"
#include "core/tally.h"

/*
 * The recorder of an algorithm's decisions, ordered by time on each worker: a task on a worker with
 * its end. A start is recorded, as a separate item, only if it differs from the end of the worker's
 * previous run, so schedules without gaps need no extra items. If the caller needs no schedule,
 * only sums are kept, in a tally.
 */
typedef struct hsi_log {
    size_t          size, capacity; /* number of items */
    uint32_t       *task;
    uint32_t       *worker; /* worker | HSI_ABORT: aborts its latest entry; worker | HSI_START:
                               start of its next entry */
    double         *end;    /* end of the run or of the aborted entry; or the start */
    size_t          aborts, starts;
    const uint32_t *first; /* first task of each row, for a problem with rows with counts */
    hsi_tally      *tally; /* replaces the items; NULL: items are recorded */
    hsi_arena       own;   /* for a problem without an arena */
} hsi_log;

#define HSI_ABORT 0x80000000u
#define HSI_START 0x40000000u

/*
 * Open a recorder with room for a run of every task and up to `aborts` aborts. Memory comes from
 * the problem's arena, if it has one, and is released with it. Call hsi_log_close() in any case.
 */
hs_status hsi_log_open(hsi_log *log, const hsi_problem *pb, size_t aborts);
void      hsi_log_close(hsi_log *log);

/*
 * Reserve room for `more` further items; amortised O(more). For callers without a limit known in
 * advance.
 */
hs_status hsi_log_reserve(hsi_log *log, const hsi_problem *pb, size_t more);

/* Discard all items. */
void hsi_log_restart(hsi_log *log);

/* Record a run of one copy of a row; without counts rows are tasks, and `copy` is 0. */
static inline void hsi_log_put_copy(hsi_log *log, uint32_t row, uint32_t copy, uint32_t worker,
                                    double end)
{
    size_t at = log->size++;

    if (log->tally) {
        hsi_tally_put(log->tally, row, worker, end);
        return;
    }
    log->task[at] = log->first ? log->first[row] + copy : row;
    log->end[at] = end;
    log->worker[at] = worker;
}

static inline void hsi_log_put(hsi_log *log, uint32_t task, uint32_t worker, double end)
{
    hsi_log_put_copy(log, task, 0, worker, end);
}

/* Set the start of the worker's next entry to `when`, instead of the end of its latest entry. */
static inline void hsi_log_start(hsi_log *log, uint32_t worker, double when)
{
    size_t at = log->size++;

    log->starts++;
    if (log->tally)
        return;
    log->task[at] = 0;
    log->end[at] = when;
    log->worker[at] = worker | HSI_START;
}

static inline void hsi_log_abort(hsi_log *log, uint32_t worker, double when)
{
    size_t at = log->size++;

    log->aborts++;
    if (log->tally) {
        hsi_tally_abort(log->tally, worker, when);
        return;
    }
    log->task[at] = 0;
    log->end[at] = when;
    log->worker[at] = worker | HSI_ABORT;
}

/*
 * Build the schedule from the records: a new one, or into `s`, whose content is replaced.
 * HS_ECANCELED: the problem's cancel token was cancelled.
 */
hs_status hsi_log_schedule(const hsi_log *log, const hsi_problem *pb, hs_schedule **out);
hs_status hsi_log_schedule_in(const hsi_log *log, const hsi_problem *pb, hs_schedule *s);

#endif
