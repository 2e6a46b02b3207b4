/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_MACHINE_POWER_H
#define HSI_EXEC_MACHINE_POWER_H

#include "exec/machine/machine.h"

/* What NVML, which comes with NVIDIA's driver, tells of the GPUs of a run, where it is there. */
typedef struct hsi_power hsi_power;

typedef struct hsi_power_use {
    double   joules;            /* of all of them; 0: not known */
    unsigned clock, clock_most; /* MHz of the slowest at the end, and its most; 0: not known */
} hsi_power_use;

/* From now on. NULL: nothing can be told. */
hsi_power *hsi_power_begin(const hsi_machine *machine, unsigned gpus);

/* Until now; frees it. NULL is fine. */
hsi_power_use hsi_power_end(hsi_power *power);

#endif
