/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_LOG_H
#define HSI_CORE_LOG_H

#include <hybridsched/schedule.h>

#include "core/problem.h"

/*
 * What an algorithm decides, in the order in which it decides: this task goes
 * to this worker, after what is there already. Workers are never idle between
 * two entries, so no times are kept: they follow.
 */
typedef struct hsi_log {
    size_t    size;
    uint32_t *task;
    uint32_t *worker; /* HSI_ABORT: the worker's latest entry is aborted */
    double   *end;    /* of the run, or of what is aborted */
    size_t    aborts;
} hsi_log;

#define HSI_ABORT 0x80000000u

/* Room for every task once, and for as many aborts as there can be. */
hs_status hsi_log_open(hsi_log *log, const hsi_problem *pb, size_t aborts);
void      hsi_log_close(hsi_log *log);

static inline void hsi_log_put(hsi_log *log, uint32_t task, uint32_t worker, double end)
{
    log->task[log->size] = task;
    log->end[log->size] = end;
    log->worker[log->size++] = worker;
}

static inline void hsi_log_abort(hsi_log *log, uint32_t worker, double when)
{
    hsi_log_put(log, 0, worker | HSI_ABORT, when);
    log->aborts++;
}

/* The schedule that was decided. */
hs_status hsi_log_schedule(const hsi_log *log, const hsi_problem *pb, hs_schedule **out);

#endif
