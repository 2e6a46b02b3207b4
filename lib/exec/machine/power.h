/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_MACHINE_POWER_H
#define HSI_EXEC_MACHINE_POWER_H

#include "exec/machine/machine.h"

/* Energy and clocks of the GPUs of a run, from NVML, which comes with NVIDIA's driver. */
typedef struct hsi_power hsi_power;

typedef struct hsi_power_use {
    double   joules;            /* sum over the GPUs; 0: not known */
    unsigned clock, clock_most; /* MHz of the slowest GPU at the end, and the highest clock of that
                                   GPU; 0: not known */
} hsi_power_use;

/* Start to measure. Return NULL if NVML is missing or fails. */
hsi_power *hsi_power_begin(const hsi_machine *machine, unsigned gpus);

/* Return the use since hsi_power_begin() and free `power`. NULL is allowed. */
hsi_power_use hsi_power_end(hsi_power *power);

#endif
