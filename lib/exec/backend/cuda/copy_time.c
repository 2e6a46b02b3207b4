/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of single copies between pinned host memory and GPUs, or from one GPU to another. */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "exec/backend/cuda/cuda.h"

enum { SOURCE, TARGET, ENDS };
enum { RUNS = 10, WARM_UP = 2 };

/* The memory of both ends of a link, and a stream on one of its GPUs. */
typedef struct hsi_copy_bench {
    hsi_cuda_fault fault;
    unsigned       device[ENDS]; /* HS_NONE: the host */
    void          *memory[ENDS];
    cudaStream_t   stream;
    cudaEvent_t    begin, end;
} hsi_copy_bench;

static bool is_host(const hsi_copy_bench *b, int end)
{
    return b->device[end] == HS_NONE;
}

/* Allocate the memory of an end; pages of the host are touched. */
static bool allocate(hsi_copy_bench *b, int end, size_t bytes)
{
    void **memory = &b->memory[end];

    if (is_host(b, end)) {
        if (!CUDA(&b->fault, cudaHostAlloc, memory, bytes, cudaHostAllocDefault))
            return false;
        memset(*memory, 1, bytes);
        return true;
    }
    return CUDA(&b->fault, cudaSetDevice, (int)b->device[end]) &&
           CUDA(&b->fault, cudaMalloc, memory, bytes);
}

/* Let the target read the source directly, as runs do, if the GPUs can. */
static void meet(const hsi_copy_bench *b)
{
    int can = 0;

    if (is_host(b, SOURCE) || is_host(b, TARGET))
        return;
    if (cudaDeviceCanAccessPeer(&can, (int)b->device[TARGET], (int)b->device[SOURCE]) ==
            cudaSuccess &&
        can)
        cudaDeviceEnablePeerAccess((int)b->device[SOURCE], 0);
    cudaGetLastError(); /* without access, or with access since an earlier call */
}

/* Allocate everything; the current device is then the target, or the source of copies to the host. */
static bool open_bench(hsi_copy_bench *b, size_t bytes)
{
    int owner = (int)b->device[is_host(b, TARGET) ? SOURCE : TARGET];

    if (!allocate(b, SOURCE, bytes) || !allocate(b, TARGET, bytes) ||
        !CUDA(&b->fault, cudaSetDevice, owner))
        return false;
    meet(b);
    return CUDA(&b->fault, cudaStreamCreateWithFlags, &b->stream, cudaStreamNonBlocking) &&
           CUDA(&b->fault, cudaEventCreateWithFlags, &b->begin, cudaEventDefault) &&
           CUDA(&b->fault, cudaEventCreateWithFlags, &b->end, cudaEventDefault);
}

static void close_bench(hsi_copy_bench *b)
{
    if (b->begin)
        cudaEventDestroy(b->begin);
    if (b->end)
        cudaEventDestroy(b->end);
    if (b->stream)
        cudaStreamDestroy(b->stream);
    for (int end = 0; end < ENDS; end++) {
        if (!b->memory[end])
            continue;
        if (is_host(b, end)) {
            cudaFreeHost(b->memory[end]);
            continue;
        }
        cudaSetDevice((int)b->device[end]);
        cudaFree(b->memory[end]);
    }
}

static bool start_copy(hsi_copy_bench *b, size_t bytes)
{
    if (!is_host(b, SOURCE) && !is_host(b, TARGET))
        return CUDA(&b->fault, cudaMemcpyPeerAsync, b->memory[TARGET], (int)b->device[TARGET],
                    b->memory[SOURCE], (int)b->device[SOURCE], bytes, b->stream);
    return CUDA(&b->fault, cudaMemcpyAsync, b->memory[TARGET], b->memory[SOURCE], bytes,
                is_host(b, SOURCE) ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, b->stream);
}

static bool time_copy(hsi_copy_bench *b, size_t bytes, double *seconds)
{
    float ms = 0;

    if (!CUDA(&b->fault, cudaEventRecord, b->begin, b->stream) || !start_copy(b, bytes) ||
        !CUDA(&b->fault, cudaEventRecord, b->end, b->stream) ||
        hsi_cuda_event_completed(&b->fault, b->end, true) <= 0 ||
        !CUDA(&b->fault, cudaEventElapsedTime, &ms, b->begin, b->end))
        return false;
    *seconds = ms > 1e-6f ? 1e-3 * (double)ms : 1e-9;
    return true;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Set *seconds to the median of several copies. */
static bool time_size(hsi_copy_bench *b, size_t bytes, double *seconds)
{
    double time[RUNS], unused;

    for (int i = 0; i < WARM_UP; i++)
        if (!time_copy(b, bytes, &unused))
            return false;
    for (int i = 0; i < RUNS; i++)
        if (!time_copy(b, bytes, &time[i]))
            return false;
    qsort(time, RUNS, sizeof *time, by_value);
    *seconds = (time[RUNS / 2 - 1] + time[RUNS / 2]) / 2;
    return true;
}

hs_status hsi_cuda_time_copies(unsigned from, unsigned to, hs_copy_sample *samples, size_t count,
                               hs_error *error)
{
    hsi_copy_bench b = {.device = {from, to}};
    double         most = 0;
    bool           good;

    for (size_t i = 0; i < count; i++)
        most = samples[i].bytes > most ? samples[i].bytes : most;
    good = open_bench(&b, (size_t)most);
    for (size_t i = 0; i < count && good; i++)
        good = time_size(&b, (size_t)samples[i].bytes, &samples[i].seconds);
    close_bench(&b);
    return good ? HS_OK : hsi_error_set(error, HS_ERESOURCE, "%s", b.fault.text);
}
