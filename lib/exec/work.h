/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_WORK_H
#define HSI_EXEC_WORK_H

#include <hybridsched/exec.h>

enum { HSI_MOST_CORES = 65536 };

/* The tasks to run and the settings; constant after hs_exec_create(). */
typedef struct hsi_work {
    const hs_instance *in;
    const hs_schedule *plan;     /* NULL: none */
    hs_exec_settings   settings; /* resolved */
    char              *logs;     /* copy of settings.keep.log_folder; NULL: no logs are kept */
    double             seconds_per_unit;
    unsigned           cpus, gpus, workers;
    int                timed;     /* attempts have deadlines */
    int                unused[2]; /* by hs_type: 1: no task can run on the type, so its workers
                                     need neither cores nor devices */
} hsi_work;

/* work.c. hsi_work_set() checks and resolves the settings; the instance and the plan stay the
 * caller's. */
hs_status hsi_work_set(hsi_work *work, const hs_instance *in, const hs_schedule *plan,
                       const hs_exec_settings *given, hs_error *error);
void      hsi_work_free(hsi_work *work);

#endif
