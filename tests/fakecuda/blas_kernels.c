/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of the fake's cuBLAS, computed by CBLAS in column-major order. */
#include <cblas.h>
#include <string.h>

#include <cublas_v2.h>

#include "kernel.h"
#include "precision.h"

static CBLAS_TRANSPOSE trans(int how)
{
    return how == CUBLAS_OP_N ? CblasNoTrans : CblasTrans;
}

static CBLAS_UPLO uplo(int how)
{
    return how == CUBLAS_FILL_MODE_LOWER ? CblasLower : CblasUpper;
}

/* Overwrite the start of the kernel's workspace with NaNs, to reveal a workspace shared by mistake.
 * */
static void use_workspace(const fake_kernel *kernel)
{
    if (kernel->work)
        memset(kernel->work, 0xff, kernel->work_size < 4096 ? kernel->work_size : 4096);
}

static void run_gemm(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;

    use_workspace(k);
    LOWER(cblas_, gemm)(CblasColMajor, trans(k->trans), trans(k->trans_b), k->m, k->n, k->k, (REAL)k->alpha, k->a,
                k->lda, k->b, k->ldb, (REAL)k->beta, k->c, k->ldc);
}

static void run_syrk(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;

    use_workspace(k);
    LOWER(cblas_, syrk)(CblasColMajor, uplo(k->uplo), trans(k->trans), k->n, k->k, (REAL)k->alpha, k->a, k->lda,
                (REAL)k->beta, k->c, k->ldc);
}

static void run_trsm(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;

    use_workspace(k);
    LOWER(cblas_, trsm)(CblasColMajor, k->side == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight, uplo(k->uplo),
                trans(k->trans), k->diag == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit, k->m, k->n,
                (REAL)k->alpha, k->a, k->lda, k->c, k->ldc);
}

static void run_copy(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;

    LOWER(cblas_, copy)(k->n, k->a, k->lda, k->c, k->ldc);
}

static cudaError_t gemm(fake_operation *operation)
{
    fake_kernel *k = &operation->kernel;
    int          rows_a = k->trans == CUBLAS_OP_N ? k->m : k->k;
    int          rows_b = k->trans_b == CUBLAS_OP_N ? k->k : k->n;

    if (k->m < 0 || k->n < 0 || k->k < 0 || fake_ld_too_small(k->lda, rows_a) ||
        fake_ld_too_small(k->ldb, rows_b) || fake_ld_too_small(k->ldc, k->m))
        return cudaErrorInvalidValue;
    fake_add_read(operation, k->a, fake_bytes(rows_a, k->m + k->k - rows_a, k->lda, sizeof(REAL)));
    fake_add_read(operation, k->b, fake_bytes(rows_b, k->n + k->k - rows_b, k->ldb, sizeof(REAL)));
    fake_add_write(operation, k->c, fake_bytes(k->m, k->n, k->ldc, sizeof(REAL)));
    return cudaSuccess;
}

cublasStatus_t UPPER(cublas, gemm)(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const REAL *alpha,
                           const REAL *A, int lda, const REAL *B, int ldb, const REAL *beta,
                           REAL *C, int ldc)
{
    cudaError_t    error = fake_begin_call(NAME(cublas, gemm));
    fake_operation operation = {.kind = FAKE_KERNEL, .name = NAME(cublas, gemm), .run = run_gemm};

    operation.kernel = (fake_kernel){.trans = transa,
                                     .trans_b = transb,
                                     .m = m,
                                     .n = n,
                                     .k = k,
                                     .alpha = (double)*alpha,
                                     .a = A,
                                     .lda = lda,
                                     .b = B,
                                     .ldb = ldb,
                                     .beta = (double)*beta,
                                     .c = C,
                                     .ldc = ldc};
    return fake_blas_launch(handle, &operation, error ? error : gemm(&operation));
}

static cudaError_t syrk(fake_operation *operation)
{
    fake_kernel *k = &operation->kernel;
    int          rows = k->trans == CUBLAS_OP_N ? k->n : k->k;

    if (k->n < 0 || k->k < 0 || fake_ld_too_small(k->lda, rows) || fake_ld_too_small(k->ldc, k->n))
        return cudaErrorInvalidValue;
    fake_add_read(operation, k->a, fake_bytes(rows, k->n + k->k - rows, k->lda, sizeof(REAL)));
    fake_add_write(operation, k->c, fake_bytes(k->n, k->n, k->ldc, sizeof(REAL)));
    return cudaSuccess;
}

cublasStatus_t UPPER(cublas, syrk)(cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t trans_a,
                           int n, int k, const REAL *alpha, const REAL *A, int lda,
                           const REAL *beta, REAL *C, int ldc)
{
    cudaError_t    error = fake_begin_call(NAME(cublas, syrk));
    fake_operation operation = {.kind = FAKE_KERNEL, .name = NAME(cublas, syrk), .run = run_syrk};

    operation.kernel = (fake_kernel){.uplo = fill,
                                     .trans = trans_a,
                                     .n = n,
                                     .k = k,
                                     .alpha = (double)*alpha,
                                     .a = A,
                                     .lda = lda,
                                     .beta = (double)*beta,
                                     .c = C,
                                     .ldc = ldc};
    return fake_blas_launch(handle, &operation, error ? error : syrk(&operation));
}

static cudaError_t trsm(fake_operation *operation)
{
    fake_kernel *k = &operation->kernel;
    int          order = k->side == CUBLAS_SIDE_LEFT ? k->m : k->n;

    if (k->m < 0 || k->n < 0 || fake_ld_too_small(k->lda, order) || fake_ld_too_small(k->ldc, k->m))
        return cudaErrorInvalidValue;
    fake_add_read(operation, k->a, fake_bytes(order, order, k->lda, sizeof(REAL)));
    fake_add_write(operation, k->c, fake_bytes(k->m, k->n, k->ldc, sizeof(REAL)));
    return cudaSuccess;
}

cublasStatus_t UPPER(cublas, trsm)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,
                           cublasOperation_t trans_a, cublasDiagType_t diag, int m, int n,
                           const REAL *alpha, const REAL *A, int lda, REAL *B, int ldb)
{
    cudaError_t    error = fake_begin_call(NAME(cublas, trsm));
    fake_operation operation = {.kind = FAKE_KERNEL, .name = NAME(cublas, trsm), .run = run_trsm};

    operation.kernel = (fake_kernel){.side = side,
                                     .uplo = fill,
                                     .trans = trans_a,
                                     .diag = diag,
                                     .m = m,
                                     .n = n,
                                     .alpha = (double)*alpha,
                                     .a = A,
                                     .lda = lda,
                                     .c = B,
                                     .ldc = ldb};
    return fake_blas_launch(handle, &operation, error ? error : trsm(&operation));
}

cublasStatus_t UPPER(cublas, copy)(cublasHandle_t handle, int n, const REAL *x, int incx, REAL *y,
                           int incy)
{
    cudaError_t    error = fake_begin_call(NAME(cublas, copy));
    fake_operation operation = {.kind = FAKE_KERNEL, .name = NAME(cublas, copy), .run = run_copy};

    operation.kernel = (fake_kernel){.n = n, .a = x, .lda = incx, .c = y, .ldc = incy};
    if (!error && (incx < 1 || incy < 1))
        error = cudaErrorInvalidValue;
    fake_add_read(&operation, x, fake_bytes(1, n, incx, sizeof *x));
    fake_add_write(&operation, y, fake_bytes(1, n, incy, sizeof *y));
    return fake_blas_launch(handle, &operation, error);
}
