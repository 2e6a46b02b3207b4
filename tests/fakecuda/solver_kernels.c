/* SPDX-License-Identifier: BSD-3-Clause */
/* The dense factorisations of the fake's cuSOLVER, computed by LAPACK. */
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#include <cusolverDn.h>

#include "precision.h"
#include "solver.h"

static int is_valid(int m, int n, int ld)
{
    return m >= 0 && n >= 0 && ld >= (m > 1 ? m : 1);
}

static int potrf_room(int n)
{
    return 16 * n + 64;
}

static int getrf_room(int m, int n)
{
    return m + 8 * n + 32;
}

static int geqrf_room(int n)
{
    return 32 * n + 1;
}

static int ormqr_room(int m, int n)
{
    return 32 * (m + n) + 8;
}

cusolverStatus_t UPPER(cusolverDn, potrf_bufferSize)(cusolverDnHandle_t handle, cublasFillMode_t uplo,
                                             int n, REAL *A, int lda, int *Lwork)
{
    (void)uplo;
    (void)A;
    return fake_solver_set_work_size(handle, NAME(cusolverDn, potrf_bufferSize),
                                     is_valid(n, n, lda), potrf_room(n), Lwork);
}

cusolverStatus_t UPPER(cusolverDn, getrf_bufferSize)(cusolverDnHandle_t handle, int m, int n, REAL *A,
                                             int lda, int *Lwork)
{
    (void)A;
    return fake_solver_set_work_size(handle, NAME(cusolverDn, getrf_bufferSize),
                                     is_valid(m, n, lda), getrf_room(m, n), Lwork);
}

cusolverStatus_t UPPER(cusolverDn, geqrf_bufferSize)(cusolverDnHandle_t handle, int m, int n, REAL *A,
                                             int lda, int *lwork)
{
    (void)A;
    return fake_solver_set_work_size(handle, NAME(cusolverDn, geqrf_bufferSize),
                                     is_valid(m, n, lda), geqrf_room(n), lwork);
}

cusolverStatus_t UPPER(cusolverDn, ormqr_bufferSize)(cusolverDnHandle_t handle, cublasSideMode_t side,
                                             cublasOperation_t trans, int m, int n, int k,
                                             const REAL *A, int lda, const REAL *tau,
                                             const REAL *C, int ldc, int *lwork)
{
    (void)trans;
    (void)A;
    (void)tau;
    (void)C;
    return fake_solver_set_work_size(handle, NAME(cusolverDn, ormqr_bufferSize),
                                     is_valid(side == CUBLAS_SIDE_LEFT ? m : n, k, lda) &&
                                         is_valid(m, n, ldc),
                                     ormqr_room(m, n), lwork);
}

static char uplo_of(const fake_kernel *k)
{
    return k->uplo == CUBLAS_FILL_MODE_LOWER ? 'L' : 'U';
}

static void run_potrf(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;

    *k->info = LOWER(LAPACKE_, potrf_work)(LAPACK_COL_MAJOR, uplo_of(k), k->n, k->c, k->ldc);
    memset(k->work, 0xff, k->work_size);
}

/* Factor without pivots; return the 1-based index of the first zero pivot, or 0. */
static int factor_as_it_is(int m, int n, REAL *a, int ld)
{
    int i, j, p, info = 0;

    for (p = 0; p < m && p < n; p++) {
        REAL *column = a + (size_t)p * (size_t)ld;

        if (column[p] == 0 && !info)
            info = p + 1;
        for (i = p + 1; i < m; i++)
            column[i] /= column[p];
        for (j = p + 1; j < n; j++)
            for (i = p + 1; i < m; i++)
                a[(size_t)j * (size_t)ld + (size_t)i] -=
                    column[i] * a[(size_t)j * (size_t)ld + (size_t)p];
    }
    return info;
}

