/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces of matrices that a test can afford. */
#include "exec/backend/cuda/cuda.h"

int __real_hsi_cuda_width(const hsi_cuda_kernel *kernel, int n);
int __wrap_hsi_cuda_width(const hsi_cuda_kernel *kernel, int n);

int __wrap_hsi_cuda_width(const hsi_cuda_kernel *kernel, int n)
{
    int width = __real_hsi_cuda_width(kernel, n);

    return n > 100 && width > 64 ? 64 : width;
}
