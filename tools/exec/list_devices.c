/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec --devices: list the GPUs of this machine, or the devices of modules. */
#include "common/escape.h"
#include "common/message.h"
#include "exec/exec.h"

static void print_device(unsigned index, const hs_exec_device *device)
{
    printf("gpu%u  %s\n", index, SHOWN(device->name));
    printf("  memory       %.1f GiB\n", (double)device->memory / 0x1p30);
    if (device->uuid[0])
        printf("  uuid         %s\n", device->uuid);
    if (device->pci[0])
        printf("  pci          %s\n", device->pci);
    printf("  nearest to   %s%s\n", device->cores[0] ? "processors " : "not known", device->cores);
}

int exec_devices(const char *modules)
{
    hs_exec_device device;
    unsigned       count, i;
    hs_error       error;
    hs_status      status = hs_exec_device_at(modules, 0, NULL, &count, &error);

    hs_exec_device_init(&device);
    for (i = 0; status == HS_OK && i < count; i++) {
        status = hs_exec_device_at(modules, i, &device, NULL, &error);
        if (status == HS_OK)
            print_device(i, &device);
    }
    if (status == HS_OK)
        return EXIT_OK;
    message("%s", error.why);
    return exit_code(status);
}
