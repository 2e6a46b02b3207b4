/* SPDX-License-Identifier: BSD-3-Clause */
/* cuSOLVER's dense factorisations. */
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#include <cusolverDn.h>

#include "kernel.h"

struct cusolverDnContext {
    fake_object    object;
    fake_stream   *stream;
    fake_functions functions;
};

static cusolverStatus_t status_of(cudaError_t error)
{
    switch (error) {
    case cudaSuccess:
        return CUSOLVER_STATUS_SUCCESS;
    case cudaErrorMemoryAllocation:
        return CUSOLVER_STATUS_ALLOC_FAILED;
    case cudaErrorInvalidValue:
        return CUSOLVER_STATUS_INVALID_VALUE;
    case cudaErrorInvalidResourceHandle:
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    case cudaErrorInitializationError:
        return CUSOLVER_STATUS_INTERNAL_ERROR;
    default:
        return CUSOLVER_STATUS_EXECUTION_FAILED;
    }
}

cusolverStatus_t cusolverGetProperty(libraryPropertyType type, int *value)
{
    return cublasGetProperty(type, value) ? CUSOLVER_STATUS_INTERNAL_ERROR
                                          : CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle)
{
    cudaError_t error = fake_enter("cusolverDnCreate");

    if (!error && fake_is_forbidden("cusolverDnCreate"))
        error = cudaErrorStreamCaptureUnsupported;
    if (!error)
        error = fake_take_handle();
    if (!error)
        *handle = fake_create(FAKE_SOLVER, sizeof **handle);
    return status_of(fake_leave(error));
}

cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle)
{
    cudaError_t error = fake_enter("cusolverDnDestroy");

    if (!fake_is(handle, FAKE_SOLVER, "cusolverDnDestroy"))
        return status_of(fake_leave(cudaErrorInvalidResourceHandle));
    if (!fake_keeps(&handle->object)) {
        fake_give_handle(&handle->object);
        fake_destroy(&handle->object);
    }
    return status_of(fake_leave(error));
}

cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t streamId)
{
    cudaError_t error = fake_enter("cusolverDnSetStream");

    if (!error && !fake_is(handle, FAKE_SOLVER, "cusolverDnSetStream"))
        error = cudaErrorInvalidResourceHandle;
    if (!error)
        handle->stream = streamId;
    return status_of(fake_leave(error));
}

static cusolverStatus_t size_of(cusolverDnHandle_t handle, const char *call, int valid, int needed,
                                int *size)
{
    cudaError_t error = fake_enter(call);

    if (!error && !fake_is(handle, FAKE_SOLVER, call))
        error = cudaErrorInvalidResourceHandle;
    if (!error && !valid)
        error = cudaErrorInvalidValue;
    if (!error)
        *size = needed;
    return status_of(fake_leave(error));
}

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

cusolverStatus_t cusolverDnDpotrf_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo,
                                             int n, double *A, int lda, int *Lwork)
{
    (void)uplo;
    (void)A;
    return size_of(handle, "cusolverDnDpotrf_bufferSize", is_valid(n, n, lda), potrf_room(n),
                   Lwork);
}

cusolverStatus_t cusolverDnDgetrf_bufferSize(cusolverDnHandle_t handle, int m, int n, double *A,
                                             int lda, int *Lwork)
{
    (void)A;
    return size_of(handle, "cusolverDnDgetrf_bufferSize", is_valid(m, n, lda), getrf_room(m, n),
                   Lwork);
}

cusolverStatus_t cusolverDnDgeqrf_bufferSize(cusolverDnHandle_t handle, int m, int n, double *A,
                                             int lda, int *lwork)
{
    (void)A;
    return size_of(handle, "cusolverDnDgeqrf_bufferSize", is_valid(m, n, lda), geqrf_room(n),
                   lwork);
}

cusolverStatus_t cusolverDnDormqr_bufferSize(cusolverDnHandle_t handle, cublasSideMode_t side,
                                             cublasOperation_t trans, int m, int n, int k,
                                             const double *A, int lda, const double *tau,
                                             const double *C, int ldc, int *lwork)
{
    (void)trans;
    (void)A;
    (void)tau;
    (void)C;
    return size_of(handle, "cusolverDnDormqr_bufferSize",
                   is_valid(side == CUBLAS_SIDE_LEFT ? m : n, k, lda) && is_valid(m, n, ldc),
                   ormqr_room(m, n), lwork);
}

