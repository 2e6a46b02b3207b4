/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wrappers linked into the module under test: matrices of moderate size are split into narrow
 * pieces like large matrices on a GPU, and dgetrf gets matrices that need row exchanges (unless
 * small), because the library's matrices are diagonally dominant.
 */
#include "exec/backend/cuda/cuda.h"

int __real_hsi_cuda_piece_columns(const hsi_cuda_kernel *kernel, int n, int watched);
int __wrap_hsi_cuda_piece_columns(const hsi_cuda_kernel *kernel, int n, int watched);
int __real_hsi_cuda_piece(int n, int width);
int __wrap_hsi_cuda_piece(int n, int width);

enum { NARROW = 64, NARROW_FROM = 100, NARROW_TO = 1000 };

static int narrow(int n, int width)
{
    return n > NARROW_FROM && n < NARROW_TO && width > NARROW ? NARROW : width;
}

int __wrap_hsi_cuda_piece_columns(const hsi_cuda_kernel *kernel, int n, int watched)
{
    return narrow(n, __real_hsi_cuda_piece_columns(kernel, n, watched));
}

int __wrap_hsi_cuda_piece(int n, int width)
{
    return narrow(n, __real_hsi_cuda_piece(n, width));
}

void __real_hsi_job_locate(hsi_job *job, const hsi_kernel *kernel, hsi_shape shape, uint64_t seed,
                           const hs_attempt *attempt, hsi_space *space);
void __wrap_hsi_job_locate(hsi_job *job, const hsi_kernel *kernel, hsi_shape shape, uint64_t seed,
                           const hs_attempt *attempt, hsi_space *space);

static const hsi_kernel *with_exchanges(const hsi_kernel *kernel, int n, hsi_kernel *changed)
{
    if ((kernel != &hsi_kernel_dgetrf && kernel != &hsi_kernel_sgetrf) || n < NARROW_FROM)
        return kernel;
    *changed = *kernel;
    changed->dominant = 0;
    return changed;
}

void __wrap_hsi_job_locate(hsi_job *job, const hsi_kernel *kernel, hsi_shape shape, uint64_t seed,
                           const hs_attempt *attempt, hsi_space *space)
{
    hsi_kernel changed;

    __real_hsi_job_locate(job, with_exchanges(kernel, shape.n, &changed), shape, seed, attempt, space);
    job->kernel = kernel;
}
