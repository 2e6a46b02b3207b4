/* SPDX-License-Identifier: BSD-3-Clause */
/* Find the GPUs of the machine, of which a run uses the first, and time copies to them. */
#include "exec/machine/machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "exec/device/modules.h"
#include "exec/error_text.h"
#include "support/sized.h"

static bool allocate(hsi_machine *machine, unsigned count)
{
    bool shares = machine->module.device || machine->listed;

    machine->devices = calloc(count + 1, sizeof *machine->devices);
    if (shares)
        machine->choice = calloc(count + 1, sizeof *machine->choice);
    return machine->devices && (machine->choice || !shares);
}

/* List the devices of the module for GPUs. Its workers check themselves what their devices can do.
 */
static hs_status list_devices(hsi_machine *machine, hs_error *error)
{
    const hs_backend *backend = machine->module.backend;
    unsigned          room, count = 0;
    hs_status         st = backend->devices(NULL, 0, &room, error);

    if (st != HS_OK)
        return st;
    if (!allocate(machine, room))
        return HS_ENOMEM;
    st = backend->devices(machine->devices, room, &count, error);
    machine->device_count = count < room ? count : room;
    for (unsigned i = 0; machine->choice && i < machine->device_count; i++)
        machine->choice[i] = (hsi_device_choice){.ops = machine->module.device, .index = i};
    machine->operations[0] = machine->operations[1] = UINT32_MAX;
    return st;
}

/* List the devices of a list of modules. */
static hs_status list_of_modules(hsi_machine *machine, const char *list, hs_error *error)
{
    const hsi_device_choice *choice;
    unsigned                 count;
    hs_status                st = hsi_device_modules_open(list, &machine->listed, error);

    if (st != HS_OK)
        return st;
    choice = hsi_device_modules_devices(machine->listed, &count);
    if (!allocate(machine, count))
        return HS_ENOMEM;
    for (unsigned i = 0; i < count; i++) {
        hs_backend_device *device = &machine->devices[i];

        machine->choice[i] = choice[i];
        device->memory = choice[i].info.memory;
        memcpy(device->name, choice[i].info.name, sizeof device->name);
        memcpy(device->uuid, choice[i].info.uuid, sizeof device->uuid);
        memcpy(device->pci, choice[i].info.pci, sizeof device->pci);
    }
    machine->device_count = count;
    return HS_OK;
}

/* Return true if the run needs the module for GPUs: backends and functions of the settings may have
 * their own GPUs. */
static bool needs_module(const hsi_run_spec *spec)
{
    const hs_exec_settings *s = &spec->settings;

    return spec->gpus && s->run.node_count == 0 && !spec->unused[HS_GPU] && !s->run.emulate[HS_GPU] &&
           (s->gpu.module || !(s->run.backend_count || spec->own_gpus));
}

/* Return true if the text names modules for devices, and is not the file of the module for GPUs.
 * The path of a file is one module, whatever characters it has; it is a module for GPUs if it has a
 * backend. The list "cuda" alone is that module, which runs more than the tasks that share data. */
static bool is_list(const char *module)
{
    if (hsi_module_is_file(module) || (strpbrk(module, "/.") && !strpbrk(module, ",:")))
        return hsi_module_drives_only_devices(module);
    return strcmp(module, "cuda") != 0;
}

/* Open the module for GPUs; `path` NULL: the installed one. */
static hs_status open_gpus(hsi_machine *machine, const char *path, hs_error *error)
{
    hs_status st = hsi_module_open(path, &machine->module, error);

    return st == HS_OK ? list_devices(machine, error) : st;
}

/* Open the first of the modules cuda and opencl that has a device. *error is the reason of cuda. */
static hs_status open_usual(hsi_machine *machine, hs_error *error)
{
    hs_error  unused;
    hs_status st = open_gpus(machine, NULL, error);

    if (st != HS_ERESOURCE || list_of_modules(machine, "opencl", &unused) != HS_OK)
        return st;
    hsi_module_close(&machine->module);
    return HS_OK;
}

static hs_status open_devices(hsi_machine *machine, const char *module, hs_error *error)
{
    if (!module)
        return open_usual(machine, error);
    if (is_list(module))
        return list_of_modules(machine, module, error);
    return open_gpus(machine, strcmp(module, "cuda") == 0 ? NULL : module, error);
}

