/* SPDX-License-Identifier: BSD-3-Clause */
/* A plugin on shared data whose GPU functions enqueue copies, without waiting for them. */
#include <hybridsched/plugin.h>

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

HS_PLUGIN_FILE;

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Return the outcome of calls that enqueue work on the current device, which must be the task's. */
static int ends(const hs_plugin_task *task, cudaError_t error)
{
    int device = -1;

    if (error == cudaSuccess && cudaGetDevice(&device) == cudaSuccess &&
        (uint32_t)device == task->index)
        return HS_PLUGIN_DONE;
    snprintf(task->message, task->message_size, "error %d on device %d", (int)error, device);
    return HS_PLUGIN_FAILED;
}

/* Write the task's number to a datum. */
HS_PLUGIN_MODES(mark, HS_WRITE);

HS_PLUGIN_TASK(mark)
{
    memset(task->data[0].at, (int)task->task + 1, task->data[0].bytes);
    return HS_PLUGIN_DONE;
}

HS_PLUGIN_GPU_TASK(mark)
{
    return ends(task, cudaMemsetAsync(task->data[0].at, (int)task->task + 1, task->data[0].bytes,
                                      task->stream));
}

/* Copy the first half of a datum over the begin of another one. */
HS_PLUGIN_MODES(overlay, HS_READ, HS_READ_WRITE);

HS_PLUGIN_TASK(overlay)
{
    memcpy(task->data[1].at, task->data[0].at,
           smaller(task->data[0].bytes / 2, task->data[1].bytes));
    return HS_PLUGIN_DONE;
}

HS_PLUGIN_GPU_TASK(overlay)
{
    return ends(task, cudaMemcpyAsync(task->data[1].at, task->data[0].at,
                                      smaller(task->data[0].bytes / 2, task->data[1].bytes),
                                      cudaMemcpyDeviceToDevice, task->stream));
}
