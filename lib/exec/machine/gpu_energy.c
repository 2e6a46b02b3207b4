/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/machine/gpu_energy.h"

#include <dlfcn.h>
#include <stdlib.h>

/* Declarations as in nvml.h; all functions return 0 on success. */
typedef struct nvml_device nvml_device;

enum { CLOCK_SM = 1 };

typedef struct gpu {
    nvml_device       *device;
    unsigned long long millijoules; /* energy used since the driver was loaded */
} gpu;

struct hsi_gpu_energy {
    void *library;
    int (*init)(void);
    int (*shutdown)(void);
    int (*find)(const char *uuid, nvml_device **device);
    int (*energy)(nvml_device *device, unsigned long long *millijoules);
    int (*clock)(nvml_device *device, int type, unsigned *mhz);
    int (*most)(nvml_device *device, int type, unsigned *mhz);
    unsigned gpus;
    gpu      gpu[];
};

static bool load(hsi_gpu_energy *power)
{
    const struct {
        const char *name;
        void      **function;
    } table[] = {{"nvmlInit_v2", (void **)&power->init},
                 {"nvmlShutdown", (void **)&power->shutdown},
                 {"nvmlDeviceGetHandleByUUID", (void **)&power->find},
                 {"nvmlDeviceGetTotalEnergyConsumption", (void **)&power->energy},
                 {"nvmlDeviceGetClockInfo", (void **)&power->clock},
                 {"nvmlDeviceGetMaxClockInfo", (void **)&power->most}};
    size_t i;

    power->library = dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);
    for (i = 0; power->library && i < sizeof table / sizeof *table; i++)
        if (!(*table[i].function = dlsym(power->library, table[i].name)))
            return false;
    return power->library != NULL;
}

static void unload(hsi_gpu_energy *power)
{
    if (power->library)
        dlclose(power->library);
    free(power);
}

static bool read_all(hsi_gpu_energy *power, const hsi_machine *machine)
{
    unsigned i;

    for (i = 0; i < power->gpus; i++) {
        gpu *g = &power->gpu[i];

        if (power->find(machine->devices[i].uuid, &g->device) ||
            power->energy(g->device, &g->millijoules))
            return false;
    }
    return true;
}

hsi_gpu_energy *hsi_gpu_energy_begin(const hsi_machine *machine, unsigned gpus)
{
    hsi_gpu_energy *power;

    if (!gpus || machine->device_count < gpus)
        return NULL;
    power = calloc(1, sizeof *power + gpus * sizeof *power->gpu);
    if (!power)
        return NULL;
    power->gpus = gpus;
    if (load(power) && power->init() == 0) {
        if (read_all(power, machine))
            return power;
        power->shutdown();
    }
    unload(power);
    return NULL;
}

static void add_clock(const hsi_gpu_energy *power, const gpu *g, hsi_gpu_energy_use *use)
{
    unsigned clock = 0, most = 0;

    if (power->clock(g->device, CLOCK_SM, &clock) || power->most(g->device, CLOCK_SM, &most) ||
        (use->clock && use->clock <= clock))
        return;
    use->clock = clock;
    use->clock_most = most;
}

hsi_gpu_energy_use hsi_gpu_energy_end(hsi_gpu_energy *power)
{
    hsi_gpu_energy_use use = {0};
    unsigned           i;
    bool               known = power != NULL;

    for (i = 0; power && i < power->gpus; i++) {
        const gpu         *g = &power->gpu[i];
        unsigned long long now = 0;

        known = known && power->energy(g->device, &now) == 0 && now >= g->millijoules;
        use.joules += known ? 1e-3 * (double)(now - g->millijoules) : 0;
        add_clock(power, g, &use);
    }
    if (!known)
        use.joules = 0;
    if (power) {
        power->shutdown();
        unload(power);
    }
    return use;
}
