/* SPDX-License-Identifier: BSD-3-Clause */
/* A module that only lists a device: it has no backend, and opens nothing. */
#include <stdio.h>

#include <hybridsched/device.h>

static hs_status list(const char *which, hs_device_info *info, unsigned room, unsigned *count,
                      hs_error *error)
{
    (void)error;
    *count = 1;
    if (room > 0) {
        info[0] = (hs_device_info){.memory = 9000000};
        snprintf(info[0].name, sizeof info[0].name, "listed %s", which ? which : "device");
    }
    return HS_OK;
}

static const hs_device_ops ops = {.name = "devices-only", .list = list};

HS_API const hs_device_ops *hs_device_module(unsigned abi);
const hs_device_ops *hs_device_module(unsigned abi)
{
    return abi == HS_DEVICE_ABI ? &ops : NULL;
}
