/* SPDX-License-Identifier: BSD-3-Clause */
/* The GPUs that there are, and which of them a run uses: as many as it needs, the first. */
#include "exec/machine/machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/machine/locality.h"

/* All of them; *list is to be freed. */
static hs_status list_devices(const hs_backend *backend, hs_backend_device **list, unsigned *count,
                              char why[HS_WHY])
{
    unsigned  room;
    hs_status st = backend->devices(NULL, 0, &room, why);

    if (st != HS_OK)
        return st;
    *list = calloc(room + 1, sizeof **list);
    if (!*list)
        return HS_ENOMEM;
    st = backend->devices(*list, room, count, why);
    if (*count > room)
        *count = room;
    return st;
}

/* A run with GPUs that are not emulated; `reason` is what its opening or listing said. */
static hs_status refuse(const hsi_work *work, const char *reason, char why[HS_WHY])
{
    snprintf(why, HS_WHY, "no GPU: %.400s; this plan needs %u; use --emulate-gpus", reason,
             work->gpus);
    return HS_ERESOURCE;
}

static hs_status check_count(const hsi_machine *machine, const hsi_work *work, char why[HS_WHY])
{
    if (machine->device_count >= work->gpus)
        return HS_OK;
    snprintf(why, HS_WHY, "too few GPUs: this plan needs %u, and there %s %u; use --emulate-gpus",
             work->gpus, machine->device_count == 1 ? "is" : "are", machine->device_count);
    return HS_ERESOURCE;
}

/* Backends of the settings may bring GPUs of their own. */
static int needs_module(const hsi_work *work)
{
    const hs_exec_settings *s = &work->settings;

    return work->gpus && !s->emulate[HS_GPU] && (s->module || !s->backend_count);
}

hs_status hsi_machine_find_devices(hsi_machine *machine, const hsi_work *work, char why[HS_WHY])
{
    char      reason[HS_WHY] = "";
    hs_status st;

    if (!needs_module(work))
        return HS_OK;
    st = hsi_module_open(work->settings.module, &machine->module, reason);
    if (st == HS_OK)
        st = list_devices(machine->module.backend, &machine->devices, &machine->device_count,
                          reason);
    if (st == HS_ERESOURCE)
        return refuse(work, reason, why);
    return st == HS_OK ? check_count(machine, work, why) : st;
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
    hs_exec_device full = {.struct_size = out->struct_size, .memory = from->memory};
    hsi_locality  *locality = hsi_locality_open();

    memcpy(full.name, from->name, sizeof full.name);
    memcpy(full.uuid, from->uuid, sizeof full.uuid);
    memcpy(full.pci, from->pci, sizeof full.pci);
    hsi_locality_text(locality, from->pci, full.cores, sizeof full.cores);
    hsi_locality_close(locality);
    memcpy(out, &full, out->struct_size < sizeof full ? out->struct_size : sizeof full);
}

hs_status hs_exec_device_at(const char *module, unsigned index, hs_exec_device *out,
                            unsigned *count, char why[HS_WHY])
{
    hsi_module         opened = {.file = NULL};
    hs_backend_device *list = NULL;
    unsigned           there = 0;
    char               reason[HS_WHY] = "";
    hs_status          st = hsi_module_open(module, &opened, reason);

    if (st == HS_OK)
        st = list_devices(opened.backend, &list, &there, reason);
    if (count)
        *count = there;
    if (st == HS_OK && out && index < there)
        describe(&list[index], out);
    else if (st == HS_OK && out)
        st = HS_EINVAL;
    if (why)
        snprintf(why, HS_WHY, "%s%.480s", st == HS_ERESOURCE ? "no GPU: " : "",
                 st == HS_OK || reason[0] ? reason : hs_status_text(st));
    free(list);
    hsi_module_close(&opened);
    return st;
}