static char uplo_of(const fake_kernel *k)
{
    return k->uplo == CUBLAS_FILL_MODE_LOWER ? 'L' : 'U';
}

static void run_potrf(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;

    *k->info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, uplo_of(k), k->n, k->c, k->ldc);
    memset(k->work, 0xff, k->work_size);
}

/* Factor without pivots; return the 1-based index of the first zero pivot, or 0. */
static int factor_as_it_is(int m, int n, double *a, int ld)
{
    int i, j, p, info = 0;

    for (p = 0; p < m && p < n; p++) {
        double *column = a + (size_t)p * (size_t)ld;

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
        *k->info = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, k->m, k->n, k->c, k->ldc, k->pivots);
    else
        *k->info = factor_as_it_is(k->m, k->n, k->c, k->ldc);
    memset(k->work, 0xff, k->work_size);
}

static void run_laswp(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;

    LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, k->n, k->c, k->ldc, k->m, k->k, k->pivots, 1);
}

static void run_geqrf(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;

    *k->info = LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, k->m, k->n, k->c, k->ldc, k->tau, k->work,
                                   (int)(k->work_size / sizeof(double)));
    memset(k->work, 0xff, k->work_size);
}

/* Copy the reflectors: LAPACK overwrites their diagonal with ones for a while, which concurrent
 * readers would see, unlike with cuSOLVER. */
static double *copy_of_reflectors(const fake_kernel *k)
{
    int     order = k->side == CUBLAS_SIDE_LEFT ? k->m : k->n;
    size_t  bytes = fake_bytes(order, k->k, k->lda, sizeof(double));
    double *copy = malloc(bytes + 1);

    if (!copy)
        abort();
    if (bytes)
        memcpy(copy, k->a, bytes);
    return copy;
}

static void run_ormqr(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;
    double            *a = copy_of_reflectors(k);

    *k->info =
        LAPACKE_dormqr_work(LAPACK_COL_MAJOR, k->side == CUBLAS_SIDE_LEFT ? 'L' : 'R',
                            k->trans == CUBLAS_OP_N ? 'N' : 'T', k->m, k->n, k->k, a, k->lda,
                            k->tau, k->c, k->ldc, k->work, (int)(k->work_size / sizeof(double)));
    memset(k->work, 0xff, k->work_size);
    free(a);
}

/* Launch the operation unless fake_enter() returned an error; leave the call begun by fake_enter().
 * */
static cusolverStatus_t launch(cusolverDnHandle_t handle, fake_operation *operation,
                               cudaError_t error)
{
    if (!error && !fake_is(handle, FAKE_SOLVER, operation->name))
        error = cudaErrorInvalidResourceHandle;
    if (!error && !fake_is(handle->stream, FAKE_STREAM, operation->name))
        error = cudaErrorInvalidResourceHandle;
    if (error)
        return status_of(fake_leave(error));
    if (handle->stream->capture)
        fake_complain("%s: captured, which cuSOLVER does not promise to bear", operation->name);
    fake_load(&handle->functions, handle->stream, operation);
    return status_of(fake_leave(fake_enqueue(handle->stream, operation)));
}

/* Launch an operation with workspace and info. */
static cusolverStatus_t launch_with(cusolverDnHandle_t handle, fake_operation *operation,
                                    cudaError_t error, int given, int needed)
{
    fake_kernel *k = &operation->kernel;

    if (!error && (given < needed || !k->work || !k->info))
        error = cudaErrorInvalidValue;
    k->work_size = (size_t)needed * sizeof(double);
    fake_writes(operation, k->work, k->work_size);
    fake_writes(operation, k->info, sizeof *k->info);
    return launch(handle, operation, error);
}

cusolverStatus_t cusolverDnDpotrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n,
                                  double *A, int lda, double *Workspace, int Lwork, int *devInfo)
{
    cudaError_t    error = fake_enter("cusolverDnDpotrf");
    fake_operation operation = {.kind = FAKE_KERNEL, .name = "cusolverDnDpotrf", .run = run_potrf};

    operation.kernel =
        (fake_kernel){.uplo = uplo, .n = n, .c = A, .ldc = lda, .work = Workspace, .info = devInfo};
    if (!error && !is_valid(n, n, lda))
        error = cudaErrorInvalidValue;
    fake_writes(&operation, A, fake_bytes(n, n, lda, sizeof *A));
    return launch_with(handle, &operation, error, Lwork, potrf_room(n));
}

