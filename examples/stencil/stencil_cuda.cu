/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The task of stencil.c for GPUs of CUDA, in the same plugin:
 *
 *     nvcc -O2 -c -Xcompiler -fPIC $(pkg-config --cflags hybridsched) stencil_cuda.cu
 *     cc -O2 -shared -fPIC $(pkg-config --cflags hybridsched) -o stencil.so stencil.c \
 *         stencil_cuda.o -L/usr/local/cuda/lib64 -lcudart -lstdc++
 *
 * The function launches a kernel and returns. The library queues the next task behind it, and
 * copies data while it runs.
 */
#include <cstdio>

#include <hybridsched/plugin.h>

#include "stencil.h"

static __global__ void relax_kernel(const double *above, const double *own, const double *below,
                                    double *next, size_t rows)
{
    size_t column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    size_t i = row * COLUMNS + column;

    if (column >= COLUMNS)
        return;
    double up = row > 0 ? own[i - COLUMNS] : above[column];
    double down = row + 1 < rows ? own[i + COLUMNS] : below[column];
    double left = column > 0 ? own[i - 1] : 0, right = column + 1 < COLUMNS ? own[i + 1] : 0;
    next[i] = (up + left + own[i] + right + down) / 5;
}

HS_PLUGIN_GPU_TASK(relax)
{
    const hs_plugin_data *data = task->data;
    const double         *above = static_cast<const double *>(data[0].at);
    size_t                rows = data[1].bytes / sizeof(double[COLUMNS]);
    const unsigned        threads = 128;
    const dim3            blocks((COLUMNS + threads - 1) / threads, static_cast<unsigned>(rows));

    above += data[0].bytes / sizeof(double) - COLUMNS; /* last row of the block above */
    relax_kernel<<<blocks, threads, 0, static_cast<cudaStream_t>(task->stream)>>>(
        above, static_cast<const double *>(data[1].at), static_cast<const double *>(data[2].at),
        static_cast<double *>(data[3].at), rows);
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess)
        return HS_PLUGIN_DONE;
    std::snprintf(task->message, task->message_size, "%s", cudaGetErrorString(error));
    return HS_PLUGIN_FAILED;
}
