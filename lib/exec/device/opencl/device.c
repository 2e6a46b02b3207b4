/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "exec/device/opencl/opencl_device.h"

enum { MOST = 64 }; /* platforms, and devices */

/* Queries of extensions, which not every <CL/cl_ext.h> has. */
enum {
    PCI_BUS_ID_NV = 0x4008,
    PCI_SLOT_ID_NV = 0x4009,
    PCI_DOMAIN_ID_NV = 0x400a,
    TOPOLOGY_AMD = 0x4037,
    PCI_BUS_INFO_KHR = 0x410f
};

static const hs_device_ops opencl_ops;

static bool is_memory(cl_int error)
{
    return error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_RESOURCES ||
           error == CL_OUT_OF_HOST_MEMORY || error == CL_INVALID_BUFFER_SIZE;
}

bool hsi_opencl_ok(opencl_device *d, cl_int error, const char *call)
{
    char text[32];

    if (error == CL_SUCCESS)
        return true;
    snprintf(text, sizeof text, "OpenCL error %d", (int)error);
    hsi_device_note_fault(&d->base, is_memory(error) ? HS_FAULT_MEMORY : HS_FAULT_LOST, call, text);
    return false;
}

/* Find devices of the platforms in their order, without CPUs unless `all`. */
static unsigned find(bool all, cl_device_id found[MOST])
{
    const cl_device_type types =
        CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR | (all ? CL_DEVICE_TYPE_CPU : 0);
    cl_platform_id platform[MOST];
    cl_uint        platforms = 0, more, i;
    unsigned       count = 0;

    if (clGetPlatformIDs(MOST, platform, &platforms) != CL_SUCCESS)
        return 0;
    for (i = 0; i < platforms && i < MOST && count < MOST; i++) {
        more = 0;
        if (clGetDeviceIDs(platform[i], types, MOST - count, &found[count], &more) == CL_SUCCESS)
            count += more < MOST - count ? more : MOST - count;
    }
    return count;
}

static hs_status find_selected(const char *which, cl_device_id found[MOST], unsigned *count,
                               hs_error *error)
{
    bool all = which && strcmp(which, "all") == 0;

    if (which && *which && !all)
        return hsi_error_set(error, HS_EINVAL,
                             "'%.64s' selects no OpenCL devices; write all to include CPUs", which);
    *count = find(all, found);
    if (*count == 0)
        return hsi_error_set(
            error, HS_ERESOURCE,
            all ? "there is no OpenCL device; install the driver's OpenCL platform"
                : "there is no OpenCL device beside CPUs; opencl:all has CPUs too");
    return HS_OK;
}

/* Write the PCI address of a device, by the extension that its driver has; empty: none is known. */
static void read_pci(cl_device_id device, char *pci, size_t size)
{
    struct {
        cl_uint domain, bus, device, function;
    } at = {0};
    struct {
        cl_uint       type; /* 1: PCI Express */
        unsigned char unused[17], bus, device, function;
    } amd = {0};
    cl_uint domain = 0, bus, slot;

    if (clGetDeviceInfo(device, PCI_BUS_INFO_KHR, sizeof at, &at, NULL) == CL_SUCCESS)
        snprintf(pci, size, "%04x:%02x:%02x.%x", at.domain, at.bus, at.device, at.function);
    else if (clGetDeviceInfo(device, PCI_BUS_ID_NV, sizeof bus, &bus, NULL) == CL_SUCCESS &&
             clGetDeviceInfo(device, PCI_SLOT_ID_NV, sizeof slot, &slot, NULL) == CL_SUCCESS) {
        clGetDeviceInfo(device, PCI_DOMAIN_ID_NV, sizeof domain, &domain, NULL);
        snprintf(pci, size, "%04x:%02x:%02x.%x", domain, bus, slot >> 3, slot & 7);
    } else if (clGetDeviceInfo(device, TOPOLOGY_AMD, sizeof amd, &amd, NULL) == CL_SUCCESS &&
               amd.type == 1)
        snprintf(pci, size, "0000:%02x:%02x.%x", amd.bus, amd.device, amd.function);
}

