/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of NVML that the dispatcher calls; safe in threads, as NVML's are. Each call for
 * the energy of device i adds 1.5 J times i + 1. A test sets fake_nvml_works to 0 for a machine
 * whose NVML knows no device.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

int              fake_nvml_works = 1;
_Atomic unsigned fake_nvml_users; /* init without shutdown */

typedef struct nvml_device {
    atomic_ullong millijoules;
} nvml_device;

static nvml_device devices[8];

static unsigned number_of(const nvml_device *device)
{
    return (unsigned)(device - devices);
}

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByUUID(const char *uuid, nvml_device **device);
int nvmlDeviceGetTotalEnergyConsumption(nvml_device *device, unsigned long long *energy);
int nvmlDeviceGetClockInfo(nvml_device *device, int type, unsigned *clock);
int nvmlDeviceGetMaxClockInfo(nvml_device *device, int type, unsigned *clock);

int nvmlInit_v2(void)
{
    fake_nvml_users++;
    return 0;
}

int nvmlShutdown(void)
{
    fake_nvml_users--;
    return 0;
}

/* Those of the fake CUDA: GPU-10101010-..., GPU-11111111-..., ... */
int nvmlDeviceGetHandleByUUID(const char *uuid, nvml_device **device)
{
    if (!fake_nvml_works || strncmp(uuid, "GPU-1", 5) != 0 || uuid[5] < '0' || uuid[5] > '7')
        return 6;
    *device = &devices[uuid[5] - '0'];
    return 0;
}

int nvmlDeviceGetTotalEnergyConsumption(nvml_device *device, unsigned long long *energy)
{
    unsigned long long more = 1500 * (number_of(device) + 1ull);

    *energy = atomic_fetch_add(&device->millijoules, more) + more;
    return 0;
}

int nvmlDeviceGetClockInfo(nvml_device *device, int type, unsigned *clock)
{
    *clock = 1500 - 100 * number_of(device);
    return type != 1;
}

int nvmlDeviceGetMaxClockInfo(nvml_device *device, int type, unsigned *clock)
{
    *clock = 1980 + number_of(device);
    return type != 1;
}
