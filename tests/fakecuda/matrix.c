/* SPDX-License-Identifier: BSD-3-Clause */
/* cuBLAS: sums, triangles and diagonals of matrices. */
#include <cblas.h>
#include <lapacke.h>
#include <string.h>

#include <cublas_v2.h>

#include "kernel.h"
#include "precision.h"

static size_t place(int row, int column, int ld)
{
    return (size_t)column * (size_t)ld + (size_t)row;
}

/* Compute C := alpha op(A) B in place, after copying B to C. */
static void run_trmm(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;
    const REAL      *b = k->b;
    REAL            *c = k->c;
    int                j;

    for (j = 0; j < k->n && c != b; j++)
        memcpy(c + place(0, j, k->ldc), b + place(0, j, k->ldb), sizeof *c * (size_t)k->m);
    LOWER(cblas_, trmm)(CblasColMajor, k->side == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight,
                k->uplo == CUBLAS_FILL_MODE_LOWER ? CblasLower : CblasUpper,
                k->trans == CUBLAS_OP_N ? CblasNoTrans : CblasTrans,
                k->diag == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit, k->m, k->n, (REAL)k->alpha, k->a,
                k->lda, c, k->ldc);
}

static void run_geam(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;
    const REAL      *a = k->a, *b = k->b;
    REAL            *c = k->c;
    int                i, j;

    for (j = 0; j < k->n; j++)
        for (i = 0; i < k->m; i++)
            c[place(i, j, k->ldc)] =
                (k->alpha != 0 ? (REAL)k->alpha * a[place(i, j, k->lda)] : 0) +
                (k->beta != 0 ? (REAL)k->beta * b[place(i, j, k->ldb)] : 0);
}

static void run_dgmm(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;
    const REAL      *a = k->a, *x = k->b;
    REAL            *c = k->c;
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

static void run_trttp(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;

    LOWER(LAPACKE_, trttp_work)(LAPACK_COL_MAJOR, uplo(k), k->n, k->a, k->lda, k->c);
}

static void run_tpttr(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;

    LOWER(LAPACKE_, tpttr_work)(LAPACK_COL_MAJOR, uplo(k), k->n, k->a, k->c, k->ldc);
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
        fake_add_read(operation, from, size);
}

cublasStatus_t UPPER(cublas, trmm)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,
                           cublasOperation_t trans, cublasDiagType_t diag, int m, int n,
                           const REAL *alpha, const REAL *A, int lda, const REAL *B, int ldb,
                           REAL *C, int ldc)
{
    cudaError_t    error = fake_begin_call(NAME(cublas, trmm));
    fake_operation operation = {.kind = FAKE_KERNEL, .name = NAME(cublas, trmm), .run = run_trmm};
    int            order = side == CUBLAS_SIDE_LEFT ? m : n;

    operation.kernel = (fake_kernel){.side = side,
                                     .uplo = fill,
                                     .trans = trans,
                                     .diag = diag,
                                     .m = m,
                                     .n = n,
                                     .alpha = (double)*alpha,
                                     .a = A,
                                     .lda = lda,
                                     .b = B,
                                     .ldb = ldb,
                                     .c = C,
                                     .ldc = ldc};
    if (!error && (m < 0 || n < 0 || fake_ld_too_small(lda, order) || fake_ld_too_small(ldb, m) ||
                   fake_ld_too_small(ldc, m) || (B == C && !is_own_place(B, ldb, C, ldc))))
        error = cudaErrorInvalidValue;
    fake_add_read(&operation, A, fake_bytes(order, order, lda, sizeof *A));
    reads_elsewhere(&operation, B, fake_bytes(m, n, ldb, sizeof *B));
    fake_add_write(&operation, C, fake_bytes(m, n, ldc, sizeof *C));
    return fake_blas_launch(handle, &operation, error);
}

