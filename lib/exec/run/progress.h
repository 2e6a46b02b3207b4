/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_PROGRESS_H
#define HSI_EXEC_RUN_PROGRESS_H

#include "exec/run/results.h"

/*
 * How much work is left is told as a share of the total weight. A task weighs its shorter time, and
 * the whole run is predicted to last as long as the plan or, without a plan, as the theorem2 bound.
 */
typedef struct hsi_progress {
    double predicted; /* seconds */
    double total_weight, resumed_weight;
} hsi_progress;

/* What a worker shows of its progress; atomic, without the lock. */
typedef struct hsi_gauge {
    uint64_t done;
    uint64_t running_since; /* ns, when the present task started; 0: no task runs */
    int      running;       /* the present task */
    uint64_t weight;        /* weight of the tasks done in this run: the bits of a double */
} hsi_gauge;

hs_status hsi_progress_prepare(hsi_progress *progress, const hsi_work *work,
                               const hsi_results *results);

/* Add the weight of a task that is done. */
void hsi_gauge_add(hsi_gauge *gauge, const hs_instance *in, uint32_t task);

/* Show that `task` runs since `since`, in ns. */
void hsi_gauge_show(hsi_gauge *gauge, uint32_t task, int64_t since);

/* Pass the progress to settings.progress. Do not hold the lock. */
void hsi_progress_report(hs_exec *exec);

#endif
