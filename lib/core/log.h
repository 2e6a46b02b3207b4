/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_LOG_H
#define HSI_CORE_LOG_H

#include <hybridsched/schedule.h>

#include "core/problem.h"
#include "core/tally.h"

/*
 * What an algorithm decides, in the order of time on each worker: this task goes to this
 * worker, from its start to its end. A start is kept, as an item of its own, only where it
 * is not the end of what the worker did before: schedules without gaps cost nothing more.
 * Where nobody wants the schedule, only what it would come to is kept, in a tally.
 */
typedef struct hsi_log {
    size_t          size, capacity; /* items */
    uint32_t       *task;
    uint32_t       *worker; /* HSI_ABORT: its latest entry is aborted; HSI_START: its next starts */
    double         *end;    /* of the run, or of what is aborted; or the start */
    size_t          aborts, starts;
    const uint32_t *first; /* task of each row, if the problem has rows with counts */
    hsi_tally      *tally; /* instead of entries; NULL: entries */
    hsi_arena       own;   /* for a problem without an arena */
} hsi_log;

#define HSI_ABORT 0x80000000u
#define HSI_START 0x40000000u

/*
 * Room for every task once, and for as many aborts as there can be. In the problem's
 * arena if it has one, where it is given back with what was taken before; to be closed in
 * any case.
 */
hs_status hsi_log_open(hsi_log *log, const hsi_problem *pb, size_t aborts);
void      hsi_log_close(hsi_log *log);

/*
 * Room for `more` items beyond those that are there, for those who cannot tell beforehand;
 * amortised O(more).
 */
hs_status hsi_log_reserve(hsi_log *log, const hsi_problem *pb, size_t more);

/* Forgets all. */
void hsi_log_restart(hsi_log *log);

/* One copy of a row; without counts rows are tasks, and each its own first copy. */
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

/* The worker's next entry starts at `when`, and not where its latest one ends. */
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

/* HS_ECANCELED: the problem's asker wants no more. The schedule that was decided; or the same in
 * place of what is in `s`. */
hs_status hsi_log_schedule(const hsi_log *log, const hsi_problem *pb, hs_schedule **out);
hs_status hsi_log_schedule_in(const hsi_log *log, const hsi_problem *pb, hs_schedule *s);

#endif
