/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_GPU_BARE_H
#define TESTS_GPU_BARE_H

/*
 * Helpers of programs that call CUDA's libraries directly. A failing call ends the program, with
 * the call and the reason on standard error.
 */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusolverDn.h>

enum { BARE_FAILED = 1, BARE_USAGE = 2, BARE_NO_GPU = 3 }; /* exit status */

extern const char bare_program[]; /* name of the program, defined by the program */

static inline _Noreturn void bare_fail(const char *call, const char *why, int status)
{
    fprintf(stderr, "%s: %s: %s\n", bare_program, call, why);
    exit(status);
}

static inline _Noreturn void bare_usage(const char *arguments)
{
    fprintf(stderr, "usage: %s %s\n", bare_program, arguments);
    exit(BARE_USAGE);
}

static inline void bare_cuda(cudaError_t error, const char *call)
{
    if (error != cudaSuccess)
        bare_fail(call, cudaGetErrorString(error), BARE_FAILED);
}

static inline void bare_blas(cublasStatus_t status, const char *call)
{
    if (status != CUBLAS_STATUS_SUCCESS)
        bare_fail(call, cublasGetStatusName(status), BARE_FAILED);
}

static inline void bare_solver(cusolverStatus_t status, const char *call)
{
    char text[32];

    snprintf(text, sizeof text, "status %d", (int)status);
    if (status != CUSOLVER_STATUS_SUCCESS)
        bare_fail(call, text, BARE_FAILED);
}

#define CUDA(call) bare_cuda((call), #call)
#define BLAS(call) bare_blas((call), #call)
#define SOLVER(call) bare_solver((call), #call)

static inline void bare_need_gpu(void)
{
    int         devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);

    if (error != cudaSuccess || devices < 1)
        bare_fail("no GPU", error ? cudaGetErrorString(error) : "CUDA sees none", BARE_NO_GPU);
}

static inline double bare_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Return the next number of a sequence in [-0.5, 0.5): a GPU computes faster with zeros. */
static inline double bare_draw(unsigned long long *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53 - 0.5;
}

#endif
