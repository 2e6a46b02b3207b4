/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "exec/backend/cuda/cuda.h"

/* Return whether the device is a MIG instance, whose name ends like " MIG 1g.10gb". */
static bool is_instance(const struct cudaDeviceProp *properties)
{
    return strstr(properties->name, " MIG ") != NULL;
}

/*
 * Write the whole UUID of a device. The CUDA runtime has applied CUDA_VISIBLE_DEVICES by its own
 * rules (indices, prefixes of UUIDs, an end at the first invalid entry). A whole UUID identifies
 * the device that the runtime selected.
 */
void hsi_cuda_uuid(const struct cudaDeviceProp *properties, char text[48])
{
    char *to = text + sprintf(text, is_instance(properties) ? "MIG-" : "GPU-");
    int   i;

    for (i = 0; i < 16; i++)
        to += sprintf(to, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                      (unsigned char)properties->uuid.bytes[i]);
}

static bool describe(int number, hs_backend_device *device, hsi_cuda_fault *fault)
{
    struct cudaDeviceProp properties;
    hs_backend_device     d = {.struct_size = sizeof d};

    if (!CUDA(fault, cudaGetDeviceProperties, &properties, number) ||
        !CUDA(fault, cudaDeviceGetPCIBusId, d.pci, (int)sizeof d.pci, number))
        return false;
    snprintf(d.name, sizeof d.name, "%.120s", properties.name);
    hsi_cuda_uuid(&properties, d.uuid);
    d.memory = properties.totalGlobalMem;
    *device = d;
    return true;
}

/* The list has the order of the CUDA runtime, which follows CUDA_VISIBLE_DEVICES. */
hs_status hsi_cuda_devices(hs_backend_device *list, unsigned most, unsigned *count, hs_error *error)
{
    hsi_cuda_fault fault = {.text = ""};
    int            there = 0, i;

    *count = 0;
    if (CUDA(&fault, cudaGetDeviceCount, &there))
        for (i = 0; i < there && (unsigned)i < most; i++)
            if (!describe(i, &list[i], &fault))
                break;
    if (fault.text[0])
        return hsi_error_set(error, HS_ERESOURCE, "%s", fault.text);
    if (there <= 0)
        return hsi_error_set(error, HS_ERESOURCE, "the CUDA runtime sees none");
    *count = (unsigned)there;
    return HS_OK;
}