hs_status hsi_machine_find_devices(hsi_machine *machine, const hsi_run_spec *spec, hs_error *error)
{
    hs_error  fault = {0};
    hs_status st;

    if (!needs_module(spec))
        return HS_OK;
    st = open_devices(machine, spec->settings.gpu.module, &fault);
    if (st == HS_ERESOURCE)
        return hsi_error_set(error, st,
                             "no GPU: %.400s; this plan needs %u; use settings.run.emulate[HS_GPU]",
                             fault.why, spec->gpus);
    if (st == HS_OK && machine->device_count < spec->gpus)
        return hsi_error_set(error, HS_ERESOURCE,
                             "too few GPUs: this plan needs %u, and there %s %u; use "
                             "settings.run.emulate[HS_GPU]",
                             spec->gpus, machine->device_count == 1 ? "is" : "are",
                             machine->device_count);
    if (st == HS_OK && machine->listed)
        st = hsi_device_choice_operations(machine->choice, spec->gpus, machine->operations, &fault);
    if (st != HS_OK)
        *error = fault;
    return st;
}

double hsi_machine_smallest_gpu_memory(const hsi_machine *machine, const hsi_run_spec *spec)
{
    double   least = INFINITY;
    unsigned i;

    if (!machine->devices)
        return 0;
    for (i = 0; i < spec->gpus; i++)
        least = fmin(least, (double)machine->devices[i].memory);
    return least;
}

void hsi_machine_close(hsi_machine *machine)
{
    free(machine->devices);
    free(machine->choice);
    hsi_device_modules_close(machine->listed);
    free(machine->os_cpu);
    free(machine->cores);
    hsi_topology_close(machine->topology);
    hsi_module_close(&machine->module);
}

const hs_backend_device *hsi_machine_device(const hsi_machine *machine, const hsi_run_spec *spec,
                                            unsigned worker)
{
    if (worker < spec->cpus || worker - spec->cpus >= machine->device_count)
        return NULL;
    return &machine->devices[worker - spec->cpus];
}

static void describe(const hs_backend_device *from, hs_exec_device *out)
{
    hs_exec_device full = {.memory = from->memory};
    hsi_topology  *topology;
    hs_error       error;

    memcpy(full.name, from->name, sizeof full.name);
    memcpy(full.uuid, from->uuid, sizeof full.uuid);
    memcpy(full.pci, from->pci, sizeof full.pci);
    if (hsi_topology_open(&topology, true, &error) == HS_OK) {
        hsi_topology_list_near(topology, from->pci, full.cores, sizeof full.cores);
        hsi_topology_close(topology);
    }
    hsi_sized_copy_out(out, &full, sizeof full);
}

hs_status hs_exec_device_at(const char *module, unsigned index, hs_exec_device *out,
                            unsigned *count, hs_error *error)
{
    hsi_machine machine = {.topology = NULL};
    hs_error    fault = {0};
    hs_status   st = open_devices(&machine, module, &fault);

    if (count)
        *count = machine.device_count;
    if (st == HS_OK && out && index < machine.device_count)
        describe(&machine.devices[index], out);
    else if (st == HS_OK && out)
        st = HS_EINVAL;
    if (st == HS_ERESOURCE) {
        hs_error cause = fault;

        hsi_error_set(&fault, st, "no GPU: %.480s", cause.why);
    }
    hsi_machine_close(&machine);
    return hsi_error_copy_to_caller(error, st, &fault);
}

/* Return whether a memory is the host's or that of a GPU. */
static bool is_memory(const hsi_machine *machine, unsigned memory)
{
    return memory == HS_NONE || memory < machine->device_count;
}

static bool are_samples(const hs_copy_sample *samples, size_t count)
{
    for (size_t i = 0; samples && i < count; i++)
        if (!(samples[i].bytes >= 1 && samples[i].bytes <= 0x1p40))
            return false;
    return samples && count > 0;
}

static hs_status time_copies(const hsi_machine *machine, unsigned from, unsigned to,
                             hs_copy_sample *samples, size_t count, hs_error *error)
{
    if (from == to || !is_memory(machine, from) || !is_memory(machine, to) ||
        !are_samples(samples, count))
        return hsi_error_set(error, HS_EINVAL, "copies need two memories and numbers of bytes");
    if (!machine->module.backend || !machine->module.backend->time_copies)
        return hsi_error_set(error, HS_EUNSUPPORTED, "this module for GPUs cannot time copies");
    return machine->module.backend->time_copies(from, to, samples, count, error);
}

hs_status hs_exec_time_copies(const char *module, unsigned from, unsigned to,
                              hs_copy_sample *samples, size_t count, hs_error *error)
{
    hsi_machine machine = {.topology = NULL};
    hs_error    fault = {0}, cause;
    hs_status   st = open_devices(&machine, module, &fault);

    if (st == HS_ERESOURCE) {
        cause = fault;
        hsi_error_set(&fault, st, "no GPU: %.480s", cause.why);
    }
    if (st == HS_OK)
        st = time_copies(&machine, from, to, samples, count, &fault);
    hsi_machine_close(&machine);
    return hsi_error_copy_to_caller(error, st, &fault);
}
