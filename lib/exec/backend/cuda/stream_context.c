/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "exec/backend/cuda/cuda.h"

static bool make_events(hsi_stream_context *context)
{
    return CUDA(context->fault, cudaEventCreateWithFlags, &context->done, cudaEventDefault) &&
           CUDA(context->fault, cudaEventCreateWithFlags, &context->landed,
                cudaEventDisableTiming) &&
           CUDA(context->fault, cudaEventCreateWithFlags, &context->pace[0],
                cudaEventDisableTiming) &&
           CUDA(context->fault, cudaEventCreateWithFlags, &context->pace[1],
                cudaEventDisableTiming);
}

/* Give cuBLAS a work space, so it allocates no memory and its calls can be captured. */
bool hsi_stream_context_make_blas(hsi_stream_context *context, size_t bytes)
{
    if (context->blas_space)
        return true;
    return (context->blas ||
            hsi_cuda_blas_ok(context->fault, cublasCreate(&context->blas), "cublasCreate")) &&
           BLAS(context, cublasSetStream, context->stream) &&
           CUDA(context->fault, cudaMallocAsync, &context->blas_space, bytes, context->stream) &&
           BLAS(context, cublasSetWorkspace, context->blas_space, bytes);
}

bool hsi_stream_context_open(hsi_stream_context *context, hsi_cuda_fault *fault, size_t blas_bytes)
{
    memset(context, 0, sizeof *context);
    context->fault = fault;
    return CUDA(fault, cudaStreamCreateWithFlags, &context->stream, cudaStreamNonBlocking) &&
           make_events(context) && hsi_stream_context_make_blas(context, blas_bytes);
}

bool hsi_stream_context_make_solver(hsi_stream_context *context)
{
    return context->solver ||
           (hsi_cuda_solver_ok(context->fault, cusolverDnCreate(&context->solver),
                               "cusolverDnCreate") &&
            SOLVER(context, cusolverDnSetStream, context->stream));
}

/* Set *elements to the larger of the work spaces for tasks that can and cannot be cancelled. */
static bool ask_both(hsi_stream_context *context, const hsi_cuda_kernel *kernel, int n,
                     int *elements)
{
    int watched = hsi_cuda_piece_columns(kernel, n, true);
    int whole = hsi_cuda_piece_columns(kernel, n, false), more = 0;

    if (!kernel->work(context, n, watched, elements) ||
        (whole != watched && !kernel->work(context, n, whole, &more)))
        return false;
    *elements = hsi_larger(*elements, more);
    return true;
}

bool hsi_stream_context_solver_elements(hsi_stream_context *context, const hsi_cuda_kernel *kernel,
                                        int n, int *elements)
{
    hsi_cuda_asked *asked = context->asked;

    context->single = kernel->single;
    *elements = 0;
    if (!kernel->work)
        return true;
    while (asked->kernel && asked->kernel != kernel)
        asked++;
    if (asked->kernel && asked->n == n) {
        *elements = asked->elements;
        return true;
    }
    if (!hsi_stream_context_make_solver(context) || !ask_both(context, kernel, n, elements))
        return false;
    *asked = (hsi_cuda_asked){kernel, n, *elements};
    return true;
}

bool hsi_stream_context_reserve_arena(hsi_stream_context *context, size_t bytes)
{
    void *more = NULL;

    if (bytes <= context->arena_size)
        return true;
    if (context->arena && !CUDA(context->fault, cudaFreeAsync, context->arena, context->stream))
        return false;
    context->arena = NULL;
    context->arena_size = 0;
    if (!CUDA(context->fault, cudaMallocAsync, &more, bytes, context->stream))
        return false;
    context->arena = more;
    context->arena_size = bytes;
    return true;
}

bool hsi_stream_context_reserve_room(hsi_stream_context *context, size_t bytes)
{
    void *more = NULL;

    if (bytes <= context->room_size)
        return true;
    if (context->room)
        cudaFreeHost(context->room);
    context->room = NULL;
    context->room_size = 0;
    if (!CUDA(context->fault, cudaHostAlloc, &more, bytes, cudaHostAllocDefault))
        return false;
    context->room = more;
    context->room_size = bytes;
    return true;
}

void hsi_cuda_drain_stream(hsi_stream_context *context)
{
    if (context->stream && !context->fault->hung)
        cudaStreamSynchronize(context->stream); /* returns at once on a broken GPU */
}

static void free_memory(hsi_stream_context *context)
{
    if (context->arena)
        cudaFreeAsync(context->arena, context->stream);
    if (context->blas_space)
        cudaFreeAsync(context->blas_space, context->stream);
    if (context->room)
        cudaFreeHost(context->room);
}

/* Free everything, also if one of the calls fails. */
void hsi_stream_context_close(hsi_stream_context *context)
{
    cudaEvent_t events[] = {context->done, context->landed, context->pace[0], context->pace[1]};
    size_t      i;

    if (!context->stream)
        return;
    hsi_cuda_drain_stream(context);
    if (context->solver)
        cusolverDnDestroy(context->solver);
    if (context->blas)
        cublasDestroy(context->blas);
    free_memory(context);
    hsi_cuda_drain_stream(context);
    for (i = 0; i < sizeof events / sizeof *events; i++)
        if (events[i])
            cudaEventDestroy(events[i]);
    cudaStreamDestroy(context->stream);
    memset(context, 0, sizeof *context);
}
