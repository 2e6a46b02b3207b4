/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Warm-up. The first launch of a kernel loads its code, and libraries delay work until the first
 * call with a handle. Neither may happen in a measured run, under the lock or in a capture.
 */
#include "exec/backend/cuda/range.h"
#include "exec/backend/cuda/tiles/tiles.h"

/* Run each step and wait for it, so the queue of the stream never fills. */
static bool run_steps(hsi_tiles_gpu *gpu, hsi_stream_context *context, char *scratch, size_t tile)
{
    unsigned steps = hsi_tiles_steps_of_matrix(gpu->memory->matrix), step;
    void    *at[HSI_OPERANDS];
    int      i, *info = (int *)(void *)(scratch + HSI_OPERANDS * tile);

    for (i = 0; i < HSI_OPERANDS; i++)
        at[i] = scratch + (size_t)i * tile;
    for (step = HSI_NO_STEP + 1; step <= HSI_TPMQRT; step++)
        if (steps >> step & 1 && (!hsi_tiles_launch_step(gpu, context, (hsi_step)step, at, info) ||
                                  !CUDA(&gpu->fault, cudaStreamSynchronize, context->stream)))
            return false;
    return true;
}

/* The scratch tiles hold zeros, and the results are dropped. Without memory for scratch tiles there
 * is no warm-up, which is not a fault. */
bool hsi_tiles_warm_up(hsi_tiles_gpu *gpu, hsi_stream_context *context)
{
    size_t tile = gpu->memory->tile_bytes, bytes = HSI_OPERANDS * tile + sizeof(int);
    void  *scratch = NULL;
    bool   warm;

    if (!CUDA(&gpu->fault, cudaMallocAsync, &scratch, bytes, context->stream)) {
        if (!gpu->fault.memory)
            return false;
        gpu->fault.text[0] = '\0';
        return true;
    }
    hsi_cuda_range_begin("warm-up");
    warm = CUDA(&gpu->fault, cudaMemsetAsync, scratch, 0, bytes, context->stream) &&
           run_steps(gpu, context, scratch, tile);
    hsi_cuda_range_end();
    if (!warm) {
        cudaFreeAsync(scratch, context->stream);
        return false;
    }
    return CUDA(&gpu->fault, cudaFreeAsync, scratch, context->stream) &&
           CUDA(&gpu->fault, cudaStreamSynchronize, context->stream);
}
