/* SPDX-License-Identifier: BSD-3-Clause */
/* cuBLAS: sums, triangles and diagonals of matrices. */
#include <cblas.h>
#include <lapacke.h>
#include <string.h>

#include <cublas_v2.h>

#include "kernel.h"

static size_t place(int row, int column, int ld)
{
    return (size_t)column * (size_t)ld + (size_t)row;
}

/* Compute C := alpha op(A) B in place, after copying B to C. */
static void run_dtrmm(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;
    const double      *b = k->b;
    double            *c = k->c;
    int                j;

    for (j = 0; j < k->n && c != b; j++)
        memcpy(c + place(0, j, k->ldc), b + place(0, j, k->ldb), sizeof *c * (size_t)k->m);
    cblas_dtrmm(CblasColMajor, k->side == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight,
                k->uplo == CUBLAS_FILL_MODE_LOWER ? CblasLower : CblasUpper,
                k->trans == CUBLAS_OP_N ? CblasNoTrans : CblasTrans,
                k->diag == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit, k->m, k->n, k->alpha, k->a,
                k->lda, c, k->ldc);
}

static void run_dgeam(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;
    const double      *a = k->a, *b = k->b;
    double            *c = k->c;
    int                i, j;

    for (j = 0; j < k->n; j++)
        for (i = 0; i < k->m; i++)
            c[place(i, j, k->ldc)] = (k->alpha != 0 ? k->alpha * a[place(i, j, k->lda)] : 0) +
                                     (k->beta != 0 ? k->beta * b[place(i, j, k->ldb)] : 0);
}

static void run_ddgmm(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;
    const double      *a = k->a, *x = k->b;
    double            *c = k->c;
    int                i, j;

    for (j = 0; j < k->n; j++)
        for (i = 0; i < k->m; i++)
            c[place(i, j, k->ldc)] =
                a[place(i, j, k->lda)] * x[(k->side == CUBLAS_SIDE_LEFT ? i : j) * k->ldb];
}

static char uplo(const fake_kernel *k)
{
    return k->uplo == CUBLAS_FILL_MODE_LOWER ? 'L' : 'U';
}

static void run_dtrttp(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;

    LAPACKE_dtrttp_work(LAPACK_COL_MAJOR, uplo(k), k->n, k->a, k->lda, k->c);
}

static void run_dtpttr(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;

    LAPACKE_dtpttr_work(LAPACK_COL_MAJOR, uplo(k), k->n, k->a, k->c, k->ldc);
}

/* Tell whether a matrix is updated in place with equal columns; overlapping matrices are invalid
 * otherwise. */
static int is_own_place(const void *from, int ld_from, const void *to, int ld_to)
{
    return from == to && ld_from == ld_to;
}

static void reads_elsewhere(fake_operation *operation, const void *from, size_t size)
{
    if (from != operation->kernel.c)
        fake_reads(operation, from, size);
}

cublasStatus_t cublasDtrmm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,
                           cublasOperation_t trans, cublasDiagType_t diag, int m, int n,
                           const double *alpha, const double *A, int lda, const double *B, int ldb,
                           double *C, int ldc)
{
    cudaError_t    error = fake_enter("cublasDtrmm");
    fake_operation operation = {.kind = FAKE_KERNEL, .name = "cublasDtrmm", .run = run_dtrmm};
    int            order = side == CUBLAS_SIDE_LEFT ? m : n;

    operation.kernel = (fake_kernel){.side = side,
                                     .uplo = fill,
                                     .trans = trans,
                                     .diag = diag,
                                     .m = m,
                                     .n = n,
                                     .alpha = *alpha,
                                     .a = A,
                                     .lda = lda,
                                     .b = B,
                                     .ldb = ldb,
                                     .c = C,
                                     .ldc = ldc};
    if (!error && (m < 0 || n < 0 || fake_ld_too_small(lda, order) || fake_ld_too_small(ldb, m) ||
                   fake_ld_too_small(ldc, m) || (B == C && !is_own_place(B, ldb, C, ldc))))
        error = cudaErrorInvalidValue;
    fake_reads(&operation, A, fake_bytes(order, order, lda, sizeof *A));
    reads_elsewhere(&operation, B, fake_bytes(m, n, ldb, sizeof *B));
    fake_writes(&operation, C, fake_bytes(m, n, ldc, sizeof *C));
    return fake_blas_launch(handle, &operation, error);
}

