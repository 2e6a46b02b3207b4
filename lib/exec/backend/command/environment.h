/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_COMMAND_ENVIRONMENT_H
#define HSI_EXEC_BACKEND_COMMAND_ENVIRONMENT_H

#include <hybridsched/backend.h>

/*
 * The environment of commands: the program's own, with these variables replaced:
 *
 *   OMP_NUM_THREADS, OPENBLAS_NUM_THREADS   number of the worker's cores
 *   HSCHED_CORES                            number of the worker's cores
 *   CUDA_DEVICE_ORDER                       PCI_BUS_ID   } the four are kept as
 *   CUDA_VISIBLE_DEVICES                    the device   } they were if
 *   ROCR_VISIBLE_DEVICES                    HSCHED_GPU   } keep_visible_devices
 *   HIP_VISIBLE_DEVICES                     0            }
 *   HSCHED_WORKER                           cpu3
 *   HSCHED_GPU                              index of a GPU worker, real or emulated
 *   HSCHED_TASK, HSCHED_ATTEMPT             set for each attempt
 *
 * Commands on CPUs see no device: -1. Commands on an emulated GPU see the device that a real GPU of
 * the same index would be: the entry in the program's CUDA_VISIBLE_DEVICES, or without that list
 * the index.
 */
typedef struct hsi_environment {
    char      **variables; /* NULL-terminated; strings of the program, not copied, and room for the
                              variables set */
    size_t      worker_variables;   /* index of the first variable of the worker; the variables of
                                       each attempt follow */
    const char *visible;   /* the program's CUDA_VISIBLE_DEVICES; NULL: not set */
} hsi_environment;

enum { HSI_ENVIRONMENT_ROOM = 4096 };

hs_status hsi_environment_create(const hs_backend_options *options, char *const *inherited,
                                 hsi_environment *out);
void      hsi_environment_free(hsi_environment *environment);

/* Write the variables of a worker that hold for all its attempts: NAME=VALUE, each with its NUL.
 * `visible_devices` is that of hsi_environment. Return the number of bytes; 0: `text` is too small.
 */
size_t hsi_environment_write_worker(const hs_backend_options     *options,
                                    const hs_backend_worker_info *info, const char *visible_devices,
                                    char text[HSI_ENVIRONMENT_ROOM]);

#endif
