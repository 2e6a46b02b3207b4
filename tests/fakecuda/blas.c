/* SPDX-License-Identifier: BSD-3-Clause */
/* The fake's cuBLAS, computed by CBLAS in column-major order. */
#include <cblas.h>
#include <string.h>

#include <cublas_v2.h>

#include "kernel.h"

struct cublasContext {
    fake_object    object;
    fake_stream   *stream; /* NULL: the default stream, which the fake does not have */
    void          *workspace;
    size_t         size;
    fake_functions functions;
};

static cublasStatus_t status_of(cudaError_t error)
{
    switch (error) {
    case cudaSuccess:
        return CUBLAS_STATUS_SUCCESS;
    case cudaErrorMemoryAllocation:
        return CUBLAS_STATUS_ALLOC_FAILED;
    case cudaErrorInvalidValue:
        return CUBLAS_STATUS_INVALID_VALUE;
    case cudaErrorInvalidResourceHandle:
    case cudaErrorInitializationError:
        return CUBLAS_STATUS_NOT_INITIALIZED;
    default:
        return CUBLAS_STATUS_EXECUTION_FAILED;
    }
}

/* Return the version; works without a device, like cuBLAS's function. */
cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value)
{
    *value = type == MAJOR_VERSION   ? CUDART_VERSION / 1000
             : type == MINOR_VERSION ? CUDART_VERSION % 1000 / 10
                                     : 0;
    return CUBLAS_STATUS_SUCCESS;
}

const char *cublasGetStatusName(cublasStatus_t status)
{
    switch (status) {
    case CUBLAS_STATUS_SUCCESS:
        return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
        return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED:
        return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE:
        return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_EXECUTION_FAILED:
        return "CUBLAS_STATUS_EXECUTION_FAILED";
    default:
        return "CUBLAS_STATUS_INTERNAL_ERROR";
    }
}

cublasStatus_t cublasCreate(cublasHandle_t *handle)
{
    cudaError_t error = fake_enter("cublasCreate");

    if (!error && fake_is_forbidden("cublasCreate"))
        error = cudaErrorStreamCaptureUnsupported;
    if (!error)
        error = fake_take_handle();
    if (!error)
        *handle = fake_create(FAKE_BLAS, sizeof **handle);
    return status_of(fake_leave(error));
}

cublasStatus_t cublasDestroy(cublasHandle_t handle)
{
    cudaError_t error = fake_enter("cublasDestroy");

    if (!fake_is(handle, FAKE_BLAS, "cublasDestroy"))
        return status_of(fake_leave(cudaErrorInvalidResourceHandle));
    if (!fake_keeps(&handle->object)) {
        fake_give_handle(&handle->object);
        fake_destroy(&handle->object);
    }
    return status_of(fake_leave(error));
}

/* Set the handle's stream and reset the workspace to the default, like cuBLAS. */
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t streamId)
{
    cudaError_t error = fake_enter("cublasSetStream");

    if (!error && !fake_is(handle, FAKE_BLAS, "cublasSetStream"))
        error = cudaErrorInvalidResourceHandle;
    if (error)
        return status_of(fake_leave(error));
    handle->stream = streamId;
    handle->workspace = NULL;
    handle->size = 0;
    return status_of(fake_leave(cudaSuccess));
}

cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void *workspace,
                                  size_t workspaceSizeInBytes)
{
    cudaError_t error = fake_enter("cublasSetWorkspace");

    if (!error && !fake_is(handle, FAKE_BLAS, "cublasSetWorkspace"))
        error = cudaErrorInvalidResourceHandle;
    if (!error && (uintptr_t)workspace % 256)
        error = cudaErrorInvalidValue;
    if (error)
        return status_of(fake_leave(error));
    handle->workspace = workspace;
    handle->size = workspaceSizeInBytes;
    return status_of(fake_leave(cudaSuccess));
}

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

static void run_dgemm(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;

    use_workspace(k);
    cblas_dgemm(CblasColMajor, trans(k->trans), trans(k->trans_b), k->m, k->n, k->k, k->alpha, k->a,
                k->lda, k->b, k->ldb, k->beta, k->c, k->ldc);
}

static void run_sgemm(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;

    use_workspace(k);
    cblas_sgemm(CblasColMajor, trans(k->trans), trans(k->trans_b), k->m, k->n, k->k,
                (float)k->alpha, k->a, k->lda, k->b, k->ldb, (float)k->beta, k->c, k->ldc);
}

static void run_dsyrk(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;

    use_workspace(k);
    cblas_dsyrk(CblasColMajor, uplo(k->uplo), trans(k->trans), k->n, k->k, k->alpha, k->a, k->lda,
                k->beta, k->c, k->ldc);
}

static void run_dtrsm(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;

    use_workspace(k);
    cblas_dtrsm(CblasColMajor, k->side == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight, uplo(k->uplo),
                trans(k->trans), k->diag == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit, k->m, k->n,
                k->alpha, k->a, k->lda, k->c, k->ldc);
}

static void run_dcopy(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;

    cblas_dcopy(k->n, k->a, k->lda, k->c, k->ldc);
}

/* Launch the operation unless fake_enter() returned an error; leave the call begun by fake_enter().
 * */
cublasStatus_t fake_blas_launch(cublasHandle_t handle, fake_operation *operation, cudaError_t error)
{
    if (!error && !fake_is(handle, FAKE_BLAS, operation->name))
        error = cudaErrorInvalidResourceHandle;
    if (!error && !fake_is(handle->stream, FAKE_STREAM, operation->name))
        error = cudaErrorInvalidResourceHandle;
    if (error)
        return status_of(fake_leave(error));
    if (handle->workspace) {
        operation->kernel.work = handle->workspace;
        operation->kernel.work_size = handle->size;
        fake_writes(operation, handle->workspace, handle->size);
    } else {
        fake.default_workspaces++;
    }
    fake_load(&handle->functions, handle->stream, operation);
    return status_of(fake_leave(fake_enqueue(handle->stream, operation)));
}

