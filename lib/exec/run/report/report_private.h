/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_REPORT_PRIVATE_H
#define HSI_EXEC_RUN_REPORT_PRIVATE_H

#include "exec/run/report/report.h"

struct hsi_account {
    hs_exec_record *records; /* in order of time */
    size_t          record_count, record_capacity;
    hs_wait        *waits; /* in order of time; the lock guards the waits */
    size_t          wait_count, wait_capacity;
    int64_t         idle_ns;    /* total of waits that ended with a task; guarded by the lock */
    int64_t         idle_since; /* ns; guarded by the lock */
    uint64_t        checks[HS_VERIFICATION_PASSED + 1]; /* done tasks by hs_verification */
    hsi_core_time   core;

    /* The fields from here on are atomic: other threads read them for the progress. */
    _Alignas(64) uint64_t done;
    uint64_t running_since; /* ns, when the running task started; 0: no task runs */
    uint64_t weight;        /* weight of the done tasks: the bits of a double */
    int      running;       /* the running task */
};

struct hsi_report {
    pthread_mutex_t callbacks;         /* held for calls of report.attempt and report.line */
    size_t          failures_reported; /* used by the caller's thread only */

    /* The remaining work is a share of the total weight. A task weighs its shorter time, and the
     * whole run is predicted to last as long as the plan or, without a plan, as the theorem2
     * bound. */
    double predicted; /* seconds */
    double total_weight;
    double resumed_weight; /* weight of the tasks outside this run: done before or left out */

    hsi_gpu_energy_use energy;
    const hs_transfer *transfers; /* of the last run; of `copied` or of shared data */
    size_t             transfer_count;
    hs_transfer       *copied; /* transfers copied from the policy; NULL: none */
};

/* Return the weight of the done tasks of the worker. Atomic. */
double hsi_account_done_weight(const hsi_worker *worker);

/* Return the weight of a task: its shorter time. */
double hsi_task_weight(const hs_instance *in, uint32_t task);

/* Forget the transfers of the previous run. */
void hsi_report_forget_transfers(hsi_report *report);

#endif
