/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of each step of a factorisation, on whole tiles in the order of the data column. */
#include "exec/backend/cuda/tiles/tiles.h"

static const double one = 1, minus_one = -1;

int hsi_tiles_knows(hsi_step step)
{
    switch (step) {
    case HSI_POTRF:
    case HSI_SYRK:
    case HSI_TRSM:
    case HSI_GEMM:
    case HSI_GETRF:
    case HSI_TRSM_LEFT:
    case HSI_TRSM_RIGHT:
    case HSI_GEMM_LU:
        return 1;
    case HSI_NO_STEP:
    case HSI_GEQRF:
    case HSI_ORMQR:
    case HSI_TPQRT:
    case HSI_TPMQRT:
        break;
    }
    return 0;
}

int hsi_tiles_work(hsi_cuda_lane *lane, hsi_step step, int n, int *elements)
{
    const hsi_cuda_kernel *opens_solver = hsi_cuda_kernel_find("dpotrf");

    *elements = 0;
    if (step != HSI_POTRF && step != HSI_GETRF)
        return 1;
    if (!hsi_cuda_lane_work(lane, opens_solver, n, elements))
        return 0;
    if (step == HSI_POTRF)
        return SOLVER(lane, cusolverDnDpotrf_bufferSize, CUBLAS_FILL_MODE_LOWER, n, NULL, n,
                      elements);
    return SOLVER(lane, cusolverDnDgetrf_bufferSize, n, n, NULL, n, elements);
}

static int trsm(hsi_cuda_lane *lane, cublasSideMode_t side, cublasFillMode_t fill,
                cublasOperation_t transposed, cublasDiagType_t diagonal, int n, const double *a,
                double *b)
{
    return BLAS(lane, cublasDtrsm, side, fill, transposed, diagonal, n, n, &one, a, n, b, n);
}

static int gemm(hsi_cuda_lane *lane, cublasOperation_t transposed, int n, double *const at[])
{
    return BLAS(lane, cublasDgemm, CUBLAS_OP_N, transposed, n, n, n, &minus_one, at[0], n, at[1], n,
                &one, at[2], n);
}

/* LU without exchanges of rows: cuSOLVER does without where there is no room for pivots. */
int hsi_tiles_launch(hsi_cuda_lane *lane, hsi_step step, int n, double *const at[HSI_OPERANDS],
                     int size, int *info)
{
    double *work = (double *)(void *)lane->arena;

    switch (step) {
    case HSI_POTRF:
        return SOLVER(lane, cusolverDnDpotrf, CUBLAS_FILL_MODE_LOWER, n, at[0], n, work, size,
                      info);
    case HSI_GETRF:
        return SOLVER(lane, cusolverDnDgetrf, n, n, at[0], n, work, NULL, info);
    case HSI_SYRK:
        return BLAS(lane, cublasDsyrk, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, n, &minus_one, at[0],
                    n, &one, at[1], n);
    case HSI_TRSM:
        return trsm(lane, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T,
                    CUBLAS_DIAG_NON_UNIT, n, at[0], at[1]);
    case HSI_TRSM_LEFT:
        return trsm(lane, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT,
                    n, at[0], at[1]);
    case HSI_TRSM_RIGHT:
        return trsm(lane, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N,
                    CUBLAS_DIAG_NON_UNIT, n, at[0], at[1]);
    case HSI_GEMM:
        return gemm(lane, CUBLAS_OP_T, n, at);
    case HSI_GEMM_LU:
        return gemm(lane, CUBLAS_OP_N, n, at);
    case HSI_NO_STEP:
    case HSI_GEQRF:
    case HSI_ORMQR:
    case HSI_TPQRT:
    case HSI_TPMQRT:
        break;
    }
    return 0;
}
