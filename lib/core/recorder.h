/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_RECORDER_H
#define HSI_CORE_RECORDER_H

#include <hybridsched/schedule.h>

#include "core/problem.h"
#include "core/worker_loads.h"

/*
 * The recorder of an algorithm's decisions, ordered by time on each worker: a task on a worker with
 * its end. A start is recorded, as a separate item, only if it differs from the end of the worker's
 * previous run, so schedules without gaps need no extra items. If the caller needs no schedule,
 * only the loads of the workers are kept.
 */
typedef struct hsi_recorder {
    size_t    size, capacity; /* number of items */
    uint32_t *task;
    uint32_t *worker;    /* worker | HSI_ABORT: aborts its latest entry; worker | HSI_START:
                            start of its next entry */
    double           *end; /* end of the run or of the aborted entry, or start of the next entry */
    size_t          aborts, starts;
    const uint32_t *first; /* first task of each row, for a problem with rows with counts */
    hsi_worker_loads *loads; /* loads of the workers, kept instead of the items; NULL: items are
                                recorded */
    hsi_arena own;           /* memory of the recorder for a problem without an arena */
} hsi_recorder;

#define HSI_ABORT 0x80000000u
#define HSI_START 0x40000000u

/*
 * Open a recorder with room for a run of every task and up to `most_aborts` aborts. Memory comes
 * from the problem's arena, if it has one, and is released with it. Call hsi_recorder_close() in
 * any case.
 */
hs_status hsi_recorder_open(hsi_recorder *recorder, const hsi_problem *pb, size_t most_aborts);
void      hsi_recorder_close(hsi_recorder *recorder);

/*
 * Reserve room for `more_items` further items; amortised O(more). For callers without a limit known
 * in advance.
 */
hs_status hsi_recorder_reserve(hsi_recorder *recorder, const hsi_problem *pb, size_t more_items);

/* Discard all items. */
void hsi_recorder_restart(hsi_recorder *recorder);

/* Record a run of one copy of a row; without counts rows are tasks, and `copy` is 0. */
static inline void hsi_record_copy(hsi_recorder *recorder, uint32_t row, uint32_t copy,
                                   uint32_t worker, double end)
{
    size_t at = recorder->size++;

    if (recorder->loads) {
        hsi_worker_loads_add_run(recorder->loads, row, worker, end);
        return;
    }
    recorder->task[at] = recorder->first ? recorder->first[row] + copy : row;
    recorder->end[at] = end;
    recorder->worker[at] = worker;
}

static inline void hsi_record_run(hsi_recorder *recorder, uint32_t task, uint32_t worker,
                                  double end)
{
    hsi_record_copy(recorder, task, 0, worker, end);
}

/* Set the start of the worker's next entry to `when`, instead of the end of its latest entry. */
static inline void hsi_record_next_start(hsi_recorder *recorder, uint32_t worker, double when)
{
    size_t at = recorder->size++;

    recorder->starts++;
    if (recorder->loads)
        return;
    recorder->task[at] = 0;
    recorder->end[at] = when;
    recorder->worker[at] = worker | HSI_START;
}

static inline void hsi_record_abort(hsi_recorder *recorder, uint32_t worker, double when)
{
    size_t at = recorder->size++;

    recorder->aborts++;
    if (recorder->loads) {
        hsi_worker_loads_abort_run(recorder->loads, worker, when);
        return;
    }
    recorder->task[at] = 0;
    recorder->end[at] = when;
    recorder->worker[at] = worker | HSI_ABORT;
}

/*
 * Build the schedule from the records: a new one, or into `s`, whose content is replaced.
 * HS_ECANCELED: the problem's cancel token was cancelled.
 */
hs_status hsi_recorder_build_schedule(const hsi_recorder *recorder, const hsi_problem *pb,
                                      hs_schedule **out);
hs_status hsi_recorder_build_schedule_in(const hsi_recorder *recorder, const hsi_problem *pb,
                                         hs_schedule *s);

#endif
