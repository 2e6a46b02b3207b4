/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices and errors. */
#include <stdio.h>
#include <string.h>

#include "state.h"

cudaError_t cudaGetDeviceCount(int *count)
{
    cudaError_t error = fake_begin_call_even_if_broken("cudaGetDeviceCount");

    *count = error ? 0 : fake.settings.devices;
    return fake_end_call(error);
}

cudaError_t cudaSetDevice(int device)
{
    cudaError_t error = fake_begin_call_on_device("cudaSetDevice", device);

    if (!error)
        error = fake_set_device(device);
    if (!error)
        error = fake.device[device].broken;
    return fake_end_call(error);
}

cudaError_t cudaGetDevice(int *device)
{
    cudaError_t error = fake_begin_call_even_if_broken("cudaGetDevice");

    *device = fake_current_device();
    return fake_end_call(error);
}

static int is_device(int device)
{
    return device >= 0 && device < fake.settings.devices;
}

/* Return the PCI bus: the second device precedes the first, as if ordered by speed. */
static int bus_of(int device)
{
    return 0x81 - 0x40 * (device % 2) + device / 2;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    cudaError_t error = fake_begin_call_even_if_broken("cudaGetDeviceProperties");

    if (!error && !is_device(device))
        error = cudaErrorInvalidDevice;
    if (error)
        return fake_end_call(error);
    memset(prop, 0, sizeof *prop);
    snprintf(prop->name, sizeof prop->name, "Fake GPU%s", fake.settings.mig ? " MIG 1g.1gb" : "");
    memset(prop->uuid.bytes, 0x10 + device, sizeof prop->uuid.bytes);
    prop->totalGlobalMem = fake.settings.memory;
    prop->major = 9;
    prop->multiProcessorCount = 1;
    prop->asyncEngineCount = 2;
    prop->concurrentKernels = 1;
    prop->memoryPoolsSupported = 1;
    prop->pciBusID = bus_of(device);
    return fake_end_call(cudaSuccess);
}

cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice)
{
    cudaError_t error = fake_begin_call_even_if_broken("cudaDeviceCanAccessPeer");

    if (!error && (!is_device(device) || !is_device(peerDevice)))
        error = cudaErrorInvalidDevice;
    if (!error)
        *canAccessPeer = fake.settings.peers && device != peerDevice;
    return fake_end_call(error);
}

cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags)
{
    cudaError_t error = fake_begin_call("cudaDeviceEnablePeerAccess");
    int         own = fake_current_device();

    if (!error && (flags || !is_device(peerDevice) || peerDevice == own || !fake.settings.peers))
        error = cudaErrorInvalidDevice;
    if (!error && fake.peers[own][peerDevice])
        error = cudaErrorPeerAccessAlreadyEnabled;
    if (!error)
        fake.peers[own][peerDevice] = 1;
    return fake_end_call(error);
}

cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device)
{
    cudaError_t error = fake_begin_call_even_if_broken("cudaDeviceGetPCIBusId");

    if (!error && !is_device(device))
        error = cudaErrorInvalidDevice;
    if (!error && len < 13)
        error = cudaErrorInvalidValue;
    if (!error)
        snprintf(pciBusId, (size_t)len, "0000:%02X:00.0", (unsigned)bus_of(device) & 0xff);
    return fake_end_call(error);
}

cudaError_t cudaRuntimeGetVersion(int *runtimeVersion)
{
    cudaError_t error = fake_begin_call_even_if_broken("cudaRuntimeGetVersion");

    *runtimeVersion = CUDART_VERSION;
    return fake_end_call(error);
}

/* Return the driver's version; 0 without an error if there is no driver. */
cudaError_t cudaDriverGetVersion(int *driverVersion)
{
    cudaError_t error = fake_begin_call_even_if_broken("cudaDriverGetVersion");

    *driverVersion = fake.settings.devices < 0 ? 0 : CUDART_VERSION;
    return fake_end_call(
        error == cudaErrorInsufficientDriver || error == cudaErrorNoDevice ? cudaSuccess : error);
}

cudaError_t cudaGetLastError(void)
{
    return fake_last_error(1);
}

cudaError_t cudaPeekAtLastError(void)
{
    return fake_last_error(0);
}

static const struct {
    cudaError_t error;
    const char *name, *text;
} errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorECCUncorrectable, "cudaErrorECCUncorrectable", "uncorrectable ECC error encountered"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled",
     "peer access is already enabled"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureUnjoined, "cudaErrorStreamCaptureUnjoined",
     "capturing stream has unjoined work"},
    {cudaErrorCapturedEvent, "cudaErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

static const char *name_of(cudaError_t error, int text)
{
    size_t i;

    for (i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].error == error)
            return text ? errors[i].text : errors[i].name;
    return "unrecognized error code";
}

const char *cudaGetErrorName(cudaError_t error)
{
    return name_of(error, 0);
}

const char *cudaGetErrorString(cudaError_t error)
{
    return name_of(error, 1);
}
