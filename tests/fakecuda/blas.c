/* SPDX-License-Identifier: BSD-3-Clause */
/* The fake's cuBLAS: handles and launches. */
#include <cblas.h>
#include <cublas_v2.h>

#include "kernel.h"

struct cublasContext {
    fake_object    object;
    fake_stream   *stream; /* NULL: the default stream, which the fake does not have */
    void          *workspace;
    size_t         size;
    fake_functions functions;
};

/* A kernel runs in its stream's thread alone, as on a card. Threads of OpenBLAS would also write the
 * matrices, and the thread sanitizer cannot see how OpenBLAS orders those writes. */
__attribute__((constructor)) static void use_one_thread_of_blas(void)
{
    openblas_set_num_threads(1);
}

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
    cudaError_t error = fake_begin_call("cublasCreate");

    if (!error && fake_is_forbidden("cublasCreate"))
        error = cudaErrorStreamCaptureUnsupported;
    if (!error)
        error = fake_take_handle_memory();
    if (!error)
        *handle = fake_object_create(FAKE_BLAS, sizeof **handle);
    return status_of(fake_end_call(error));
}

cublasStatus_t cublasDestroy(cublasHandle_t handle)
{
    cudaError_t error = fake_begin_call("cublasDestroy");

    if (!fake_is_live_object(handle, FAKE_BLAS, "cublasDestroy"))
        return status_of(fake_end_call(cudaErrorInvalidResourceHandle));
    if (!fake_object_kept_by_failure(&handle->object)) {
        fake_return_handle_memory(&handle->object);
        fake_object_destroy(&handle->object);
    }
    return status_of(fake_end_call(error));
}

/* Set the handle's stream and reset the workspace to the default, like cuBLAS. */
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t streamId)
{
    cudaError_t error = fake_begin_call("cublasSetStream");

    if (!error && !fake_is_live_object(handle, FAKE_BLAS, "cublasSetStream"))
        error = cudaErrorInvalidResourceHandle;
    if (error)
        return status_of(fake_end_call(error));
    handle->stream = streamId;
    handle->workspace = NULL;
    handle->size = 0;
    return status_of(fake_end_call(cudaSuccess));
}

cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void *workspace,
                                  size_t workspaceSizeInBytes)
{
    cudaError_t error = fake_begin_call("cublasSetWorkspace");

    if (!error && !fake_is_live_object(handle, FAKE_BLAS, "cublasSetWorkspace"))
        error = cudaErrorInvalidResourceHandle;
    if (!error && (uintptr_t)workspace % 256)
        error = cudaErrorInvalidValue;
    if (error)
        return status_of(fake_end_call(error));
    handle->workspace = workspace;
    handle->size = workspaceSizeInBytes;
    return status_of(fake_end_call(cudaSuccess));
}

/* Launch the operation unless fake_begin_call() returned an error; leave the call begun by
 * fake_begin_call().
 * */
cublasStatus_t fake_blas_launch(cublasHandle_t handle, fake_operation *operation, cudaError_t error)
{
    if (!error && !fake_is_live_object(handle, FAKE_BLAS, operation->name))
        error = cudaErrorInvalidResourceHandle;
    if (!error && !fake_is_live_object(handle->stream, FAKE_STREAM, operation->name))
        error = cudaErrorInvalidResourceHandle;
    if (error)
        return status_of(fake_end_call(error));
    if (handle->workspace) {
        operation->kernel.work = handle->workspace;
        operation->kernel.work_size = handle->size;
        fake_add_write(operation, handle->workspace, handle->size);
    } else {
        fake.default_workspaces++;
    }
    fake_load_function(&handle->functions, handle->stream, operation);
    return status_of(fake_end_call(fake_enqueue(handle->stream, operation)));
}
