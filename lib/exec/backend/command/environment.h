/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_COMMAND_ENVIRONMENT_H
#define HSI_EXEC_BACKEND_COMMAND_ENVIRONMENT_H

#include <hybridsched/backend.h>

/*
 * The environment of one worker's commands: what the program has, with these set
 * whatever they were:
 *
 *   OMP_NUM_THREADS, OPENBLAS_NUM_THREADS   1: a worker is one core
 *   CUDA_DEVICE_ORDER                       PCI_BUS_ID   } neither, if CUDA_VISIBLE_DEVICES
 *   CUDA_VISIBLE_DEVICES                    the device   } is to be left alone
 *   HSCHED_WORKER                           cpu3
 *   HSCHED_TASK, HSCHED_ATTEMPT             set for each attempt
 *
 * A worker without a device, a CPU or a GPU's stand-in, shows its commands none: -1.
 */
typedef struct hsi_environment {
    char **variables; /* ends with NULL; strings of the program's own are not copied */
    size_t task;      /* where HSCHED_TASK goes; HSCHED_ATTEMPT is the next */
    char  *own;       /* the strings that were made here */
} hsi_environment;

hs_status hsi_environment_create(const hs_backend_options     *options,
                                 const hs_backend_worker_info *info, char *const *inherited,
                                 hsi_environment *out);
void      hsi_environment_free(hsi_environment *environment);

#endif