/* Supports no transposition. */
cublasStatus_t cublasDgeam(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, const double *alpha,
                           const double *A, int lda, const double *beta, const double *B, int ldb,
                           double *C, int ldc)
{
    cudaError_t    error = fake_enter("cublasDgeam");
    fake_operation operation = {.kind = FAKE_KERNEL, .name = "cublasDgeam", .run = run_dgeam};

    operation.kernel = (fake_kernel){.m = m,
                                     .n = n,
                                     .alpha = *alpha,
                                     .a = A,
                                     .lda = lda,
                                     .beta = *beta,
                                     .b = B,
                                     .ldb = ldb,
                                     .c = C,
                                     .ldc = ldc};
    if (!error &&
        (transa != CUBLAS_OP_N || transb != CUBLAS_OP_N || m < 0 || n < 0 ||
         fake_ld_too_small(lda, m) || fake_ld_too_small(ldb, m) || fake_ld_too_small(ldc, m) ||
         (A == C && !is_own_place(A, lda, C, ldc)) || (B == C && !is_own_place(B, ldb, C, ldc))))
        error = cudaErrorInvalidValue;
    reads_elsewhere(&operation, A, fake_bytes(m, n, lda, sizeof *A));
    if (*beta != 0)
        reads_elsewhere(&operation, B, fake_bytes(m, n, ldb, sizeof *B));
    fake_writes(&operation, C, fake_bytes(m, n, ldc, sizeof *C));
    return fake_blas_launch(handle, &operation, error);
}

cublasStatus_t cublasDdgmm(cublasHandle_t handle, cublasSideMode_t mode, int m, int n,
                           const double *A, int lda, const double *x, int incx, double *C, int ldc)
{
    cudaError_t    error = fake_enter("cublasDdgmm");
    fake_operation operation = {.kind = FAKE_KERNEL, .name = "cublasDdgmm", .run = run_ddgmm};

    operation.kernel = (fake_kernel){
        .side = mode, .m = m, .n = n, .a = A, .lda = lda, .b = x, .ldb = incx, .c = C, .ldc = ldc};
    if (!error && (m < 0 || n < 0 || fake_ld_too_small(lda, m) || fake_ld_too_small(ldc, m) ||
                   incx < 1 || (A == C && !is_own_place(A, lda, C, ldc))))
        error = cudaErrorInvalidValue;
    reads_elsewhere(&operation, A, fake_bytes(m, n, lda, sizeof *A));
    fake_reads(&operation, x, fake_bytes(1, mode == CUBLAS_SIDE_LEFT ? m : n, incx, sizeof *x));
    fake_writes(&operation, C, fake_bytes(m, n, ldc, sizeof *C));
    return fake_blas_launch(handle, &operation, error);
}

static size_t packed_bytes(int n)
{
    return n > 0 ? (size_t)n * ((size_t)n + 1) / 2 * sizeof(double) : 0;
}

cublasStatus_t cublasDtrttp(cublasHandle_t handle, cublasFillMode_t fill, int n, const double *A,
                            int lda, double *AP)
{
    cudaError_t    error = fake_enter("cublasDtrttp");
    fake_operation operation = {.kind = FAKE_KERNEL, .name = "cublasDtrttp", .run = run_dtrttp};

    operation.kernel = (fake_kernel){.uplo = fill, .n = n, .a = A, .lda = lda, .c = AP, .ldc = 1};
    if (!error && (n < 0 || fake_ld_too_small(lda, n)))
        error = cudaErrorInvalidValue;
    fake_reads(&operation, A, fake_bytes(n, n, lda, sizeof *A));
    fake_writes(&operation, AP, packed_bytes(n));
    return fake_blas_launch(handle, &operation, error);
}

cublasStatus_t cublasDtpttr(cublasHandle_t handle, cublasFillMode_t fill, int n, const double *AP,
                            double *A, int lda)
{
    cudaError_t    error = fake_enter("cublasDtpttr");
    fake_operation operation = {.kind = FAKE_KERNEL, .name = "cublasDtpttr", .run = run_dtpttr};

    operation.kernel = (fake_kernel){.uplo = fill, .n = n, .a = AP, .lda = 1, .c = A, .ldc = lda};
    if (!error && (n < 0 || fake_ld_too_small(lda, n)))
        error = cudaErrorInvalidValue;
    fake_reads(&operation, AP, packed_bytes(n));
    fake_writes(&operation, A, fake_bytes(n, n, lda, sizeof *A));
    return fake_blas_launch(handle, &operation, error);
}
