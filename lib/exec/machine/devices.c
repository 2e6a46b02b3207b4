/* SPDX-License-Identifier: BSD-3-Clause */
/* Find the GPUs of the machine. A run uses the first of them. */
#include "exec/machine/machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/why.h"
#include "support/sized.h"

static hs_status list_devices(hsi_machine *machine, char why[HS_WHY])
{
    const hs_backend *backend = machine->module.backend;
    unsigned          room, count = 0;
    hs_status         st = backend->devices(NULL, 0, &room, why);

    if (st != HS_OK)
        return st;
    machine->devices = calloc(room + 1, sizeof *machine->devices);
    if (!machine->devices)
        return HS_ENOMEM;
    st = backend->devices(machine->devices, room, &count, why);
    machine->device_count = count < room ? count : room;
    return st;
}

/* Return 1 if the run needs the module for GPUs: backends of the settings may have their own
 * GPUs. */
static int needs_module(const hsi_work *work)
{
    const hs_exec_settings *s = &work->settings;

    return work->gpus && !work->unused[HS_GPU] && !s->run.emulate[HS_GPU] &&
           (s->gpu.module || !s->run.backend_count);
}

static hs_status open_devices(hsi_machine *machine, const char *module, char why[HS_WHY])
{
    hs_status st = hsi_module_open(module, &machine->module, why);

    return st == HS_OK ? list_devices(machine, why) : st;
}

hs_status hsi_machine_find_devices(hsi_machine *machine, const hsi_work *work, char why[HS_WHY])
{
    char      reason[HS_WHY] = "";
    hs_status st;

    if (!needs_module(work))
        return HS_OK;
    st = open_devices(machine, work->settings.gpu.module, reason);
    if (st == HS_ERESOURCE)
        return hsi_refuse(why, st,
                          "no GPU: %.400s; this plan needs %u; use settings.run.emulate[HS_GPU]",
                          reason, work->gpus);
    if (st == HS_OK && machine->device_count < work->gpus)
        return hsi_refuse(why, HS_ERESOURCE,
                          "too few GPUs: this plan needs %u, and there %s %u; use "
                          "settings.run.emulate[HS_GPU]",
                          work->gpus, machine->device_count == 1 ? "is" : "are",
                          machine->device_count);
    return st;
}

double hsi_machine_least_memory(const hsi_machine *machine, const hsi_work *work)
{
    double   least = INFINITY;
    unsigned i;

    if (!machine->devices)
        return 0;
    for (i = 0; i < work->gpus; i++)
        least = fmin(least, (double)machine->devices[i].memory);
    return least;
}

void hsi_machine_close(hsi_machine *machine)
{
    free(machine->devices);
    free(machine->os_cpu);
    free(machine->cores);
    hsi_topology_close(machine->topology);
    hsi_module_close(&machine->module);
}

const hs_backend_device *hsi_machine_device(const hsi_machine *machine, const hsi_work *work,
                                            unsigned worker)
{
    if (worker < work->cpus || worker - work->cpus >= machine->device_count)
        return NULL;
    return &machine->devices[worker - work->cpus];
}

static void describe(const hs_backend_device *from, hs_exec_device *out)
{
    hs_exec_device full = {.memory = from->memory};
    hsi_topology  *topology;
    char           why[HS_WHY];

    memcpy(full.name, from->name, sizeof full.name);
    memcpy(full.uuid, from->uuid, sizeof full.uuid);
    memcpy(full.pci, from->pci, sizeof full.pci);
    if (hsi_topology_open(&topology, 1, why) == HS_OK) {
        hsi_topology_near(topology, from->pci, full.cores, sizeof full.cores);
        hsi_topology_close(topology);
    }
    hsi_fill_sized(out, &full, sizeof full);
}

hs_status hs_exec_device_at(const char *module, unsigned index, hs_exec_device *out,
                            unsigned *count, char why[HS_WHY])
{
    hsi_machine machine = {.topology = NULL};
    char        reason[HS_WHY] = "";
    hs_status   st = open_devices(&machine, module, reason);

    if (count)
        *count = machine.device_count;
    if (st == HS_OK && out && index < machine.device_count)
        describe(&machine.devices[index], out);
    else if (st == HS_OK && out)
        st = HS_EINVAL;
    if (why) {
        snprintf(why, HS_WHY, "%s%.480s", st == HS_ERESOURCE ? "no GPU: " : "",
                 st == HS_OK || reason[0] ? reason : hs_status_text(st));
        hsi_why_make_printable(why);
    }
    hsi_machine_close(&machine);
    return st;
}