/* Supports no transposition. */
cublasStatus_t UPPER(cublas, geam)(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, const REAL *alpha,
                           const REAL *A, int lda, const REAL *beta, const REAL *B, int ldb,
                           REAL *C, int ldc)
{
    cudaError_t    error = fake_begin_call(NAME(cublas, geam));
    fake_operation operation = {.kind = FAKE_KERNEL, .name = NAME(cublas, geam), .run = run_geam};

    operation.kernel = (fake_kernel){.m = m,
                                     .n = n,
                                     .alpha = (double)*alpha,
                                     .a = A,
                                     .lda = lda,
                                     .beta = (double)*beta,
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
    fake_add_write(&operation, C, fake_bytes(m, n, ldc, sizeof *C));
    return fake_blas_launch(handle, &operation, error);
}

cublasStatus_t UPPER(cublas, dgmm)(cublasHandle_t handle, cublasSideMode_t mode, int m, int n,
                           const REAL *A, int lda, const REAL *x, int incx, REAL *C, int ldc)
{
    cudaError_t    error = fake_begin_call(NAME(cublas, dgmm));
    fake_operation operation = {.kind = FAKE_KERNEL, .name = NAME(cublas, dgmm), .run = run_dgmm};

    operation.kernel = (fake_kernel){
        .side = mode, .m = m, .n = n, .a = A, .lda = lda, .b = x, .ldb = incx, .c = C, .ldc = ldc};
    if (!error && (m < 0 || n < 0 || fake_ld_too_small(lda, m) || fake_ld_too_small(ldc, m) ||
                   incx < 1 || (A == C && !is_own_place(A, lda, C, ldc))))
        error = cudaErrorInvalidValue;
    reads_elsewhere(&operation, A, fake_bytes(m, n, lda, sizeof *A));
    fake_add_read(&operation, x, fake_bytes(1, mode == CUBLAS_SIDE_LEFT ? m : n, incx, sizeof *x));
    fake_add_write(&operation, C, fake_bytes(m, n, ldc, sizeof *C));
    return fake_blas_launch(handle, &operation, error);
}

static size_t packed_bytes(int n)
{
    return n > 0 ? (size_t)n * ((size_t)n + 1) / 2 * sizeof(REAL) : 0;
}

cublasStatus_t UPPER(cublas, trttp)(cublasHandle_t handle, cublasFillMode_t fill, int n, const REAL *A,
                            int lda, REAL *AP)
{
    cudaError_t    error = fake_begin_call(NAME(cublas, trttp));
    fake_operation operation = {.kind = FAKE_KERNEL, .name = NAME(cublas, trttp), .run = run_trttp};

    operation.kernel = (fake_kernel){.uplo = fill, .n = n, .a = A, .lda = lda, .c = AP, .ldc = 1};
    if (!error && (n < 0 || fake_ld_too_small(lda, n)))
        error = cudaErrorInvalidValue;
    fake_add_read(&operation, A, fake_bytes(n, n, lda, sizeof *A));
    fake_add_write(&operation, AP, packed_bytes(n));
    return fake_blas_launch(handle, &operation, error);
}

cublasStatus_t UPPER(cublas, tpttr)(cublasHandle_t handle, cublasFillMode_t fill, int n, const REAL *AP,
                            REAL *A, int lda)
{
    cudaError_t    error = fake_begin_call(NAME(cublas, tpttr));
    fake_operation operation = {.kind = FAKE_KERNEL, .name = NAME(cublas, tpttr), .run = run_tpttr};

    operation.kernel = (fake_kernel){.uplo = fill, .n = n, .a = AP, .lda = 1, .c = A, .ldc = lda};
    if (!error && (n < 0 || fake_ld_too_small(lda, n)))
        error = cudaErrorInvalidValue;
    fake_add_read(&operation, AP, packed_bytes(n));
    fake_add_write(&operation, A, fake_bytes(n, n, lda, sizeof *A));
    return fake_blas_launch(handle, &operation, error);
}