cusolverStatus_t cusolverDnDgetrf(cusolverDnHandle_t handle, int m, int n, double *A, int lda,
                                  double *Workspace, int *devIpiv, int *devInfo)
{
    cudaError_t    error = fake_enter("cusolverDnDgetrf");
    fake_operation operation = {.kind = FAKE_KERNEL, .name = "cusolverDnDgetrf", .run = run_getrf};
    int            least = m < n ? m : n;

    operation.kernel = (fake_kernel){
        .m = m, .n = n, .c = A, .ldc = lda, .work = Workspace, .pivots = devIpiv, .info = devInfo};
    if (!error && !is_valid(m, n, lda))
        error = cudaErrorInvalidValue;
    fake_writes(&operation, A, fake_bytes(m, n, lda, sizeof *A));
    if (devIpiv && least > 0)
        fake_writes(&operation, devIpiv, (size_t)least * sizeof *devIpiv);
    return launch_with(handle, &operation, error, getrf_room(m, n), getrf_room(m, n));
}

cusolverStatus_t cusolverDnDgeqrf(cusolverDnHandle_t handle, int m, int n, double *A, int lda,
                                  double *TAU, double *Workspace, int Lwork, int *devInfo)
{
    cudaError_t    error = fake_enter("cusolverDnDgeqrf");
    fake_operation operation = {.kind = FAKE_KERNEL, .name = "cusolverDnDgeqrf", .run = run_geqrf};
    int            least = m < n ? m : n;

    operation.kernel = (fake_kernel){
        .m = m, .n = n, .c = A, .ldc = lda, .tau = TAU, .work = Workspace, .info = devInfo};
    if (!error && !is_valid(m, n, lda))
        error = cudaErrorInvalidValue;
    fake_writes(&operation, A, fake_bytes(m, n, lda, sizeof *A));
    if (least > 0)
        fake_writes(&operation, TAU, (size_t)least * sizeof *TAU);
    return launch_with(handle, &operation, error, Lwork, geqrf_room(n));
}

cusolverStatus_t cusolverDnDormqr(cusolverDnHandle_t handle, cublasSideMode_t side,
                                  cublasOperation_t trans, int m, int n, int k, const double *A,
                                  int lda, const double *tau, double *C, int ldc, double *work,
                                  int lwork, int *devInfo)
{
    cudaError_t    error = fake_enter("cusolverDnDormqr");
    fake_operation operation = {.kind = FAKE_KERNEL, .name = "cusolverDnDormqr", .run = run_ormqr};
    int            order = side == CUBLAS_SIDE_LEFT ? m : n;

    operation.kernel = (fake_kernel){.side = side,
                                     .trans = trans,
                                     .m = m,
                                     .n = n,
                                     .k = k,
                                     .a = A,
                                     .lda = lda,
                                     .tau = (double *)(uintptr_t)tau,
                                     .c = C,
                                     .ldc = ldc,
                                     .work = work,
                                     .info = devInfo};
    if (!error && (!is_valid(order, k, lda) || !is_valid(m, n, ldc) || k > order))
        error = cudaErrorInvalidValue;
    fake_reads(&operation, A, fake_bytes(order, k, lda, sizeof *A));
    if (k > 0)
        fake_reads(&operation, tau, (size_t)k * sizeof *tau);
    fake_writes(&operation, C, fake_bytes(m, n, ldc, sizeof *C));
    return launch_with(handle, &operation, error, lwork, ormqr_room(m, n));
}

cusolverStatus_t cusolverDnDlaswp(cusolverDnHandle_t handle, int n, double *A, int lda, int k1,
                                  int k2, const int *devIpiv, int incx)
{
    cudaError_t    error = fake_enter("cusolverDnDlaswp");
    fake_operation operation = {.kind = FAKE_KERNEL, .name = "cusolverDnDlaswp", .run = run_laswp};

    operation.kernel = (fake_kernel){
        .n = n, .c = A, .ldc = lda, .m = k1, .k = k2, .pivots = (int *)(uintptr_t)devIpiv};
    if (!error && (n < 0 || k1 < 1 || k2 < k1 || incx != 1))
        error = cudaErrorInvalidValue;
    /* the pivots decide how many rows change */
    fake_writes(&operation, A, fake_bytes(k2, n, lda, sizeof *A));
    fake_reads(&operation, devIpiv, (size_t)k2 * sizeof *devIpiv);
    return launch(handle, &operation, error);
}
