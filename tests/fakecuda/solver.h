/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FAKECUDA_SOLVER_H
#define FAKECUDA_SOLVER_H

#include <cusolverDn.h>

#include "kernel.h"

/* Set the size of a workspace, or return the error of an invalid call. */
cusolverStatus_t fake_solver_set_work_size(cusolverDnHandle_t handle, const char *call, int valid,
                                           int needed, int *size);

/* Launch the operation unless fake_begin_call() returned an error; leave the call begun by
 * fake_begin_call().
 * */
cusolverStatus_t fake_solver_launch(cusolverDnHandle_t handle, fake_operation *operation,
                                    cudaError_t error);

#endif
