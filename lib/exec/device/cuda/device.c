/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "exec/backend/cuda/range.h"
#include "exec/device/cuda/cuda_device.h"

static const char domain;

static const hs_device_ops cuda_ops;

bool hsi_cuda_device_begin_call(hs_device *device)
{
    cuda_device *d = hsi_cuda_device_of(device);

    if (hsi_device_is_lost(device))
        return false;
    d->fault = (hsi_cuda_fault){.text = ""};
    return CUDA(&d->fault, cudaSetDevice, d->number) || hsi_cuda_device_end_call(device, 0);
}

int hsi_cuda_device_end_call(hs_device *device, int result)
{
    cuda_device *d = hsi_cuda_device_of(device);
    hs_fault     fault = {.kind = d->fault.memory ? HS_FAULT_MEMORY : HS_FAULT_LOST};

    if (!d->fault.text[0])
        return result;
    memcpy(fault.text, d->fault.text, sizeof fault.text);
    hsi_device_keep_fault(device, &fault);
    d->fault = (hsi_cuda_fault){.text = ""};
    return result;
}

/* CUDA_VISIBLE_DEVICES selects the devices; `which` is unused. */
static hs_status check_selection(const char *which, hs_error *error)
{
    if (!which || !*which)
        return HS_OK;
    return hsi_error_set(
        error, HS_EINVAL,
        "the CUDA module has no devices '%.64s'; name it alone, and select devices "
        "with CUDA_VISIBLE_DEVICES",
        which);
}

static hs_status list(const char *which, hs_device_info *out, unsigned room, unsigned *count,
                      hs_error *error)
{
    hs_backend_device *devices = calloc(room + 1, sizeof *devices);
    hs_status          st = devices ? check_selection(which, error) : HS_ENOMEM;
    unsigned           i;

    if (st == HS_OK)
        st = hsi_cuda_devices(devices, room, count, error);
    for (i = 0; st == HS_OK && i < room && i < *count; i++) {
        out[i].memory = devices[i].memory;
        memcpy(out[i].name, devices[i].name, sizeof out[i].name);
        memcpy(out[i].uuid, devices[i].uuid, sizeof out[i].uuid);
        memcpy(out[i].pci, devices[i].pci, sizeof out[i].pci);
    }
    free(devices);
    return st;
}

static void write_unit(void *at, int single)
{
    for (int i = 0; i < HSI_KERNEL_PANEL; i++)
        if (single)
            ((float *)at)[i * (HSI_KERNEL_PANEL + 1)] = 1;
        else
            ((double *)at)[i * (HSI_KERNEL_PANEL + 1)] = 1;
}

bool hsi_cuda_device_make_unit(cuda_device *d, int single)
{
    size_t bytes = (single ? sizeof(float) : sizeof(double)) * HSI_KERNEL_PANEL * HSI_KERNEL_PANEL;
    void  *here = NULL, *there = NULL;
    bool   done;

    if (d->unit[single])
        return true;
    done = CUDA(&d->fault, cudaHostAlloc, &here, bytes, cudaHostAllocDefault) &&
           CUDA(&d->fault, cudaMalloc, &there, bytes);
    if (done) {
        memset(here, 0, bytes);
        write_unit(here, single);
        done = CUDA(&d->fault, cudaMemcpyAsync, there, here, bytes, cudaMemcpyHostToDevice,
                    d->own.stream) &&
               CUDA(&d->fault, cudaStreamSynchronize, d->own.stream);
    }
    if (here)
        cudaFreeHost(here);
    if (done)
        d->unit[single] = there;
    else if (there)
        cudaFree(there);
    return done;
}

static bool start(cuda_device *d)
{
    size_t total;

    d->own.fault = &d->fault;
    if (!CUDA(&d->fault, cudaSetDevice, d->number) ||
        !CUDA(&d->fault, cudaStreamCreateWithFlags, &d->own.stream, cudaStreamNonBlocking) ||
        !CUDA(&d->fault, cudaMemGetInfo, &d->base.memory, &total))
        return false;
    d->base.chunk = total;
    return true;
}

/* Free everything, also if one of the calls fails. What a hung device may use is leaked. */
static void close_device(hs_device *device)
{
    cuda_device *d = hsi_cuda_device_of(device);
    int          i;

    if (device->fault.kind != HS_FAULT_HUNG) {
        cudaSetDevice(d->number);
        for (i = 0; i < 2; i++)
            if (d->unit[i])
                cudaFree(d->unit[i]);
        hsi_stream_context_close(&d->own);
    }
    free(d);
}

