/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "exec/backend/cuda/cuda.h"

static int make_events(hsi_cuda_lane *lane)
{
    return CUDA(lane->fault, cudaEventCreateWithFlags, &lane->done, cudaEventDefault) &&
           CUDA(lane->fault, cudaEventCreateWithFlags, &lane->landed, cudaEventDisableTiming) &&
           CUDA(lane->fault, cudaEventCreateWithFlags, &lane->pace[0], cudaEventDisableTiming) &&
           CUDA(lane->fault, cudaEventCreateWithFlags, &lane->pace[1], cudaEventDisableTiming);
}

/* Give cuBLAS a work space, so it allocates no memory and its calls can be captured. */
static int make_blas(hsi_cuda_lane *lane, size_t bytes)
{
    return hsi_cuda_blas_ok(lane->fault, cublasCreate(&lane->blas), "cublasCreate") &&
           BLAS(lane, cublasSetStream, lane->stream) &&
           CUDA(lane->fault, cudaMallocAsync, &lane->blas_space, bytes, lane->stream) &&
           BLAS(lane, cublasSetWorkspace, lane->blas_space, bytes);
}

int hsi_cuda_lane_open(hsi_cuda_lane *lane, hsi_cuda_fault *fault, size_t blas_bytes)
{
    memset(lane, 0, sizeof *lane);
    lane->fault = fault;
    return CUDA(fault, cudaStreamCreateWithFlags, &lane->stream, cudaStreamNonBlocking) &&
           make_events(lane) && make_blas(lane, blas_bytes);
}

static int make_solver(hsi_cuda_lane *lane)
{
    return lane->solver ||
           (hsi_cuda_solver_ok(lane->fault, cusolverDnCreate(&lane->solver), "cusolverDnCreate") &&
            SOLVER(lane, cusolverDnSetStream, lane->stream));
}

/* Set *elements to the larger of the work spaces for tasks that can and cannot be cancelled. */
static int ask_both(hsi_cuda_lane *lane, const hsi_cuda_kernel *kernel, int n, int *elements)
{
    int watched = hsi_cuda_width(kernel, n, 1), whole = hsi_cuda_width(kernel, n, 0), more = 0;

    if (!kernel->work(lane, n, watched, elements) ||
        (whole != watched && !kernel->work(lane, n, whole, &more)))
        return 0;
    *elements = hsi_larger(*elements, more);
    return 1;
}

int hsi_cuda_lane_work(hsi_cuda_lane *lane, const hsi_cuda_kernel *kernel, int n, int *elements)
{
    hsi_cuda_asked *asked = lane->asked;

    lane->single = kernel->single;
    *elements = 0;
    if (!kernel->work)
        return 1;
    while (asked->kernel && asked->kernel != kernel)
        asked++;
    if (asked->kernel && asked->n == n) {
        *elements = asked->elements;
        return 1;
    }
    if (!make_solver(lane) || !ask_both(lane, kernel, n, elements))
        return 0;
    *asked = (hsi_cuda_asked){kernel, n, *elements};
    return 1;
}

int hsi_cuda_lane_arena(hsi_cuda_lane *lane, size_t bytes)
{
    void *more = NULL;

    if (bytes <= lane->arena_size)
        return 1;
    if (lane->arena && !CUDA(lane->fault, cudaFreeAsync, lane->arena, lane->stream))
        return 0;
    lane->arena = NULL;
    lane->arena_size = 0;
    if (!CUDA(lane->fault, cudaMallocAsync, &more, bytes, lane->stream))
        return 0;
    lane->arena = more;
    lane->arena_size = bytes;
    return 1;
}

int hsi_cuda_lane_room(hsi_cuda_lane *lane, size_t bytes)
{
    void *more = NULL;

    if (bytes <= lane->room_size)
        return 1;
    if (lane->room)
        cudaFreeHost(lane->room);
    lane->room = NULL;
    lane->room_size = 0;
    if (!CUDA(lane->fault, cudaHostAlloc, &more, bytes, cudaHostAllocDefault))
        return 0;
    lane->room = more;
    lane->room_size = bytes;
    return 1;
}

void hsi_cuda_settle(hsi_cuda_lane *lane)
{
    if (lane->stream && !lane->fault->hung)
        cudaStreamSynchronize(lane->stream); /* returns at once on a broken GPU */
}

static void free_memory(hsi_cuda_lane *lane)
{
    if (lane->arena)
        cudaFreeAsync(lane->arena, lane->stream);
    if (lane->blas_space)
        cudaFreeAsync(lane->blas_space, lane->stream);
    if (lane->room)
        cudaFreeHost(lane->room);
}

/* Free everything, also if one of the calls fails. */
void hsi_cuda_lane_close(hsi_cuda_lane *lane)
{
    cudaEvent_t events[] = {lane->done, lane->landed, lane->pace[0], lane->pace[1]};
    size_t      i;

    if (!lane->stream)
        return;
    hsi_cuda_settle(lane);
    if (lane->solver)
        cusolverDnDestroy(lane->solver);
    if (lane->blas)
        cublasDestroy(lane->blas);
    free_memory(lane);
    hsi_cuda_settle(lane);
    for (i = 0; i < sizeof events / sizeof *events; i++)
        if (events[i])
            cudaEventDestroy(events[i]);
    cudaStreamDestroy(lane->stream);
    memset(lane, 0, sizeof *lane);
}