static hs_status list(const char *which, hs_device_info *out, unsigned room, unsigned *count,
                      hs_error *error)
{
    cl_device_id found[MOST];
    cl_ulong     memory;
    hs_status    st = find_selected(which, found, count, error);
    unsigned     i;

    for (i = 0; st == HS_OK && i < room && i < *count; i++) {
        memset(&out[i], 0, sizeof out[i]);
        memory = 0;
        clGetDeviceInfo(found[i], CL_DEVICE_NAME, sizeof out[i].name - 1, out[i].name, NULL);
        clGetDeviceInfo(found[i], CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
        out[i].memory = memory;
        read_pci(found[i], out[i].pci, sizeof out[i].pci);
        if (!out[i].name[0])
            snprintf(out[i].name, sizeof out[i].name, "OpenCL device %u", i);
    }
    return st;
}

static bool read_size(opencl_device *d, cl_device_info what, size_t *out)
{
    cl_ulong value = 0;

    if (!hsi_opencl_ok(d, clGetDeviceInfo(d->id, what, sizeof value, &value, NULL),
                       "clGetDeviceInfo"))
        return false;
    *out = (size_t)value;
    return true;
}

static bool start(opencl_device *d)
{
    cl_int error;

    if (!read_size(d, CL_DEVICE_GLOBAL_MEM_SIZE, &d->base.memory) ||
        !read_size(d, CL_DEVICE_MAX_MEM_ALLOC_SIZE, &d->base.chunk))
        return false;
    d->context = clCreateContext(NULL, 1, &d->id, NULL, NULL, &error);
    if (!hsi_opencl_ok(d, error, "clCreateContext"))
        return false;
    d->own = clCreateCommandQueue(d->context, d->id, 0, &error);
    return hsi_opencl_ok(d, error, "clCreateCommandQueue") && hsi_opencl_build(d);
}

/* What a hung device may use is leaked. */
static void close_device(hs_device *device)
{
    opencl_device *d = hsi_opencl_of(device);
    int            i;

    if (device->fault.kind != HS_FAULT_HUNG) {
        for (i = 0; i < 2; i++)
            if (d->solve[i])
                clReleaseKernel(d->solve[i]);
        if (d->program)
            clReleaseProgram(d->program);
        if (d->own)
            clReleaseCommandQueue(d->own);
        if (d->context)
            clReleaseContext(d->context);
    }
    free(d);
}

static hs_status open_device(const char *which, unsigned index, hs_device **out, hs_error *error)
{
    cl_device_id   found[MOST];
    unsigned       count = 0;
    hs_status      st = find_selected(which, found, &count, error);
    opencl_device *d;

    if (st != HS_OK)
        return st;
    if (index >= count)
        return hsi_error_set(error, HS_ERESOURCE, "there is no OpenCL device %u, but %u", index,
                             count);
    d = calloc(1, sizeof *d);
    if (!d)
        return HS_ENOMEM;
    d->base.ops = &opencl_ops;
    d->base.domain = d;
    d->id = found[index];
    if (start(d)) {
        *out = &d->base;
        return HS_OK;
    }
    st = hsi_error_set(error, HS_ERESOURCE, "no OpenCL device %u: %s", index, d->base.fault.text);
    close_device(&d->base);
    return st;
}

/* Fill a new buffer: OpenCL allocates a buffer's memory at its first use. */
static bool fill(opencl_device *d, cl_mem buffer, size_t bytes)
{
    const unsigned char nan = 0xff;

    return hsi_opencl_ok(d, clEnqueueFillBuffer(d->own, buffer, &nan, 1, 0, bytes, 0, NULL, NULL),
                         "clEnqueueFillBuffer") &&
           hsi_opencl_ok(d, clFinish(d->own), "clFinish");
}

static int alloc(hs_device *device, size_t bytes, hs_buffer *out)
{
    opencl_device *d = hsi_opencl_of(device);
    cl_int         error = CL_INVALID_BUFFER_SIZE;
    cl_mem         buffer = NULL;

    if (hsi_device_is_lost(device))
        return 0;
    if (bytes <= device->chunk)
        buffer = clCreateBuffer(d->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    if (!hsi_opencl_ok(d, error, "clCreateBuffer"))
        return 0;
    if (!fill(d, buffer, bytes)) {
        clReleaseMemObject(buffer);
        return 0;
    }
    *out = buffer;
    return 1;
}

static void release(hs_device *device, hs_buffer buffer)
{
    if (buffer && device->fault.kind != HS_FAULT_HUNG)
        clReleaseMemObject(buffer);
}

/* OpenCL locks no memory by its address, so pageable memory has to do. */
static void *host_alloc(hs_device *device, void *at, size_t bytes)
{
    (void)device;
    (void)at;
    (void)bytes;
    return NULL;
}

static void host_release(hs_device *device, void *at, int locked_only)
{
    (void)device;
    (void)at;
    (void)locked_only;
}

static int peer(hs_device *to, hs_device *from)
{
    return to == from;
}

static int call(hs_stream *stream, void (*function)(void *argument), void *argument)
{
    if (hsi_device_is_lost(stream->device))
        return 0;
    function(argument);
    return 1;
}

static const hs_call_ops calls = {.suffix = "_opencl", .call = call};

static const hs_device_ops opencl_ops = {
    .abi = HS_DEVICE_ABI,
    .name = "opencl",
    .list = list,
    .open = open_device,
    .close = close_device,
    .alloc = alloc,
    .release = release,
    .host_alloc = host_alloc,
    .host_release = host_release,
    .peer = peer,
    .stream_open = hsi_opencl_stream_open,
    .stream_close = hsi_opencl_stream_close,
    .copy = hsi_opencl_copy,
    .event_open = hsi_opencl_event_open,
    .event_close = hsi_opencl_event_close,
    .record = hsi_opencl_record,
    .wait = hsi_opencl_wait,
    .query = hsi_opencl_query,
    .elapsed = hsi_opencl_elapsed,
    .launch = hsi_opencl_launch,
    .calls = &calls,
};

HS_API const hs_device_ops *hs_device_module(unsigned abi);

const hs_device_ops *hs_device_module(unsigned abi)
{
    return abi == HS_DEVICE_ABI ? &opencl_ops : NULL;
}
