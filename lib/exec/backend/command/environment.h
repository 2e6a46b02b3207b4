/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_COMMAND_ENVIRONMENT_H
#define HSI_EXEC_BACKEND_COMMAND_ENVIRONMENT_H

#include <hybridsched/backend.h>

/*
 * The environment of commands: what the program has, with these set whatever they were:
 *
 *   OMP_NUM_THREADS, OPENBLAS_NUM_THREADS   as many as the worker has cores
 *   HSCHED_CORES                            likewise
 *   CUDA_DEVICE_ORDER                       PCI_BUS_ID   } none of these, if they
 *   CUDA_VISIBLE_DEVICES                    the device   } are to be left alone
 *   ROCR_VISIBLE_DEVICES                    HSCHED_GPU   }
 *   HIP_VISIBLE_DEVICES                     0            }
 *   HSCHED_WORKER                           cpu3
 *   HSCHED_GPU                              of GPUs and stand-ins: the worker's index among them
 *   HSCHED_TASK, HSCHED_ATTEMPT             set for each attempt
 *
 * A CPU shows its commands no device: -1. An emulated GPU shows them the device that a real one of
 * its index would be: that entry of the program's own CUDA_VISIBLE_DEVICES, or without such a list
 * the index.
 */
typedef struct hsi_environment {
    char      **variables; /* the program's own, not copied; room for what is set; NULL */
    size_t      lasting;   /* where a worker's go; those of each attempt are the next */
    const char *visible;   /* the program's CUDA_VISIBLE_DEVICES; NULL: it has none */
} hsi_environment;

enum { HSI_ENVIRONMENT_ROOM = 4096 };

hs_status hsi_environment_create(const hs_backend_options *options, char *const *inherited,
                                 hsi_environment *out);
void      hsi_environment_free(hsi_environment *environment);

/* Write the variables of a worker that hold for all its attempts: NAME=VALUE, each with its NUL.
 * `visible` is that of hsi_environment. Return the number of bytes; 0: `text` is too small. */
size_t hsi_environment_of_worker(const hs_backend_options     *options,
                                 const hs_backend_worker_info *info, const char *visible,
                                 char text[HSI_ENVIRONMENT_ROOM]);

#endif
