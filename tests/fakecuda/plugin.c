/* SPDX-License-Identifier: BSD-3-Clause */
/* A plugin whose GPU entry uses the stream passed to it. */
#include <hybridsched/plugin.h>

#include <cuda_runtime_api.h>
#include <stdio.h>

HS_PLUGIN_FILE;

enum { SIZE = 4096, VALUE = 0x5a };

static int say(const hs_plugin_task *task, const char *what)
{
    snprintf(task->message, task->message_size, "%s", what);
    return HS_PLUGIN_FAILED;
}

HS_PLUGIN_TASK(fill)
{
    return task->stream ? say(task, "a CPU has a stream") : HS_PLUGIN_DONE;
}

/* Fill memory on the GPU and copy it to the host; return NULL or the error. Every operation is over
 * at the return. */
static const char *fill_through(cudaStream_t stream, char *host)
{
    void       *memory = NULL;
    const char *wrong = NULL;
    int         i;

    if (cudaMallocAsync(&memory, SIZE, stream) != cudaSuccess)
        return "no memory";
    if (cudaMemsetAsync(memory, VALUE, SIZE, stream) != cudaSuccess ||
        cudaMemcpyAsync(host, memory, SIZE, cudaMemcpyDeviceToHost, stream) != cudaSuccess)
        wrong = "not taken by the stream";
    if (cudaFreeAsync(memory, stream) != cudaSuccess ||
        cudaStreamSynchronize(stream) != cudaSuccess)
        return "not done by the stream";
    for (i = 0; i < SIZE && !wrong; i++)
        wrong = host[i] == VALUE ? NULL : "not what was written";
    return wrong;
}

HS_PLUGIN_GPU_TASK(fill)
{
    int         device = -1;
    void       *host = NULL;
    const char *wrong;

    if (!task->stream)
        return say(task, "a GPU has no stream");
    if (cudaGetDevice(&device) != cudaSuccess || (uint32_t)device != task->index)
        return say(task, "it is not this GPU's turn");
    if (cudaPeekAtLastError() != cudaSuccess)
        return say(task, "another's error is left");
    if (cudaHostAlloc(&host, SIZE, cudaHostAllocDefault) != cudaSuccess)
        return say(task, "no memory");
    wrong = fill_through(task->stream, host);
    cudaFreeHost(host);
    return wrong ? say(task, wrong) : HS_PLUGIN_DONE;
}
