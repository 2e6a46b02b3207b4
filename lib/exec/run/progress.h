/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_PROGRESS_H
#define HSI_EXEC_RUN_PROGRESS_H

#include "exec/run/results.h"

/*
 * How much is left is told in parts of the whole, a task counting for its shorter
 * time, and the whole lasts as long as the plan says or, without one, the area bound.
 */
typedef struct hsi_progress {
    double predicted; /* seconds */
    double total_weight, resumed_weight;
} hsi_progress;

/* What a worker shows of itself, shared without the lock. */
typedef struct hsi_gauge {
    uint64_t done;
    uint64_t running_since; /* ns; 0: nothing runs */
    int      running;       /* the task */
    uint64_t weight;        /* of what it has done: the bits of a double */
} hsi_gauge;

hs_status hsi_progress_prepare(hsi_progress *progress, const hsi_work *work,
                               const hsi_results *results);

/* A task is done. */
void hsi_gauge_add(hsi_gauge *gauge, const hs_instance *in, uint32_t task);

/* A task runs since then; 0: none. */
void hsi_gauge_show(hsi_gauge *gauge, uint32_t task, int64_t since);

/* Without the lock. */
void hsi_progress_tell(hs_exec *exec);

#endif