static hs_status open_device(const char *which, unsigned index, hs_device **out, hs_error *error)
{
    const uint32_t kinds = (1u << HS_OPERATION_KINDS) - 1;
    hs_status      st = check_selection(which, error);
    cuda_device   *d = st == HS_OK ? calloc(1, sizeof *d) : NULL;

    if (!d)
        return st == HS_OK ? HS_ENOMEM : st;
    d->base = (hs_device){.ops = &cuda_ops, .domain = &domain, .operations = {kinds, kinds}};
    d->number = (int)index;
    d->graph_events = -1;
    if (start(d)) {
        *out = &d->base;
        return HS_OK;
    }
    st = hsi_error_set(error, HS_ERESOURCE, "no GPU %u: %s", index, d->fault.text);
    close_device(&d->base);
    return st;
}

static int alloc(hs_device *device, size_t bytes, hs_buffer *out)
{
    cuda_device *d = hsi_cuda_device_of(device);
    void        *made = NULL;

    if (!hsi_cuda_device_begin_call(device))
        return 0;
    if (bytes > device->chunk)
        hsi_device_note_fault(device, HS_FAULT_MEMORY, "alloc", "the device is not that large");
    else if (CUDA(&d->fault, cudaMalloc, &made, bytes))
        *out = made;
    return hsi_cuda_device_end_call(device, made != NULL);
}

static void release(hs_device *device, hs_buffer buffer)
{
    if (!buffer || device->fault.kind == HS_FAULT_HUNG)
        return;
    cudaSetDevice(hsi_cuda_device_of(device)->number);
    cudaFree(buffer);
}

/* What fails here is no fault: pageable memory has to do. A lost device shows itself at the next
 * call. */
static void *host_alloc(hs_device *device, void *at, size_t bytes)
{
    hsi_cuda_fault unused = {.text = ""};
    void          *made = NULL;

    if (!hsi_cuda_device_begin_call(device))
        return NULL;
    if (at)
        return CUDA(&unused, cudaHostRegister, at, bytes, cudaHostRegisterPortable) ? at : NULL;
    return CUDA(&unused, cudaHostAlloc, &made, bytes, cudaHostAllocPortable) ? made : NULL;
}

static void host_release(hs_device *device, void *at, int locked_only)
{
    if (device->fault.kind == HS_FAULT_HUNG)
        return;
    cudaSetDevice(hsi_cuda_device_of(device)->number);
    if (locked_only)
        cudaHostUnregister(at);
    else
        cudaFreeHost(at);
    cudaGetLastError();
}

static int peer(hs_device *to, hs_device *from)
{
    int         can = 0, other = from->ops == &cuda_ops ? hsi_cuda_device_of(from)->number : -1;
    cudaError_t error;

    if (other < 0 || !hsi_cuda_device_begin_call(to))
        return 0;
    error = cudaDeviceCanAccessPeer(&can, hsi_cuda_device_of(to)->number, other);
    if (error == cudaSuccess && can)
        error = cudaDeviceEnablePeerAccess(other, 0);
    cudaGetLastError();
    return can && (error == cudaSuccess || error == cudaErrorPeerAccessAlreadyEnabled);
}

/* A launch that failed without a message of the function loses the device. */
static int call(hs_stream *stream, void (*function)(void *argument), void *argument)
{
    cuda_device *d = hsi_cuda_device_of(stream->device);

    if (!hsi_cuda_device_begin_call(stream->device))
        return 0;
    function(argument);
    return hsi_cuda_device_end_call(
        stream->device, hsi_cuda_ok(&d->fault, cudaGetLastError(), "a launch of a plugin"));
}

static void *pointer(hs_buffer buffer, size_t offset)
{
    return (char *)buffer + offset;
}

static const hs_call_ops calls = {.suffix = "_gpu", .call = call, .pointer = pointer};

static const hs_range_ops ranges = {hsi_cuda_range_begin, hsi_cuda_range_end};

static const hs_device_ops cuda_ops = {
    .abi = HS_DEVICE_ABI,
    .name = "cuda",
    .list = list,
    .open = open_device,
    .close = close_device,
    .alloc = alloc,
    .release = release,
    .host_alloc = host_alloc,
    .host_release = host_release,
    .peer = peer,
    .stream_open = hsi_cuda_device_stream_open,
    .stream_close = hsi_cuda_device_stream_close,
    .copy = hsi_cuda_device_copy,
    .event_open = hsi_cuda_device_event_open,
    .event_close = hsi_cuda_device_event_close,
    .record = hsi_cuda_device_record,
    .wait = hsi_cuda_device_wait,
    .query = hsi_cuda_device_query,
    .elapsed = hsi_cuda_device_elapsed,
    .launch = hsi_cuda_device_launch,
    .work = hsi_cuda_device_work,
    .segments = &hsi_cuda_device_segments,
    .ranges = &ranges,
    .calls = &calls,
};

HS_API const hs_device_ops *hs_device_module(unsigned abi);

const hs_device_ops *hs_device_module(unsigned abi)
{
    hsi_cuda_ask_for_queues();
    return abi == HS_DEVICE_ABI ? &cuda_ops : NULL;
}
