/* SPDX-License-Identifier: BSD-3-Clause */
/* The fake's cuSOLVER: handles and launches. */
#include <cusolverDn.h>

#include "solver.h"

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
    cudaError_t error = fake_begin_call("cusolverDnCreate");

    if (!error && fake_is_forbidden("cusolverDnCreate"))
        error = cudaErrorStreamCaptureUnsupported;
    if (!error)
        error = fake_take_handle_memory();
    if (!error)
        *handle = fake_object_create(FAKE_SOLVER, sizeof **handle);
    return status_of(fake_end_call(error));
}

cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle)
{
    cudaError_t error = fake_begin_call("cusolverDnDestroy");

    if (!fake_is_live_object(handle, FAKE_SOLVER, "cusolverDnDestroy"))
        return status_of(fake_end_call(cudaErrorInvalidResourceHandle));
    if (!fake_object_kept_by_failure(&handle->object)) {
        fake_return_handle_memory(&handle->object);
        fake_object_destroy(&handle->object);
    }
    return status_of(fake_end_call(error));
}

cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t streamId)
{
    cudaError_t error = fake_begin_call("cusolverDnSetStream");

    if (!error && !fake_is_live_object(handle, FAKE_SOLVER, "cusolverDnSetStream"))
        error = cudaErrorInvalidResourceHandle;
    if (!error)
        handle->stream = streamId;
    return status_of(fake_end_call(error));
}

cusolverStatus_t fake_solver_set_work_size(cusolverDnHandle_t handle, const char *call, int valid,
                                           int needed, int *size)
{
    cudaError_t error = fake_begin_call(call);

    if (!error && !fake_is_live_object(handle, FAKE_SOLVER, call))
        error = cudaErrorInvalidResourceHandle;
    if (!error && !valid)
        error = cudaErrorInvalidValue;
    if (!error)
        *size = needed;
    return status_of(fake_end_call(error));
}

/* Launch the operation unless fake_begin_call() returned an error; leave the call begun by
 * fake_begin_call().
 * */
cusolverStatus_t fake_solver_launch(cusolverDnHandle_t handle, fake_operation *operation,
                                    cudaError_t error)
{
    if (!error && !fake_is_live_object(handle, FAKE_SOLVER, operation->name))
        error = cudaErrorInvalidResourceHandle;
    if (!error && !fake_is_live_object(handle->stream, FAKE_STREAM, operation->name))
        error = cudaErrorInvalidResourceHandle;
    if (error)
        return status_of(fake_end_call(error));
    if (handle->stream->capture)
        fake_complain("%s: captured, which cuSOLVER does not promise to bear", operation->name);
    fake_load_function(&handle->functions, handle->stream, operation);
    return status_of(fake_end_call(fake_enqueue(handle->stream, operation)));
}
