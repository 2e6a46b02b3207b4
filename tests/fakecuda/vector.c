/* SPDX-License-Identifier: BSD-3-Clause */
/* cuBLAS: products of matrices with vectors. */
#include <cblas.h>

#include <cublas_v2.h>

#include "kernel.h"

/* In a kernel: A is a, x is b, y is c. */

static CBLAS_TRANSPOSE trans(const fake_kernel *k)
{
    return k->trans == CUBLAS_OP_N ? CblasNoTrans : CblasTrans;
}

static CBLAS_UPLO uplo(const fake_kernel *k)
{
    return k->uplo == CUBLAS_FILL_MODE_LOWER ? CblasLower : CblasUpper;
}

static void run_dgemv(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;

    cblas_dgemv(CblasColMajor, trans(k), k->m, k->n, k->alpha, k->a, k->lda, k->b, k->ldb, k->beta,
                k->c, k->ldc);
}

static void run_sgemv(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;

    cblas_sgemv(CblasColMajor, trans(k), k->m, k->n, (float)k->alpha, k->a, k->lda, k->b, k->ldb,
                (float)k->beta, k->c, k->ldc);
}

static void run_dsymv(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;

    cblas_dsymv(CblasColMajor, uplo(k), k->n, k->alpha, k->a, k->lda, k->b, k->ldb, k->beta, k->c,
                k->ldc);
}

static void run_dtrmv(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;

    cblas_dtrmv(CblasColMajor, uplo(k), trans(k),
                k->diag == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit, k->n, k->a, k->lda, k->c,
                k->ldc);
}

static cublasStatus_t launch(cublasHandle_t handle, fake_operation *operation, cudaError_t error,
                             size_t item)
{
    fake_kernel *k = &operation->kernel;
    int          turned = k->trans != CUBLAS_OP_N, in = turned ? k->m : k->n;
    int          out = turned ? k->n : k->m;

    if (!error && (k->m < 0 || k->n < 0 || k->lda < (k->m > 1 ? k->m : 1) || k->ldc < 1 ||
                   (k->b && k->ldb < 1)))
        error = cudaErrorInvalidValue;
    fake_reads(operation, k->a, fake_bytes(k->m, k->n, k->lda, item));
    if (k->b)
        fake_reads(operation, k->b, fake_bytes(1, in, k->ldb, item));
    fake_writes(operation, k->c, fake_bytes(1, out, k->ldc, item));
    return fake_blas_launch(handle, operation, error);
}

cublasStatus_t cublasDgemv(cublasHandle_t handle, cublasOperation_t op, int m, int n,
                           const double *alpha, const double *A, int lda, const double *x, int incx,
                           const double *beta, double *y, int incy)
{
    cudaError_t    error = fake_enter("cublasDgemv");
    fake_operation operation = {.kind = FAKE_KERNEL, .name = "cublasDgemv", .run = run_dgemv};

    operation.kernel = (fake_kernel){.trans = op,
                                     .m = m,
                                     .n = n,
                                     .alpha = *alpha,
                                     .a = A,
                                     .lda = lda,
                                     .b = x,
                                     .ldb = incx,
                                     .beta = *beta,
                                     .c = y,
                                     .ldc = incy};
    return launch(handle, &operation, error, sizeof(double));
}

cublasStatus_t cublasSgemv(cublasHandle_t handle, cublasOperation_t op, int m, int n,
                           const float *alpha, const float *A, int lda, const float *x, int incx,
                           const float *beta, float *y, int incy)
{
    cudaError_t    error = fake_enter("cublasSgemv");
    fake_operation operation = {.kind = FAKE_KERNEL, .name = "cublasSgemv", .run = run_sgemv};

    operation.kernel = (fake_kernel){.trans = op,
                                     .m = m,
                                     .n = n,
                                     .alpha = (double)*alpha,
                                     .a = A,
                                     .lda = lda,
                                     .b = x,
                                     .ldb = incx,
                                     .beta = (double)*beta,
                                     .c = y,
                                     .ldc = incy};
    return launch(handle, &operation, error, sizeof(float));
}

cublasStatus_t cublasDsymv(cublasHandle_t handle, cublasFillMode_t fill, int n, const double *alpha,
                           const double *A, int lda, const double *x, int incx, const double *beta,
                           double *y, int incy)
{
    cudaError_t    error = fake_enter("cublasDsymv");
    fake_operation operation = {.kind = FAKE_KERNEL, .name = "cublasDsymv", .run = run_dsymv};

    operation.kernel = (fake_kernel){.uplo = fill,
                                     .m = n,
                                     .n = n,
                                     .alpha = *alpha,
                                     .a = A,
                                     .lda = lda,
                                     .b = x,
                                     .ldb = incx,
                                     .beta = *beta,
                                     .c = y,
                                     .ldc = incy};
    return launch(handle, &operation, error, sizeof(double));
}

cublasStatus_t cublasDtrmv(cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,
                           cublasDiagType_t diag, int n, const double *A, int lda, double *x,
                           int incx)
{
    cudaError_t    error = fake_enter("cublasDtrmv");
    fake_operation operation = {.kind = FAKE_KERNEL, .name = "cublasDtrmv", .run = run_dtrmv};

    operation.kernel = (fake_kernel){.uplo = fill,
                                     .trans = op,
                                     .diag = diag,
                                     .m = n,
                                     .n = n,
                                     .a = A,
                                     .lda = lda,
                                     .c = x,
                                     .ldc = incx};
    return launch(handle, &operation, error, sizeof(double));
}
