/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FAKECUDA_KERNEL_H
#define FAKECUDA_KERNEL_H

#include <cublas_v2.h>

#include "state.h"

/* Launch the operation unless fake_begin_call() returned an error; leave the call begun by
 * fake_begin_call().
 * */
cublasStatus_t fake_blas_launch(cublasHandle_t handle, fake_operation *operation,
                                cudaError_t error);

/* Return the bytes from the first to the last element of a matrix. */
static inline size_t fake_bytes(int rows, int columns, int ld, size_t item)
{
    return rows > 0 && columns > 0 ? ((size_t)(columns - 1) * (size_t)ld + (size_t)rows) * item : 0;
}

/* Tell whether a leading dimension is too small. */
static inline int fake_ld_too_small(int ld, int rows)
{
    return ld < (rows > 1 ? rows : 1);
}

static inline void fake_add_read(fake_operation *operation, const void *base, size_t size)
{
    operation->span[operation->spans++] = (fake_span){base, size, 0, 0, 0};
}

static inline void fake_add_write(fake_operation *operation, const void *base, size_t size)
{
    operation->span[operation->spans++] = (fake_span){base, size, 1, 0, 0};
}

#endif