static void run_getrf(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;

    if (k->pivots)
        *k->info = LOWER(LAPACKE_, getrf_work)(LAPACK_COL_MAJOR, k->m, k->n, k->c, k->ldc, k->pivots);
    else
        *k->info = factor_as_it_is(k->m, k->n, k->c, k->ldc);
    memset(k->work, 0xff, k->work_size);
}

static void run_laswp(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;

    LOWER(LAPACKE_, laswp_work)(LAPACK_COL_MAJOR, k->n, k->c, k->ldc, k->m, k->k, k->pivots, 1);
}

static void run_geqrf(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;

    *k->info = LOWER(LAPACKE_, geqrf_work)(LAPACK_COL_MAJOR, k->m, k->n, k->c, k->ldc, k->tau, k->work,
                                   (int)(k->work_size / sizeof(REAL)));
    memset(k->work, 0xff, k->work_size);
}

/* Copy the reflectors: LAPACK overwrites their diagonal with ones for a while, which concurrent
 * readers would see, unlike with cuSOLVER. */
static REAL *copy_of_reflectors(const fake_kernel *k)
{
    int     order = k->side == CUBLAS_SIDE_LEFT ? k->m : k->n;
    size_t  bytes = fake_bytes(order, k->k, k->lda, sizeof(REAL));
    REAL *copy = malloc(bytes + 1);

    if (!copy)
        abort();
    if (bytes)
        memcpy(copy, k->a, bytes);
    return copy;
}

static void run_ormqr(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;
    REAL            *a = copy_of_reflectors(k);

    *k->info =
        LOWER(LAPACKE_, ormqr_work)(LAPACK_COL_MAJOR, k->side == CUBLAS_SIDE_LEFT ? 'L' : 'R',
                            k->trans == CUBLAS_OP_N ? 'N' : 'T', k->m, k->n, k->k, a, k->lda,
                            k->tau, k->c, k->ldc, k->work, (int)(k->work_size / sizeof(REAL)));
    memset(k->work, 0xff, k->work_size);
    free(a);
}

/* Launch an operation with workspace and info. */
static cusolverStatus_t launch_with(cusolverDnHandle_t handle, fake_operation *operation,
                                    cudaError_t error, int given, int needed)
{
    fake_kernel *k = &operation->kernel;

    if (!error && (given < needed || !k->work || !k->info))
        error = cudaErrorInvalidValue;
    k->work_size = (size_t)needed * sizeof(REAL);
    fake_add_write(operation, k->work, k->work_size);
    fake_add_write(operation, k->info, sizeof *k->info);
    return fake_solver_launch(handle, operation, error);
}

cusolverStatus_t UPPER(cusolverDn, potrf)(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n,
                                  REAL *A, int lda, REAL *Workspace, int Lwork, int *devInfo)
{
    cudaError_t    error = fake_begin_call(NAME(cusolverDn, potrf));
    fake_operation operation = {.kind = FAKE_KERNEL, .name = NAME(cusolverDn, potrf), .run = run_potrf};

    operation.kernel =
        (fake_kernel){.uplo = uplo, .n = n, .c = A, .ldc = lda, .work = Workspace, .info = devInfo};
    if (!error && !is_valid(n, n, lda))
        error = cudaErrorInvalidValue;
    fake_add_write(&operation, A, fake_bytes(n, n, lda, sizeof *A));
    return launch_with(handle, &operation, error, Lwork, potrf_room(n));
}

cusolverStatus_t UPPER(cusolverDn, getrf)(cusolverDnHandle_t handle, int m, int n, REAL *A, int lda,
                                  REAL *Workspace, int *devIpiv, int *devInfo)
{
    cudaError_t    error = fake_begin_call(NAME(cusolverDn, getrf));
    fake_operation operation = {.kind = FAKE_KERNEL, .name = NAME(cusolverDn, getrf), .run = run_getrf};
    int            least = m < n ? m : n;

    operation.kernel = (fake_kernel){
        .m = m, .n = n, .c = A, .ldc = lda, .work = Workspace, .pivots = devIpiv, .info = devInfo};
    if (!error && !is_valid(m, n, lda))
        error = cudaErrorInvalidValue;
    fake_add_write(&operation, A, fake_bytes(m, n, lda, sizeof *A));
    if (devIpiv && least > 0)
        fake_add_write(&operation, devIpiv, (size_t)least * sizeof *devIpiv);
    return launch_with(handle, &operation, error, getrf_room(m, n), getrf_room(m, n));
}

