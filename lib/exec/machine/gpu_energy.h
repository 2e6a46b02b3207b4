/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_MACHINE_GPU_ENERGY_H
#define HSI_EXEC_MACHINE_GPU_ENERGY_H

#include "exec/machine/machine.h"

/* Energy and clocks of the GPUs of a run, from NVML, which comes with NVIDIA's driver. */
typedef struct hsi_gpu_energy hsi_gpu_energy;

typedef struct hsi_gpu_energy_use {
    double   joules;            /* sum over the GPUs; 0: not known */
    unsigned clock, clock_most; /* MHz of the slowest GPU at the end, and the highest clock of that
                                   GPU; 0: not known */
} hsi_gpu_energy_use;

/* Start to measure. Return NULL if NVML is missing or fails. */
hsi_gpu_energy *hsi_gpu_energy_begin(const hsi_machine *machine, unsigned gpus);

/* Return the use since hsi_gpu_energy_begin() and free `power`. NULL is allowed. */
hsi_gpu_energy_use hsi_gpu_energy_end(hsi_gpu_energy *power);

#endif
