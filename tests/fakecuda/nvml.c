/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What of NVML the dispatcher asks for. Each device has used 1.5 J more, times its number and one,
 * whenever it is asked. Whether there is anything to tell the test says.
 */
#include <stdlib.h>
#include <string.h>

int      fake_nvml_works = 1;
unsigned fake_nvml_users; /* init without shutdown */

typedef struct nvml_device {
    unsigned           number;
    unsigned long long millijoules;
} nvml_device;

static nvml_device devices[8];

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
    (*device)->number = (unsigned)(uuid[5] - '0');
    return 0;
}

int nvmlDeviceGetTotalEnergyConsumption(nvml_device *device, unsigned long long *energy)
{
    *energy = device->millijoules += 1500 * (device->number + 1);
    return 0;
}

int nvmlDeviceGetClockInfo(nvml_device *device, int type, unsigned *clock)
{
    *clock = 1500 - 100 * device->number;
    return type != 1;
}

int nvmlDeviceGetMaxClockInfo(nvml_device *device, int type, unsigned *clock)
{
    *clock = 1980 + device->number;
    return type != 1;
}