cusolverStatus_t UPPER(cusolverDn, geqrf)(cusolverDnHandle_t handle, int m, int n, REAL *A, int lda,
                                  REAL *TAU, REAL *Workspace, int Lwork, int *devInfo)
{
    cudaError_t    error = fake_begin_call(NAME(cusolverDn, geqrf));
    fake_operation operation = {.kind = FAKE_KERNEL, .name = NAME(cusolverDn, geqrf), .run = run_geqrf};
    int            least = m < n ? m : n;

    operation.kernel = (fake_kernel){
        .m = m, .n = n, .c = A, .ldc = lda, .tau = TAU, .work = Workspace, .info = devInfo};
    if (!error && !is_valid(m, n, lda))
        error = cudaErrorInvalidValue;
    fake_add_write(&operation, A, fake_bytes(m, n, lda, sizeof *A));
    if (least > 0)
        fake_add_write(&operation, TAU, (size_t)least * sizeof *TAU);
    return launch_with(handle, &operation, error, Lwork, geqrf_room(n));
}

cusolverStatus_t UPPER(cusolverDn, ormqr)(cusolverDnHandle_t handle, cublasSideMode_t side,
                                  cublasOperation_t trans, int m, int n, int k, const REAL *A,
                                  int lda, const REAL *tau, REAL *C, int ldc, REAL *work,
                                  int lwork, int *devInfo)
{
    cudaError_t    error = fake_begin_call(NAME(cusolverDn, ormqr));
    fake_operation operation = {.kind = FAKE_KERNEL, .name = NAME(cusolverDn, ormqr), .run = run_ormqr};
    int            order = side == CUBLAS_SIDE_LEFT ? m : n;

    operation.kernel = (fake_kernel){.side = side,
                                     .trans = trans,
                                     .m = m,
                                     .n = n,
                                     .k = k,
                                     .a = A,
                                     .lda = lda,
                                     .tau = (void *)(uintptr_t)tau,
                                     .c = C,
                                     .ldc = ldc,
                                     .work = work,
                                     .info = devInfo};
    if (!error && (!is_valid(order, k, lda) || !is_valid(m, n, ldc) || k > order))
        error = cudaErrorInvalidValue;
    fake_add_read(&operation, A, fake_bytes(order, k, lda, sizeof *A));
    if (k > 0)
        fake_add_read(&operation, tau, (size_t)k * sizeof *tau);
    fake_add_write(&operation, C, fake_bytes(m, n, ldc, sizeof *C));
    return launch_with(handle, &operation, error, lwork, ormqr_room(m, n));
}

cusolverStatus_t UPPER(cusolverDn, laswp)(cusolverDnHandle_t handle, int n, REAL *A, int lda, int k1,
                                  int k2, const int *devIpiv, int incx)
{
    cudaError_t    error = fake_begin_call(NAME(cusolverDn, laswp));
    fake_operation operation = {.kind = FAKE_KERNEL, .name = NAME(cusolverDn, laswp), .run = run_laswp};

    operation.kernel = (fake_kernel){
        .n = n, .c = A, .ldc = lda, .m = k1, .k = k2, .pivots = (int *)(uintptr_t)devIpiv};
    if (!error && (n < 0 || k1 < 1 || k2 < k1 || incx != 1))
        error = cudaErrorInvalidValue;
    /* the pivots decide how many rows change */
    fake_add_write(&operation, A, fake_bytes(k2, n, lda, sizeof *A));
    fake_add_read(&operation, devIpiv, (size_t)k2 * sizeof *devIpiv);
    return fake_solver_launch(handle, &operation, error);
}