static cudaError_t gemm(fake_operation *operation, size_t item)
{
    fake_kernel *k = &operation->kernel;
    int          rows_a = k->trans == CUBLAS_OP_N ? k->m : k->k;
    int          rows_b = k->trans_b == CUBLAS_OP_N ? k->k : k->n;

    if (k->m < 0 || k->n < 0 || k->k < 0 || fake_ld_too_small(k->lda, rows_a) ||
        fake_ld_too_small(k->ldb, rows_b) || fake_ld_too_small(k->ldc, k->m))
        return cudaErrorInvalidValue;
    fake_reads(operation, k->a, fake_bytes(rows_a, k->m + k->k - rows_a, k->lda, item));
    fake_reads(operation, k->b, fake_bytes(rows_b, k->n + k->k - rows_b, k->ldb, item));
    fake_writes(operation, k->c, fake_bytes(k->m, k->n, k->ldc, item));
    return cudaSuccess;
}

cublasStatus_t cublasDgemm(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const double *alpha,
                           const double *A, int lda, const double *B, int ldb, const double *beta,
                           double *C, int ldc)
{
    cudaError_t    error = fake_enter("cublasDgemm");
    fake_operation operation = {.kind = FAKE_KERNEL, .name = "cublasDgemm", .run = run_dgemm};

    operation.kernel = (fake_kernel){.trans = transa,
                                     .trans_b = transb,
                                     .m = m,
                                     .n = n,
                                     .k = k,
                                     .alpha = *alpha,
                                     .a = A,
                                     .lda = lda,
                                     .b = B,
                                     .ldb = ldb,
                                     .beta = *beta,
                                     .c = C,
                                     .ldc = ldc};
    return fake_blas_launch(handle, &operation, error ? error : gemm(&operation, sizeof(double)));
}

cublasStatus_t cublasSgemm(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const float *alpha,
                           const float *A, int lda, const float *B, int ldb, const float *beta,
                           float *C, int ldc)
{
    cudaError_t    error = fake_enter("cublasSgemm");
    fake_operation operation = {.kind = FAKE_KERNEL, .name = "cublasSgemm", .run = run_sgemm};

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
    return fake_blas_launch(handle, &operation, error ? error : gemm(&operation, sizeof(float)));
}

static cudaError_t syrk(fake_operation *operation)
{
    fake_kernel *k = &operation->kernel;
    int          rows = k->trans == CUBLAS_OP_N ? k->n : k->k;

    if (k->n < 0 || k->k < 0 || fake_ld_too_small(k->lda, rows) || fake_ld_too_small(k->ldc, k->n))
        return cudaErrorInvalidValue;
    fake_reads(operation, k->a, fake_bytes(rows, k->n + k->k - rows, k->lda, sizeof(double)));
    fake_writes(operation, k->c, fake_bytes(k->n, k->n, k->ldc, sizeof(double)));
    return cudaSuccess;
}

cublasStatus_t cublasDsyrk(cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t trans_a,
                           int n, int k, const double *alpha, const double *A, int lda,
                           const double *beta, double *C, int ldc)
{
    cudaError_t    error = fake_enter("cublasDsyrk");
    fake_operation operation = {.kind = FAKE_KERNEL, .name = "cublasDsyrk", .run = run_dsyrk};

    operation.kernel = (fake_kernel){.uplo = fill,
                                     .trans = trans_a,
                                     .n = n,
                                     .k = k,
                                     .alpha = *alpha,
                                     .a = A,
                                     .lda = lda,
                                     .beta = *beta,
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
    fake_reads(operation, k->a, fake_bytes(order, order, k->lda, sizeof(double)));
    fake_writes(operation, k->c, fake_bytes(k->m, k->n, k->ldc, sizeof(double)));
    return cudaSuccess;
}

cublasStatus_t cublasDtrsm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,
                           cublasOperation_t trans_a, cublasDiagType_t diag, int m, int n,
                           const double *alpha, const double *A, int lda, double *B, int ldb)
{
    cudaError_t    error = fake_enter("cublasDtrsm");
    fake_operation operation = {.kind = FAKE_KERNEL, .name = "cublasDtrsm", .run = run_dtrsm};

    operation.kernel = (fake_kernel){.side = side,
                                     .uplo = fill,
                                     .trans = trans_a,
                                     .diag = diag,
                                     .m = m,
                                     .n = n,
                                     .alpha = *alpha,
                                     .a = A,
                                     .lda = lda,
                                     .c = B,
                                     .ldc = ldb};
    return fake_blas_launch(handle, &operation, error ? error : trsm(&operation));
}

cublasStatus_t cublasDcopy(cublasHandle_t handle, int n, const double *x, int incx, double *y,
                           int incy)
{
    cudaError_t    error = fake_enter("cublasDcopy");
    fake_operation operation = {.kind = FAKE_KERNEL, .name = "cublasDcopy", .run = run_dcopy};

    operation.kernel = (fake_kernel){.n = n, .a = x, .lda = incx, .c = y, .ldc = incy};
    if (!error && (incx < 1 || incy < 1))
        error = cudaErrorInvalidValue;
    fake_reads(&operation, x, fake_bytes(1, n, incx, sizeof *x));
    fake_writes(&operation, y, fake_bytes(1, n, incy, sizeof *y));
    return fake_blas_launch(handle, &operation, error);
}
