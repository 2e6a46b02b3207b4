/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "exec/backend/cuda/cuda.h"

static bool note(hsi_cuda_fault *fault, const char *call, const char *name, const char *text,
                 bool memory)
{
    if (fault->text[0]) /* keep the first fault */
        return false;
    fault->memory = memory;
    snprintf(fault->text, sizeof fault->text, "%.48s failed: %.56s%s%.100s", call, name,
             text ? ": " : "", text ? text : "");
    return false;
}

bool hsi_cuda_ok(hsi_cuda_fault *fault, cudaError_t error, const char *call)
{
    if (error == cudaSuccess)
        return true;
    cudaGetLastError(); /* clear the error, which is reported here */
    return note(fault, call, cudaGetErrorName(error), cudaGetErrorString(error),
                error == cudaErrorMemoryAllocation);
}

/* Without memory for a handle, Create functions may return another status than ALLOC_FAILED. */
static bool is_refused(const char *call, int other)
{
    return other && strstr(call, "Create") != NULL;
}

bool hsi_cuda_blas_ok(hsi_cuda_fault *fault, cublasStatus_t status, const char *call)
{
    if (status == CUBLAS_STATUS_SUCCESS)
        return true;
    return note(fault, call, cublasGetStatusName(status), NULL,
                status == CUBLAS_STATUS_ALLOC_FAILED ||
                    is_refused(call, status == CUBLAS_STATUS_NOT_INITIALIZED ||
                                         status == CUBLAS_STATUS_INTERNAL_ERROR));
}

/* cuSOLVER has no function that names a status. */
bool hsi_cuda_solver_ok(hsi_cuda_fault *fault, cusolverStatus_t status, const char *call)
{
    char name[32];

    if (status == CUSOLVER_STATUS_SUCCESS)
        return true;
    snprintf(name, sizeof name, "cuSOLVER status %d", (int)status);
    return note(fault, call, name, NULL,
                status == CUSOLVER_STATUS_ALLOC_FAILED ||
                    is_refused(call, status == CUSOLVER_STATUS_NOT_INITIALIZED ||
                                         status == CUSOLVER_STATUS_INTERNAL_ERROR));
}
