/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_SPEC_H
#define HSI_EXEC_RUN_SPEC_H

#include <hybridsched/exec.h>

enum { HSI_MOST_CORES = 65536 };

/* What a run executes: instance, plan and settings. Constant after hs_exec_create(). */
typedef struct hsi_run_spec {
    const hs_instance *in;
    const hs_schedule *plan;     /* NULL: none */
    hs_exec_settings   settings; /* resolved */
    char              *logs;     /* copy of settings.keep.log_folder; NULL: no logs are kept */
    double             seconds_per_unit;
    unsigned           cpus, gpus, workers;
    int                timed;     /* attempts have deadlines */
    bool               own_gpus;  /* functions of settings.run.calls run all tasks that can run on
                                     GPUs, so the program may drive the GPUs */
    int                unused[2]; /* by hs_type: no task can run on the type, so its workers need
                                     neither cores nor devices */
} hsi_run_spec;

/*
 * Fill *spec: check the settings and the plan, and replace settings of 0 by their defaults. The
 * instance and the plan stay the caller's. HS_EINVAL, HS_ESCHEDULE or HS_EDEPENDENT with *error, or
 * HS_ENOMEM. hsi_run_spec_free() frees what *spec owns, also after a failure.
 */
hs_status hsi_run_spec_make(hsi_run_spec *spec, const hs_instance *in, const hs_schedule *plan,
                            const hs_exec_settings *given, hs_error *error);
void      hsi_run_spec_free(hsi_run_spec *spec);

#endif
