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

cusolverStatus_t fake_solver_size(cusolverDnHandle_t handle, const char *call, int valid,
                                  int needed, int *size)
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

/* Launch the operation unless fake_enter() returned an error; leave the call begun by fake_enter().
 * */
cusolverStatus_t fake_solver_launch(cusolverDnHandle_t handle, fake_operation *operation,
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
