/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces of matrices that a test can afford; large ones are cut as they are on a GPU. */
#include "exec/backend/cuda/cuda.h"

int __real_hsi_cuda_width(const hsi_cuda_kernel *kernel, int n, int watched);
int __wrap_hsi_cuda_width(const hsi_cuda_kernel *kernel, int n, int watched);
int __real_hsi_cuda_piece(int n, int width);
int __wrap_hsi_cuda_piece(int n, int width);

enum { NARROW = 64, NARROW_FROM = 100, NARROW_TO = 1000 };

static int narrow(int n, int width)
{
    return n > NARROW_FROM && n < NARROW_TO && width > NARROW ? NARROW : width;
}

int __wrap_hsi_cuda_width(const hsi_cuda_kernel *kernel, int n, int watched)
{
    return narrow(n, __real_hsi_cuda_width(kernel, n, watched));
}

int __wrap_hsi_cuda_piece(int n, int width)
{
    return narrow(n, __real_hsi_cuda_piece(n, width));
}
